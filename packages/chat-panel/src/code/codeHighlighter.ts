import { tagHighlighter, tags } from '@lezer/highlight';

/** Classes of syntax, coloured in `theme/base.css`: in editors, and in the code of the chat. */
export const codeHighlighter = tagHighlighter([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword, tags.self],
    class: 'code-keyword',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], class: 'code-string' },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.escape, tags.constant(tags.name)],
    class: 'code-number',
  },
  { tag: tags.comment, class: 'code-comment code-emphasis' },
  { tag: [tags.meta, tags.processingInstruction], class: 'code-comment' },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.function(tags.definition(tags.variableName)),
      tags.labelName,
      tags.macroName,
      tags.link,
      tags.url,
    ],
    class: 'code-name',
  },
  {
    tag: [tags.typeName, tags.className, tags.namespace, tags.standard(tags.typeName), tags.attributeName],
    class: 'code-type',
  },
  { tag: [tags.tagName, tags.deleted, tags.special(tags.propertyName)], class: 'code-tag' },
  { tag: tags.heading, class: 'code-name code-strong' },
  { tag: tags.strong, class: 'code-strong' },
  { tag: tags.emphasis, class: 'code-emphasis' },
  { tag: tags.strikethrough, class: 'code-struck' },
  { tag: tags.invalid, class: 'code-invalid' },
]);
