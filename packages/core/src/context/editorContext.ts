import type { Path, Position, Range } from '../position.js';

/** One file that is open in the editor. */
export interface OpenFile {
  readonly path: Path;
  /** When it last had the focus: Unix time in milliseconds. If it never had, the time when it was opened. */
  readonly lastFocusedAt: number;
  /** The selection, or the cursor (an empty range). Only that of the active file is sent to agents. */
  readonly selection?: Selection;
}

/** A selection or, when `range` is empty, a cursor. */
export interface Selection {
  readonly range: Range;
  /** The end of the range where the cursor is; defaults to `range.end`. */
  readonly cursor?: Position;
  /** The selected text; empty for a cursor. */
  readonly text: string;
}

/** What the user has open and selected. A value, never mutated. */
export interface EditorContext {
  /** Files in order of last focus, the latest first. */
  readonly openFiles: readonly OpenFile[];
  /** The path of the focused file, if any. It is then the first of `openFiles`. */
  readonly activePath?: Path;
  /** Whether the user trusts the workspace. */
  readonly isTrusted: boolean;
}

/** At most this many bytes of selected text, in UTF-8, are sent to an agent. */
export const maxSharedSelectionBytes = 16 * 1024;
