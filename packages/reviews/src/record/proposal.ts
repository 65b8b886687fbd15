import type { Path } from '@tandem/core';

/** A change to one file that an agent proposes. */
export interface Proposal {
  /** Absolute path of the file, which may not exist yet. Spelled as the agent spelled it: answers echo it. */
  readonly path: Path;
  /** The whole new text, exact to the last code unit. */
  readonly content: string;
  /** Identifier of the agent, such as `claude`. */
  readonly agent: string;
  /** Identifier of the session that proposes. Only this session receives the answer. */
  readonly session: string;
  /** The agent's name for the change, if its protocol has one. Not trusted: it can claim anything. */
  readonly title?: string;
  /**
   * Set when the agent does not accept an empty text as an answer and would write its own proposal instead. A proposal
   * that the user emptied then cannot be accepted.
   */
  readonly cannotAnswerEmpty?: boolean;
  /**
   * Set when the agent writes its own proposal after an acceptance, also where the user corrected it. The corrections
   * are kept, and offered once the agent has written its text.
   */
  readonly writesOwnText?: boolean;
  /**
   * Set when the agent deletes the file. `content` is empty then. If the user keeps lines of the file, the agent writes these
   * instead.
   */
  readonly isDeletion?: boolean;
  /**
   * A part of `content` that stands for one that the agent chooses only when it writes, such as the id of a new cell in a notebook:
   * what it then writes is not known before.
   */
  readonly agentChooses?: string | undefined;
  /** Set when a hook of the agent waits for the decision: it proposes the same again after a restart of the companion. */
  readonly isHeld?: boolean;
}

/** Whether both propose the same for their file. */
export function isSameProposal(
  one: { readonly content: string; readonly isDeletion?: boolean | undefined },
  other: Pick<Proposal, 'content' | 'isDeletion'>,
): boolean {
  return one.content === other.content && (one.isDeletion === true) === (other.isDeletion === true);
}

/** Why a review ended without a decision of the user in this editor. */
export type WithdrawReason =
  | 'replaced' // The same session proposed another change to the same file.
  | 'agent' // The agent withdrew it: decided in its terminal, or cancelled.
  | 'let-go' // The user let the agent go on without a decision.
  | 'disconnected' // The session ended.
  | 'not-shown' // The editor could not show it.
  | 'stopped'; // The companion stops.

/** The user's edits to a proposal: the current text, and for each hunk whether it is kept; empty if none was dropped. */
export interface ReviewEdits {
  readonly content: string;
  readonly keptHunks: readonly boolean[];
}

/** How a review ended. `content` of an accepted review is exactly the text that the agent receives to write. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly content: string; readonly isEdited: boolean }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'withdrawn'; readonly reason: WithdrawReason };

/** `pending`, or how it ended. The end is final. */
export type ReviewState = 'pending' | Outcome['kind'];

/** Lines that a text adds to its file and removes from it. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}
