import { visibleName } from '@tandem/core';
import type { Review } from '../record/review.js';
import type { Question } from './question.js';

/** What closing the view of a pending review does. A review with the user's text is never rejected without a question. */
export type WhenClosed = 'reject' | 'ask' | 'keep';

/** What closing the view did, for the user; or what the user is asked. Empty if there is nothing to say. */
export interface Closing {
  readonly note?: string;
  readonly question?: Question;
  /** Nothing is decided yet: the view closes it again after this time, in milliseconds, unless the user undoes that. */
  readonly undoMs?: number;
}

/** How long the user can undo a rejection by closing: enough to read the note and to reach its button. */
const undoMs = 10_000;

/**
 * The user closed the view of a review. The agents' specifications treat that as a rejection. It is the only decision that users make
 * by accident, and an agent that has received it goes on, so a view with `canUndo` offers to undo it before the agent receives it. Closing several
 * views at once decides nothing.
 */
export function closeReview(
  review: Review,
  how: {
    readonly whenClosed: WhenClosed;
    readonly isSeveral?: boolean | undefined;
    readonly canUndo?: boolean | undefined;
    readonly agentName: string;
    /** The file, for the user. */
    readonly label: string;
  },
): Closing {
  const { whenClosed, isSeveral = false } = how;
  if (review.outcome !== undefined || whenClosed === 'keep') return {};
  const proposal = `the proposal by ${visibleName(how.agentName)} for ${visibleName(how.label)}`;
  if (isSeveral) return { note: `Closing several views rejects nothing: ${proposal} is still pending.` };
  if (whenClosed === 'reject' && !review.hasUsersText) {
    if (how.canUndo)
      return { note: `Closing the view rejects ${proposal} in ${undoMs / 1000} seconds.`, undoMs };
    review.reject();
    return { note: `Closing the view rejected ${proposal}.` };
  }
  const did = review.hasUsersEdits ? 'You edited' : review.hasUsersText ? 'You commented on' : 'You closed';
  return {
    question: {
      message: `${did} ${proposal}. Decide it now?`,
      detail: 'If you keep it pending, it stays in the list of reviews.',
      concerns: [],
      choices: [
        { kind: 'keep', label: 'Keep pending', answer: {} },
        { kind: 'show', label: 'Show again', answer: {} },
        { kind: 'accept', label: 'Accept', answer: {} },
        { kind: 'reject', label: 'Reject', isDangerous: true, answer: {} },
      ],
    },
  };
}

/** The question before the text of a rejected review is written after all. Its agent has received the rejection. */
export function askBeforeWriting({
  label,
  agentName,
}: {
  readonly label: string;
  readonly agentName: string;
}): Question {
  return {
    message: `Write the rejected proposal to ${visibleName(label)}?`,
    detail: `${visibleName(agentName)} knows that you rejected it. It will not learn that the file has its text now.`,
    concerns: [],
    choices: [{ kind: 'confirm', label: 'Write the file', answer: {} }],
  };
}

/** The question before texts of the user are discarded. */
export function askBeforeDiscarding(labels: readonly string[]): Question {
  const names = labels.map(visibleName).join(', ');
  const one = `the interrupted review of ${names}`;
  const what = labels.length === 1 ? one : `${labels.length} interrupted reviews`;
  return {
    message: `Discard ${what}?`,
    detail: [
      ...(labels.length === 1 ? [] : [`Files: ${names}.`]),
      labels.length === 1
        ? 'Its text exists nowhere else and cannot be restored.'
        : 'Their texts exist nowhere else and cannot be restored.',
    ].join('\n'),
    concerns: [],
    choices: [{ kind: 'confirm', label: 'Discard', isDangerous: true, answer: { confirmed: [] } }],
  };
}
