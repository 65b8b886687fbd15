import type { Clock } from '../clock.js';
import type { Diagnostic, Editor } from '../editor.js';
import type { Path, Range } from '../position.js';
import type { Review } from '../review.js';

/** One editor for one test, with an empty workspace of its own and no file open. */
export interface EditorUnderTest {
  readonly editor: Editor;
  /** Real path of an open workspace folder in which the test may write. */
  readonly workspaceFolder: Path;
  /** Real time, by which the contract waits for what a real editor does later. */
  readonly clock: Clock;
  /** Writes a file below the workspace folder, folders on the way included. */
  writeFile(relativePath: string, text: string): Promise<void> | void;
  /** Reads such a file back. */
  readFile?(relativePath: string): Promise<string> | string;
  /** What this host can play of a person. */
  readonly person: EditorPerson;
  dispose(): Promise<void> | void;
}

/**
 * What a person does in an editor: the other side of the `Editor` interface, which tests drive. What a host
 * cannot play is left out, and the contract leaves out what needs it. A promise that is returned resolves when
 * the editor has taken the action; events may follow.
 */
export interface EditorPerson {
  /** Opens the file when it is not open, and gives it the focus. */
  focus?(path: Path): Promise<void> | void;
  /** Selects in an open file that has the focus. */
  select?(path: Path, range: Range): Promise<void> | void;
  /** Replaces the text of an open file and does not save. */
  type?(path: Path, text: string): Promise<void> | void;
  /** Closes a file that has no unsaved changes. */
  close?(path: Path): Promise<void> | void;
  setTrusted?(isTrusted: boolean): Promise<void> | void;
  /** Makes the editor's language services report these for a file, in place of what they reported before. */
  setDiagnostics?(path: Path, diagnostics: readonly Diagnostic[]): Promise<void> | void;
  /** The reviews that the person can see. */
  reviewsInView?(): Promise<readonly Review[]> | readonly Review[];
  /** Replaces the text in the review's view. */
  edit?(review: Review, text: string): Promise<void> | void;
  accept?(review: Review): Promise<void> | void;
  reject?(review: Review): Promise<void> | void;
}

/** One thing that a person does. */
export type PersonAction = keyof EditorPerson;

/** All of them. */
export const personActions: readonly PersonAction[] = [
  'focus',
  'select',
  'type',
  'close',
  'setTrusted',
  'setDiagnostics',
  'reviewsInView',
  'edit',
  'accept',
  'reject',
];
