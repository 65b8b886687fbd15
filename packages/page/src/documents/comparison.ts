import { goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorView, keymap } from '@codemirror/view';
import { codeExtensions } from '../code/codeExtensions.js';
import { collapseConfig, collapsedLines } from '../review/mergeExtensions.js';

interface ComparisonOptions {
  readonly before: string;
  readonly after: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
  readonly path: string;
  /** Side by side, or in one editor that shows the lines of the other among its own. */
  readonly isSplit: boolean;
  /** Whether the text after can be edited. */
  readonly isEditable: boolean;
  readonly onEdit: () => void;
}

export interface Comparison {
  /** The text after as it stands. */
  result(): string;
  destroy(): void;
}

/** Two compared texts. The caller destroys it. */
export function createComparison(parent: Element, options: ComparisonOptions): Comparison {
  const { before, after, beforeLabel, afterLabel, path, isSplit, isEditable } = options;
  const side = (label: string, isReadOnly: boolean) => [
    changeKeys,
    codeExtensions({ path, label, isReadOnly }),
    collapsedLines,
    comparisonTheme,
  ];
  const shared = { collapseUnchanged: collapseConfig, diffConfig, highlightChanges: true, gutter: true };
  const afterSide = [
    side(afterLabel, !isEditable),
    EditorView.updateListener.of(({ docChanged }) => {
      if (docChanged) options.onEdit();
    }),
  ];
  if (isSplit) {
    const merge = new MergeView({
      parent,
      a: { doc: before, extensions: side(beforeLabel, true) },
      b: { doc: after, extensions: afterSide },
      ...shared,
    });
    return { result: () => merge.b.state.doc.toString(), destroy: () => merge.destroy() };
  }
  const view = new EditorView({
    parent,
    doc: after,
    extensions: [afterSide, unifiedMergeView({ original: before, mergeControls: false, ...shared })],
  });
  return { result: () => view.state.doc.toString(), destroy: () => view.destroy() };
}

// Two texts that have little in common are not worth seconds of comparing.
const diffConfig = { scanLimit: 2_000, timeout: 200 };

const changeKeys = keymap.of([
  { key: 'F7', run: goToNextChunk },
  { key: 'Shift-F7', run: goToPreviousChunk },
]);

/** Colours of what differs between two texts. */
const comparisonTheme = EditorView.theme({
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
