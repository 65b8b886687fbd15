import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

const style = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword, tags.self],
    color: 'var(--code-keyword)',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], color: 'var(--code-string)' },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.escape, tags.constant(tags.name)],
    color: 'var(--code-number)',
  },
  { tag: [tags.comment], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.processingInstruction], color: 'var(--code-comment)' },
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
    color: 'var(--code-name)',
  },
  {
    tag: [tags.typeName, tags.className, tags.namespace, tags.standard(tags.typeName), tags.attributeName],
    color: 'var(--code-type)',
  },
  { tag: [tags.tagName, tags.deleted, tags.special(tags.propertyName)], color: 'var(--code-tag)' },
  { tag: [tags.heading], color: 'var(--code-name)', fontWeight: '600' },
  { tag: [tags.strong], fontWeight: '600' },
  { tag: [tags.emphasis], fontStyle: 'italic' },
  { tag: [tags.strikethrough], textDecoration: 'line-through' },
  { tag: [tags.invalid], color: 'var(--code-invalid)' },
]);

/** Syntax colours by the page's tokens. */
export const codeHighlight: Extension = syntaxHighlighting(style, { fallback: true });
