import type { Clock, Diagnostic, Path, Range } from '@tandem/core';
import type { Editor, Review } from '@tandem/reviews';

/** One editor for one test, with an empty workspace of its own and no file open. */
export interface EditorUnderTest {
  readonly editor: Editor;
  /** Real path of an open workspace folder in which the test may write. */
  readonly workspaceFolder: Path;
  /** Real time. The contract uses it to wait for asynchronous effects of a real editor. */
  readonly clock: Clock;
  /** Writes a file below the workspace folder, and creates missing folders. */
  writeFile(relativePath: string, text: string): Promise<void> | void;
  /** Reads such a file back. */
  readFile?(relativePath: string): Promise<string> | string;
  /** The user actions that this host can simulate. */
  readonly user: EditorUser;
  dispose(): Promise<void> | void;
}

/**
 * What a user does in an editor: the other side of the `Editor` interface, which tests drive. A host omits the actions
 * that it cannot simulate, and the contract omits the checks that need them. A returned promise resolves when the
 * editor has accepted the action; events may follow.
 */
export interface EditorUser {
  /** Opens the file when it is not open, and gives it the focus. */
  focus?(path: Path): Promise<void> | void;
  /** Selects in an open file that has the focus. */
  select?(path: Path, range: Range): Promise<void> | void;
  /** Replaces the text of an open file and does not save. */
  type?(path: Path, text: string): Promise<void> | void;
  /** Saves an open file, as the user's own key or command does. Its path may be one outside the workspace. */
  save?(path: Path): Promise<void> | void;
  /** Closes a file that has no unsaved changes. */
  close?(path: Path): Promise<void> | void;
  setTrusted?(isTrusted: boolean): Promise<void> | void;
  /** Makes the editor's language services report these for a file, instead of the earlier ones. */
  setDiagnostics?(path: Path, diagnostics: readonly Diagnostic[]): Promise<void> | void;
  /** The reviews that the user can see. */
  reviewsInView?(): Promise<readonly Review[]> | readonly Review[];
  /** Replaces the text in the review's view. */
  edit?(review: Review, text: string): Promise<void> | void;
  accept?(review: Review): Promise<void> | void;
  reject?(review: Review): Promise<void> | void;
}

/** One user action. */
export type UserAction = keyof EditorUser;

/** All user actions. */
export const userActions: readonly UserAction[] = [
  'focus',
  'select',
  'type',
  'save',
  'close',
  'setTrusted',
  'setDiagnostics',
  'reviewsInView',
  'edit',
  'accept',
  'reject',
];
