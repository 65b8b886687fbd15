import { visibleName } from '@tandem/core';
import type { Outcome, Proposal, WithdrawReason } from '../record/proposal.js';
import type { Review } from '../record/review.js';
import type { HistoryEntry, InterruptedReview, Interruption } from '../record/reviewRecords.js';
import { isEdited } from '../record/savedReview.js';

/** What a user can do with a review. A view shows it as a button or offers it as a command, and sends its `id` back. */
export interface Action {
  readonly id: 'accept' | 'reject' | 'letGo' | 'merge' | 'undoMerge' | 'apply' | 'discard';
  /** For its button: begins with a verb. */
  readonly label: string;
  readonly isPrimary?: boolean;
  /** It discards something. */
  readonly isDangerous?: boolean;
  /** The kind of the note that it belongs to. */
  readonly about?: string;
}

/** What an action did, for the user. */
export const actionNotes = {
  merge: 'Both versions are in the text. Resolve the conflict markers.',
  undoMerge: "The merge is undone. The text no longer contains the file's changes.",
} as const;

/**
 * What can be done with a review now, the primary action first. `file`: what the view knows of its file; `agentName`: its agent, for
 * users.
 */
export function presentActions(
  review: Pick<Review, 'state' | 'proposal'> | Pick<InterruptedReview | HistoryEntry, 'state'>,
  {
    file = {},
    agentName,
  }: {
    readonly file?: { readonly canMarkConflicts?: boolean; readonly canUndoMerge?: boolean } | undefined;
    readonly agentName: string;
  },
): Action[] {
  switch (review.state) {
    case 'pending':
      return [
        { id: 'accept', label: 'Accept', isPrimary: true },
        { id: 'reject', label: 'Reject' },
        // Some agents stay blocked until their hook ends, also after the user has interrupted them.
        ...('proposal' in review && review.proposal.isHeld
          ? [{ id: 'letGo', label: `Let ${visibleName(agentName)} go on` } as const]
          : []),
        ...(file.canMarkConflicts
          ? [{ id: 'merge', label: 'Show both versions', about: 'conflict' } as const]
          : []),
        ...(file.canUndoMerge
          ? [{ id: 'undoMerge', label: 'Undo the merge', about: 'merged' } as const]
          : []),
      ];
    case 'undelivered':
      return [
        { id: 'apply', label: 'Apply', isPrimary: true },
        { id: 'discard', label: 'Discard', isDangerous: true },
      ];
    default:
      return [];
  }
}

/** Under what heading views list interrupted reviews, apart from the pending ones; `text`: what they are and what to do. */
export const interruptedGroup = {
  label: 'Interrupted',
  text: 'No agent writes these texts. Apply or discard them.',
};

/** What every view shows of a review in its state. `agentName`, `file`: as for `presentActions`. */
export function presentState(
  review: Review | InterruptedReview | HistoryEntry,
  of: Parameters<typeof presentActions>[1],
) {
  const actions = presentActions(review, of);
  const { agentName } = of;
  switch (review.state) {
    case 'undelivered': {
      const end = presentInterruption(review.interruption, review);
      return { state: 'interrupted' as const, group: interruptedGroup, end, actions };
    }
    case 'decided': {
      const { content, decided } = review;
      const outcome: Outcome =
        decided.how === 'rejected'
          ? { kind: 'rejected' }
          : { kind: 'accepted', content, isEdited: isEdited(review) };
      return {
        state: outcome.kind,
        decidedAt: decided.at,
        end: presentEnd(outcome, agentName, review),
        actions,
      };
    }
    default: {
      const { outcome, state, decidedAt, proposal } = review;
      if (outcome === undefined) return { state, actions };
      const end = presentEnd(outcome, agentName, proposal);
      const withdrawReason = outcome.kind === 'withdrawn' ? outcome.reason : undefined;
      return { state, withdrawReason, decidedAt, end, actions };
    }
  }
}

/** What letting an agent go on did. */
export function presentLetGo(
  agentName: string,
  { hasUsersText }: { readonly hasUsersText: boolean },
): string {
  const kept = hasUsersText ? ' Your text is kept, to apply or discard it.' : '';
  return `${visibleName(agentName)} goes on without a decision. The file is unchanged.${kept}`;
}

/** Why a text is not accepted that the user has not seen. `file`: its name for users. */
export function presentChanged(file: string, { isMerged }: { readonly isMerged: boolean }): string {
  const name = visibleName(file);
  const what = isMerged
    ? `${name} changed on disk. The changes are now merged into the proposal.`
    : `The proposal for ${name} was just changed elsewhere.`;
  return `${what} Check it and accept again.`;
}

