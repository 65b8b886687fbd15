import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge';
import { keymap } from '@codemirror/view';
import { codeExtensions } from '../code/codeExtensions.js';
import { collapseConfig, collapsedLines } from '../review/collapsedLines.js';
import { comparisonTheme } from './comparisonTheme.js';

interface ComparisonOptions {
  readonly before: string;
  readonly after: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
  readonly path: string;
  /** Whether the right side can be edited. */
  readonly isEditable: boolean;
}

export interface Comparison {
  /** The text on the right as it stands. */
  result(): string;
  destroy(): void;
}

/** Two texts side by side. Whoever made it destroys it. */
export function createComparison(parent: Element, options: ComparisonOptions): Comparison {
  const { before, after, beforeLabel, afterLabel, path, isEditable } = options;
  const side = (label: string, isReadOnly: boolean) => [
    changeKeys,
    codeExtensions({ path, label, isReadOnly }),
    collapsedLines,
    comparisonTheme,
  ];
  const view = new MergeView({
    parent,
    a: { doc: before, extensions: side(beforeLabel, true) },
    b: { doc: after, extensions: side(afterLabel, !isEditable) },
    collapseUnchanged: collapseConfig,
    // Two texts that have little in common are not worth seconds of comparing.
    diffConfig: { scanLimit: 2_000, timeout: 200 },
    highlightChanges: true,
    gutter: true,
  });
  return { result: () => view.b.state.doc.toString(), destroy: () => view.destroy() };
}

const changeKeys = keymap.of([
  { key: 'F7', run: goToNextChunk },
  { key: 'Shift-F7', run: goToPreviousChunk },
]);
