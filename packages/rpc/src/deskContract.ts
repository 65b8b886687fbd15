import * as z from 'zod';
import {
  changeAction,
  changeSelection,
  hunkChoice,
  keptFile,
  restoredFile,
  waitingHunk,
} from './changesContract.js';
import { answer } from './question.js';
import { lineRange, reviewComment } from './reviewText.js';
import { id, none, nothing, path, reviewFacts, sharingStatus } from './values.js';

const reviewId = z.object({ id });
const conflicts = z.int();
/** `note`: what the call did, for the user, if the review does not show it. */
const changedReview = reviewFacts.extend({ note: z.string().optional() });
const reviewPlace = z.object({ id: z.string(), path: z.string() });

/** The user's comments on one review as a text for its agent. */
const feedback = z.object({
  /** Stands alone: it names the file and quotes the lines. A view offers it for copying. */
  text: z.string(),
  /** `prompt`: the agent has it, in its prompt, not submitted, or by its hook. `clipboard`: it was put nowhere. */
  delivery: z.enum(['prompt', 'clipboard']),
  /** What happened and what to do, for the user. */
  note: z.string(),
});

/**
 * What a user does with reviews: the same calls for the `tandem` command, the page, VS Code and editors over stdio. A call
 * that has to ask first fails with `question`, or with `conflict`, which has the question, too, if it is about later changes
 * of the file alone; the call is repeated with the `answer` of the choice. The answers to decisions do not depend on the size
 * of texts.
 */
