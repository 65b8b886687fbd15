import type { Path, Position, Range } from './position.js';

/** One file that is open in the editor. */
export interface OpenFile {
  readonly path: Path;
  /** When it last had the focus: Unix time in milliseconds. Files that never had it carry the time they opened. */
  readonly lastFocusedAt: number;
  /** What is selected in it, or where its cursor stands (an empty range). Only the active file's leaves the house. */
  readonly selection?: Selection;
}

/** A selection or, when `range` is empty, a cursor. */
export interface Selection {
  readonly range: Range;
  /** Which end of the range the caret stands at; the end when left out. */
  readonly cursor?: Position;
  /** The selected text; empty for a cursor. */
  readonly text: string;
}

/** What a person looks at: a value, never mutated. */
export interface EditorContext {
  /** Files in order of last focus, the latest first. */
  readonly openFiles: readonly OpenFile[];
  /** The path of the file that has the focus, if one has it. It is then the first of `openFiles`. */
  readonly activePath?: Path;
  /** Whether the person trusts the workspace. */
  readonly isTrusted: boolean;
}

/** At most this many bytes of selected text, in UTF-8, are told to an agent. */
export const maxSharedSelectionBytes = 16 * 1024;
