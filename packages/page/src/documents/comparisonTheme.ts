import { EditorView } from '@codemirror/view';

/** Colours of what differs between two texts. */
export const comparisonTheme = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--removed-line)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--added-line)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': { background: 'var(--removed-word)' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--added-word)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--removed)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--added)' },
  '.cm-insertedLine, .cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  '.cm-deletedChunk': { paddingLeft: '0' },
  '.cm-deletedChunk .cm-deletedLine': { padding: '0 var(--gap-2)', whiteSpace: 'pre-wrap' },
  '.cm-collapsedLines': {
    color: 'var(--text-muted)',
    background: 'var(--surface-sunken)',
    fontFamily: 'var(--font-text)',
    padding: 'var(--gap-1) var(--gap-3)',
  },
  // Its signs are in few fonts.
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: 'none' },
});