export const deskContract = {
  /**
   * Accepts the current text, or `content`. Fails with `changed` if the text is not the one at `version`: the user has not seen
   * it. `overwrites` is short for an answer that confirms `deleted`, `conflict` and `markers`. The answer `merges` leaves the
   * review pending.
   */
  'review.accept': {
    params: z.object({
      id,
      version: z.int().min(0).optional(),
      content: z.string().optional(),
      answer: answer.optional(),
      overwrites: z.boolean().optional(),
    }),
    result: changedReview,
  },
  'review.reject': { params: reviewId, result: reviewFacts },
  /**
   * Merges changes of the file since the proposal into the text. `conflicts`: how many the text contains, with markers.
   * Without `marksConflicts`, a conflict is refused.
   */
  'review.merge': {
    params: z.object({ id, marksConflicts: z.boolean().optional() }),
    result: changedReview.extend({ conflicts }),
  },
  /** Takes the last change of the file that the view merged out of the text. */
  'review.undoMerge': { params: reviewId, result: changedReview },
  /** Does one of the `actions` of a review, by its id: what a button for it calls. Asks and answers as the call of that action. */
  'review.run': {
    params: z.object({ id, action: z.string(), answer: answer.optional() }),
    result: z.object({ note: z.string().optional(), restoration: id.optional() }),
  },
  /**
   * The user closed its view. Fails with `question` if the user has to decide. `note`: what it did. With `canUndo`, a rejection only is
   * announced by `undoMs`: the view calls this again without it after these milliseconds, unless the user undoes that.
   */
  'review.close': {
    params: z.object({ id, isSeveral: z.boolean().optional(), canUndo: z.boolean().optional() }),
    result: z.object({ note: z.string().optional(), undoMs: z.int().optional() }),
  },
  /** Keeps or drops one hunk of the proposal; `hunk` is 0-based. */
  'review.hunk': {
    params: z.object({ id, hunk: z.int().min(0), isKept: z.boolean() }),
    result: reviewFacts,
  },
  /**
   * Writes an interrupted review to its file, merged with the file's content. `marksConflicts` is short for an answer that
   * confirms conflicts. `restoration`: the entry of the history that undoes it; `note`: what it did, for the user.
   */
  'review.apply': {
    params: z.object({ id, answer: answer.optional(), marksConflicts: z.boolean().optional() }),
    result: z.object({ conflicts, restoration: id.optional(), note: z.string() }),
  },
  /** Discards interrupted reviews. Asks first if one has the user's work; then nothing is discarded. */
  'review.discard': { params: z.object({ ids: z.array(id), answer: answer.optional() }), result: none },
  /** Comments on lines of a pending review, or on the whole proposal. */
  'review.comment': {
    params: z.object({
      id,
      text: z.string(),
      side: reviewComment.shape.side.optional(),
      lines: lineRange.optional(),
    }),
    result: reviewComment,
  },
  'review.editComment': { params: z.object({ id, comment: id, text: z.string() }), result: reviewComment },
  'review.removeComment': { params: z.object({ id, comment: id }), result: none },
  /**
   * Composes the comments, and `text` on the whole proposal, and passes them to the agent if it can receive them. Rejects the
   * review first if `rejects`. Fails with `bad-params` if there is nothing to send; then it rejects nothing.
   */
  'review.feedback': {
    params: z.object({ id, rejects: z.boolean().optional(), text: z.string().optional() }),
    result: feedback,
  },
  /**
   * Accepts or rejects all pending reviews of a session, which the beginning of its id names, otherwise of all sessions; edited
   * texts as they are. Asks first, unless there is nothing to ask. A review that is not as the user saw it, arrived later, or has a concern that is not
   * confirmed stays pending, and so do edited ones that are rejected without `rejectsEdited`. Reviews that ended elsewhere are
   * in neither list.
   */
  'session.decide': {
    params: z.object({
      session: id.optional(),
      decision: z.enum(['accept', 'reject']),
      answer: answer.optional(),
    }),
    result: z.object({
      decided: z.array(reviewPlace),
      /** `obstacle`: why it stays pending. */
      pending: z.array(reviewPlace.extend({ obstacle: z.string() })),
      /** What became of them, for the user. */
      note: z.string(),
    }),
  },
  /**
   * Changes which edits of an agent with hooks wait for the user, until its session ends. The beginning of an id names the session;
   * without one, all sessions with hooks. Fails with `refused` if there is none.
   */
  'session.hooks': {
    params: z.object({ session: id.optional(), hooks: z.enum(['before', 'follow', 'after', 'off']) }),
    result: none,
  },
  /**
   * Restores the texts before these changes, and keeps later edits. Fails and writes nothing if a file cannot be restored or, without
   * `marksConflicts`, has a conflict. With `isPartial`, restores the other files. With `previews`, only says what would happen.
   */
  'changes.restore': {
    params: changeSelection.extend({
      marksConflicts: z.boolean().optional(),
      isPartial: z.boolean().optional(),
      previews: z.boolean().optional(),
      ...hunkChoice.shape,
    }),
    result: z.array(restoredFile),
  },
  /**
   * Keeps changes that agents wrote without a review: they do not wait any more. Writes no file. With `isKept: false`, they wait again.
   * Asks first if these are changes to several files. What is perhaps not the agent's is kept only by its id or its group.
   */
  'changes.keep': {
    params: changeSelection.extend({
      ...hunkChoice.shape,
      isKept: z.boolean().optional(),
      answer: answer.optional(),
    }),
    result: z.object({
      files: z.array(keptFile),
      /** What it did, for the user. */
      note: z.string(),
    }),
  },
  /** What waits in one document, from its first line to its last, and what can be done with each. */
  'changes.hunks': {
    params: z.object({ path }),
    result: z.object({ hunks: z.array(waitingHunk), actions: z.array(changeAction).readonly() }),
  },
  /** How many files have changes that wait, of all sessions or of one. */
  'changes.waiting': {
    params: z.object({ session: id.optional() }),
    result: z.object({
      files: z.int(),
      /** How long changes are listed, in a sentence for the user. */
      note: z.string(),
    }),
  },
  /** Forgets all decided reviews and their texts. */
  'changes.forget': { params: none, result: nothing },
  /** Mentions a file to agents. `count`: the number of sessions that received it. */
  mention: {
    params: z.object({ path, lines: lineRange.optional() }),
    result: z.object({ count: z.int() }),
  },
  'share.pause': { params: none, result: sharingStatus },
  'share.resume': { params: none, result: sharingStatus },
} as const;

export type DeskContract = typeof deskContract;
export type Feedback = z.infer<typeof feedback>;
