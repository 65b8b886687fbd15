import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** Styles of changes. Signs in the gutter repeat what the colours mean. */
export const reviewTheme: Extension = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--removed-line)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--added-line)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, &.cm-merge-b .cm-deletedText': {
    background: 'var(--removed-word)',
    borderRadius: '2px',
  },
  '&.cm-merge-b .cm-changedText': { background: 'var(--added-word)', borderRadius: '2px' },
  '&.cm-merge-a .cm-wholeLine .cm-changedText, &.cm-merge-b .cm-wholeLine .cm-changedText': {
    background: 'none',
  },
  // The same for removed lines: no changed line follows, or one that is added as a whole.
  '.cm-deletedChunk:has(+ .cm-line:not(.cm-changedLine)) .cm-deletedText, .cm-deletedChunk:has(+ .cm-wholeLine) .cm-deletedText':
    { background: 'none' },
  '&.cm-focused.cm-merge-a .cm-changedLine.cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--text) 6%, var(--removed-line))',
  },
  '&.cm-focused.cm-merge-b .cm-changedLine.cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--text) 6%, var(--added-line))',
  },
  // A change of white space that is hidden looks like an unchanged line.
  '&.cm-editor .cm-line.cm-spaceChange, &.cm-editor .cm-line.cm-spaceChange .cm-changedText': {
    background: 'none',
  },
  '&.cm-editor .cm-gutterElement.cm-spaceChangeGutter': { background: 'none' },
  '&.cm-editor .cm-gutterElement.cm-spaceChangeGutter:before': { content: 'none' },
  '.cm-deletedChunk:has(+ .cm-spaceChange)': { display: 'none' },
  '.cm-removedRows > div > div': { overflow: 'hidden' },
  // The boxes of comments are as wide as the editor.
  '&': { containerType: 'inline-size' },
  // Margins of its content belong to its height, which the editor measures.
  '.cm-commentBox': { display: 'flow-root', fontFamily: 'var(--font-text)', cursor: 'auto' },
  '.cm-lineNumbers .cm-gutterElement': { cursor: 'pointer' },
  // What the user changed in the proposal, above the colours of added lines.
  '.cm-content .cm-line.cm-ownLine': { backgroundColor: 'var(--own-line)' },
  '&.cm-focused .cm-content .cm-line.cm-ownLine.cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--text) 6%, var(--own-line))',
  },
  '&.cm-merge-b .cm-ownLine .cm-changedText': { background: 'var(--own-word)' },
  '.cm-ownGutter': { width: '5px' },
  '.cm-ownBar': { borderLeft: '4px solid var(--own)' },
  '.cm-ownRemoval': { borderTop: '3px solid var(--own)' },
  '.cm-ownBar > span, .cm-ownRemoval > span': { display: 'block', width: '5px', height: '100%' },

  '.cm-insertedLine, .cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  '.cm-deletedChunk': { paddingLeft: '0' },
  '.cm-deletedChunk .cm-deletedLine': { padding: '0 var(--gap-2)', whiteSpace: 'pre' },
  '&.cm-unwrapped .cm-deletedLine': { whiteSpace: 'pre' },
  '.cm-lineWrapping .cm-deletedLine': { whiteSpace: 'break-spaces', overflowWrap: 'anywhere' },

  '.cm-changeGutter': { width: '14px', paddingLeft: '0' },
  '.cm-changeGutter .cm-gutterElement': { textAlign: 'center', fontWeight: '600' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-removedRows': {
    color: 'var(--removed)',
    background: 'var(--removed-line)',
  },
  '&.cm-merge-b .cm-changedLineGutter': { color: 'var(--added)', background: 'var(--added-line)' },
  '&.cm-merge-a .cm-changedLineGutter:before': { content: '"−"' },
  '&.cm-merge-b .cm-changedLineGutter:before': { content: '"+"' },

  '.cm-mergeSpacer': {
    backgroundImage:
      'repeating-linear-gradient(-45deg, transparent 0 6px, color-mix(in srgb, var(--border) 55%, transparent) 6px 7px)',
  },
  '.cm-hiddenLines': {
    color: 'var(--accent-text)',
    background: 'var(--surface-page)',
    borderTop: '1px solid var(--border)',
    borderBottom: '1px solid var(--border)',
    fontFamily: 'var(--font-text)',
    fontSize: 'var(--size-small)',
    lineHeight: '18px',
    display: 'flex',
    alignItems: 'stretch',
    height: '27px',
    boxSizing: 'border-box',
  },
  '.cm-hiddenLines button': {
    padding: '0 var(--gap-3)',
    color: 'inherit',
    background: 'none',
    border: 'none',
    font: 'inherit',
    textAlign: 'left',
    whiteSpace: 'nowrap',
    cursor: 'pointer',
  },
  '.cm-hiddenLines button:first-child:before': {
    content: '"↕"',
    marginInlineEnd: 'var(--gap-2)',
    color: 'var(--text-muted)',
  },
  '.cm-hiddenLines button + button': { borderLeft: '1px solid var(--border)' },
  '.cm-hiddenLines button:hover': { background: 'var(--surface-hover)' },

  '.cm-hunkGutter .cm-gutterElement': { display: 'flex', alignItems: 'flex-start' },
  '.cm-hunkButtons': { display: 'inline-flex' },
  '.cm-hunkButton': {
    display: 'inline-flex',
    alignItems: 'center',
    justifyContent: 'center',
    width: '24px',
    height: 'calc(var(--size-code) * var(--line-code))',
    padding: '0',
    color: 'var(--text-muted)',
    background: 'none',
    border: 'none',
    borderRadius: '4px',
    cursor: 'pointer',
  },
  'button.cm-hunkButton:hover': { color: 'var(--text)', background: 'var(--surface-hover)' },

  // As high on the other side, which has no words in it.
  '.cm-droppedHunk': {
    boxSizing: 'border-box',
    height: 'calc(30px + var(--lines) * var(--size-code) * var(--line-code))',
    padding: '0 var(--gap-2)',
    overflow: 'hidden',
    color: 'var(--text-muted)',
    background: 'var(--surface-sunken)',
    borderTop: '1px dashed var(--border-strong)',
    borderBottom: '1px dashed var(--border-strong)',
  },
  '.cm-droppedHunk > div': {
    display: 'flex',
    alignItems: 'center',
    gap: 'var(--gap-2)',
    height: '28px',
    fontFamily: 'var(--font-text)',
    fontSize: 'var(--size-small)',
  },
  '.cm-droppedHunk del': { display: 'block', whiteSpace: 'pre', textDecorationColor: 'var(--border-strong)' },
  '.cm-droppedHunk button': {
    height: '24px',
    padding: '0 var(--gap-2)',
    color: 'var(--accent-text)',
    background: 'none',
    border: '1px solid transparent',
    borderRadius: '4px',
    font: 'inherit',
    fontWeight: '600',
    cursor: 'pointer',
  },
  '.cm-droppedHunk button:hover': { background: 'var(--surface-hover)' },
  '.cm-droppedHunk button:focus-visible': { outline: '2px solid var(--focus-ring)' },
});

/** A new file: every line is added. */
export const newFileTheme: Extension = EditorView.theme({
  '.cm-line, .cm-activeLine': { backgroundColor: 'var(--added-line)' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--text) 6%, var(--added-line))' },
});
