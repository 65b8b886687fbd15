import type { Concern } from './concerns.js';

/** What the user answered. */
export interface Answer {
  /** The kinds of concerns that the user confirmed. */
  readonly confirmed?: readonly string[] | undefined;
  /** Save the editor's unsaved changes to the file first; they are merged into the proposal. */
  readonly saves?: boolean | undefined;
  /** Merge the file into the text, with conflict markers, and decide nothing. */
  readonly merges?: boolean | undefined;
  /** Of several reviews, only these are decided, and only as the user saw them; see `PendingDecision.seen`. */
  readonly seen?: readonly { readonly id: string; readonly seen: string }[] | undefined;
  /** Of several reviews, the edited ones are rejected, too. */
  readonly rejectsEdited?: boolean | undefined;
}

/** One way to answer a question. */
export interface Choice {
  /**
   * `confirm` does what was asked; `isDangerous` if it does so in spite of concerns. `save`, `merge`: see `Answer`. After
   * the view of a review was closed: `accept` and `reject` decide it, `show` shows it again, `keep` does nothing.
   */
  readonly kind: 'confirm' | 'save' | 'merge' | 'accept' | 'reject' | 'show' | 'keep';
  /** For its button: begins with a verb. */
  readonly label: string;
  /** It overwrites, discards, or runs something. */
  readonly isDangerous?: boolean;
  /** To be sent with the call that asked, or with the one that `kind` names. */
  readonly answer: Answer;
}

/** What the user has to answer first. A host only shows it, and sends the answer of the choice. */
export interface Question {
  /** What is asked, in one sentence. */
  readonly message: string;
  /** Why, in sentences: one in each line. */
  readonly detail: string;
  readonly concerns: readonly Concern[];
  /** Those that lose nothing are first. Empty if nothing can be done now. */
  readonly choices: readonly Choice[];
}