/** What applying an interrupted review did. `label`: its file; `conflicts`: how many are marked in it. */
export function presentApplied(
  label: string,
  conflicts: number,
  { isRemoved = false }: { readonly isRemoved?: boolean } = {},
): string {
  if (isRemoved) return `${visibleName(label)} is deleted.`;
  const written = `Written to ${visibleName(label)}.`;
  if (conflicts === 0) return written;
  const [are, them] = conflicts === 1 ? ['One conflict is', 'it'] : [`${conflicts} conflicts are`, 'them'];
  return `${written} ${are} marked with <<<<<<<. Resolve ${them} in your editor.`;
}

/** What becomes of a file when changes to it are restored. */
export interface Restored {
  /**
   * `nothing`: the file does not have these changes. `conflict`: it has changed on the same lines since. `refused`: it cannot be
   * restored; `reason` says why.
   */
  readonly kind: 'nothing' | 'restored' | 'merged' | 'removed' | 'conflict' | 'refused';
  readonly conflicts: number;
  readonly reason?: string | undefined;
}

/** What a restoration does to a file, or has done: the end of a text that begins with its name. */
export function presentRestored({ kind, conflicts, reason = '' }: Restored, isDone: boolean): string {
  const returns = isDone ? 'is back to its earlier text' : 'returns to its earlier text';
  const [places, marks] =
    conflicts === 1
      ? ['in one place', 'one conflict, marked with <<<<<<<. Resolve it']
      : [`in ${conflicts} places`, `${conflicts} conflicts, marked with <<<<<<<. Resolve them`];
  switch (kind) {
    case 'nothing':
      return 'no longer contains these changes.';
    case 'restored':
      return `${returns}.`;
    case 'merged':
      return `${returns}; later edits are kept.`;
    case 'removed':
      return 'is deleted.';
    case 'conflict':
      return isDone ? `has ${marks} in your editor.` : `has later changes on the same lines, ${places}.`;
    case 'refused':
      return `stays as it is. ${visibleName(reason)}`;
  }
}

/** What the undo of some hunks does to a file, or has done, as `presentRestored`. */
export function presentPartRestored(isDone: boolean): string {
  return isDone
    ? 'has the earlier text of these lines again; everything else is kept.'
    : 'returns to the earlier text of these lines; everything else is kept.';
}

/** What a view says about the state of a review that is no longer pending. */
export interface PresentedEnd {
  /** In a few words, for a list: `Accepted, edited`. */
  readonly label: string;
  /** In one or two sentences. */
  readonly text: string;
}

/** How a review ended. */
function presentEnd(
  outcome: Outcome,
  agentName: string,
  {
    writesOwnText,
    isDeletion,
  }: Pick<Proposal, 'writesOwnText'> & { readonly isDeletion?: boolean | undefined } = {},
): PresentedEnd {
  const agent = visibleName(agentName);
  switch (outcome.kind) {
    case 'accepted': {
      const isSent = outcome.isEdited && !writesOwnText;
      return {
        label: isSent ? 'Accepted, edited' : 'Accepted',
        text: `Accepted${isSent ? ' with your edits' : ''}. ${agent} now ${isDeletion && outcome.content === '' ? 'deletes' : 'writes'} the file.`,
      };
    }
    case 'rejected':
      return { label: 'Rejected', text: 'Rejected. The file is unchanged.' };
    case 'withdrawn':
      return presentWithdrawal(outcome.reason, agent);
  }
}

function presentWithdrawal(reason: WithdrawReason, agent: string): PresentedEnd {
  switch (reason) {
    case 'replaced':
      return { label: 'Replaced', text: `${agent} replaced this with a newer proposal.` };
    case 'agent':
      return { label: 'Withdrawn', text: `${agent} withdrew this, or it was decided in its terminal.` };
    case 'let-go':
      return {
        label: 'Not decided',
        text: `You let ${agent} go on without a decision. The file is unchanged.`,
      };
    case 'disconnected':
      return { label: 'Agent disconnected', text: `${agent} disconnected before this was decided.` };
    case 'stopped':
      return { label: 'Companion stopped', text: 'The companion was stopped before this was decided.' };
    case 'not-shown':
      return {
        label: 'Not shown',
        text: `This proposal could not be shown, and ${agent} was notified. Decide in its terminal.`,
      };
  }
}

/** An interrupted review. `isAnswered`: its agent has received the decision. */
function presentInterruption(
  interruption: Interruption | undefined,
  { isAnswered = false }: { readonly isAnswered?: boolean | undefined } = {},
): PresentedEnd {
  switch (interruption) {
    case undefined:
      return {
        label: 'Not sent',
        text: 'The agent stopped waiting, so your answer was never sent. Apply or discard it.',
      };
    case 'written without your edits':
      return {
        label: 'Written without your edits',
        text: 'The agent wrote its own text, without your edits. Apply or discard them.',
      };
    case 'accepted, but not written': {
      const answer = isAnswered
        ? 'the agent has received this text'
        : 'the agent may not have received this text';
      return {
        label: 'Accepted, but not written',
        text: `Accepted, but not written: ${answer}, and the file does not contain it. Apply or discard it.`,
      };
    }
  }
}
