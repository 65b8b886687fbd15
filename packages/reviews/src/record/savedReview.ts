import { type Path, silentLogger, systemClock } from '@tandem/core';
import type { FileContent } from '../text/mergeWithFile.js';
import { marksOf, type PathMarks } from './pathMarks.js';
import type { ReviewEdits } from './proposal.js';
import { Review } from './review.js';
import type { ReviewComment } from './reviewComment.js';
import type { ReviewKey } from './reviewKey.js';

/** A review in a form that outlives its companion: the proposal, its file, and the user's edits and comments. */
export interface SavedReview extends PathMarks, ReviewEdits {
  readonly key: ReviewKey;
  readonly number?: string | undefined;
  readonly agent: string;
  readonly session: string;
  readonly path: Path;
  /** The content of the file at the time of the proposal. */
  readonly original: FileContent;
  readonly proposed: string;
  /** The user's comments, if there are any. */
  readonly comments?: readonly ReviewComment[] | undefined;
  /** Unix time in milliseconds. */
  readonly openedAt: number;
  /** For an interrupted review: when it was last known to be pending. */
  readonly interruptedAt?: number | undefined;
  /** The user accepted it. Without `isAnswered`, it is unknown whether its agent received the answer. */
  readonly isAccepted?: boolean | undefined;
  /** The agent of an accepted review received its answer. */
  readonly isAnswered?: boolean | undefined;
  /** See `Proposal`. */
  readonly isHeld?: boolean | undefined;
  /** See `Proposal`. */
  readonly isDeletion?: boolean | undefined;
  /** See `Proposal`. */
  readonly agentChooses?: string | undefined;
  readonly decided?: SavedDecision | undefined;
  /**
   * Of an edit without a review: when the user kept it, in Unix milliseconds. Until then, it waits for the user. Not in `decided`, of
   * which earlier versions drop what they do not know.
   */
  readonly keptAt?: number | undefined;
  /** The user kept some lines of edits: their keys. Two entries are in their place, one with these lines and one with the rest. */
  readonly replaces?: readonly string[] | undefined;
  /** Only in the history: what the texts do not say of the file before and after the change. */
  readonly exact?: { readonly before: ExactSide; readonly after: ExactSide } | undefined;
}

/** What a text does not say of a file. See `FileContent`. */
export interface ExactSide {
  /** What it is, if it is not text. */
  readonly is?: string | undefined;
  readonly size?: number | undefined;
  readonly mode?: number | undefined;
}

/**
 * Only in the history: how a review was decided, that it is a restoration, or an edit that an agent wrote without a review. Its `content`
 * is what its file then held.
 */
export interface SavedDecision {
  /** The number of the review; `r` and a number for a restoration, `w` and a number for an edit without a review. */
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly how: 'accepted' | 'rejected' | 'restored' | 'written';
  /** The agent's name for the change. */
  readonly title?: string | undefined;
  /** Of an edit without a review: how it is known whose it is. Absent if a hook named the file. */
  readonly evidence?: WorkEvidence | undefined;
  /** The turn of its session. */
  readonly turn?: SessionTurn | undefined;
  /** Of a restoration: that the user took changes back, or took that back again. Absent if it applied an interrupted review. */
  readonly reversed?: 'undone' | 'redone' | undefined;
  /** The file was removed. */
  readonly isRemoval?: boolean | undefined;
  /** A restoration that also wrote what is not this session's: it undid changes of several, or the user resolved a conflict. */
  readonly isMixed?: boolean | undefined;
  /** Of an edit without a review: no copy of the contents is kept, and it cannot be undone. */
  readonly unkept?: UnkeptChange | undefined;
  /** Of a restored or written text, unless it is UTF-8. */
  readonly encoding?: string | undefined;
}

/**
 * What a review of the same proposal continues: the edits and the comments of the one before it, its number unless another
 * review has it, and the decision if the agent may not have received it.
 */
export interface InterruptedEdits extends ReviewEdits, Partial<Omit<SavedReview, keyof ReviewEdits>> {
  readonly decision?: 'accepted' | 'rejected';
}

/**
 * Why a change is attributed to an agent that did not name the file. `command`: the file changed while these commands of it ran;
 * something else may have written meanwhile. `turn`: it changed during a turn, and perhaps something else wrote it.
 */
export type WorkEvidence =
  | { readonly kind: 'command'; readonly commands: readonly string[] }
  | { readonly kind: 'turn' };

/**
 * A change of which no copy is kept. `hidden`: the file is hidden from agents. `not-read`: it changed before it was read for the first time.
 * `no-room`: the copy could not be stored. `mode`: only its permissions changed. `more`: so many other files changed below this folder.
 */
export interface UnkeptChange {
  readonly why:
    | 'hidden'
    | 'too-large'
    | 'link'
    | 'special'
    | 'unreadable'
    | 'not-read'
    | 'no-room'
    | 'mode'
    | 'more';
  /** With `more`. */
  readonly files?: number | undefined;
}

/** A prompt of the user and what the agent did for it. */
export interface SessionTurn {
  /** Counts the turns of a session, from 1. */
  readonly number: number;
  /** The beginning of the prompt, if the agent reports it. */
  readonly prompt?: string | undefined;
}

/** How a review ended, as far as it is known. */
type Ending = Pick<SavedReview, 'interruptedAt' | 'isAccepted' | 'isAnswered'>;

/** The review in its current state. */
export function saveReview(review: Review, ending: Ending = {}): SavedReview {
  const { key, proposal, comments, original, marks, openedAt } = review;
  const { content, keptHunks } = review.edits;
  return {
    key,
    number: review.id,
    agent: proposal.agent,
    session: proposal.session,
    path: proposal.path,
    original,
    proposed: proposal.content,
    content,
    keptHunks: [...keptHunks],
    ...(comments.length > 0 && { comments: [...comments] }),
    ...marks,
    openedAt,
    ...(proposal.isHeld && { isHeld: true }),
    ...(proposal.isDeletion && { isDeletion: true }),
    agentChooses: proposal.agentChooses,
    ...ending,
  };
}

/** Whether the user changed the proposal. */
export function isEdited({ proposed, content }: Pick<SavedReview, 'proposed' | 'content'>): boolean {
  return content !== proposed;
}

/** Whether the user edited it or commented on it. */
export function hasUsersText(review: Pick<SavedReview, 'proposed' | 'content' | 'comments'>): boolean {
  return isEdited(review) || hasComments(review);
}

/** Whether the user commented on it. */
export function hasComments({ comments = [] }: Pick<SavedReview, 'comments'>): boolean {
  return comments.length > 0;
}

/** Whether the user edited, commented or accepted it: it is kept until the user discards it. */
export function isUsersWork(
  review: Pick<SavedReview, 'proposed' | 'content' | 'comments' | 'isAccepted'>,
): boolean {
  return hasUsersText(review) || review.isAccepted === true;
}

/** A cache: finding the hunks of a large text is slow. A saved review that changes is a new object. */
const remade = new WeakMap<SavedReview, Review>();

/** A saved review as a `Review`: ended if it was decided, otherwise pending, but no agent receives a decision. */
export function remakeReview(saved: SavedReview & { readonly id?: string }): Review {
  const known = remade.get(saved) ?? remake(saved);
  remade.set(saved, known);
  return known;
}

function remake(saved: SavedReview & { readonly id?: string }): Review {
  const { agent, session, path, proposed, original, content, keptHunks, decided } = saved;
  const proposal = {
    agent,
    session,
    path,
    content: proposed,
    ...(decided?.title !== undefined && { title: decided.title }),
    ...(saved.isDeletion && { isDeletion: true }),
    agentChooses: saved.agentChooses,
  };
  let now = saved.openedAt;
  const review = new Review(
    {
      id: decided?.id ?? saved.id ?? saved.key,
      proposal,
      original,
      ...marksOf(saved),
      edits: { content, keptHunks },
      commented: [saved],
    },
    { clock: { ...systemClock, now: () => now }, logger: silentLogger },
  );
  if (decided === undefined) return review;
  now = decided.at;
  if (decided.how === 'rejected') review.reject();
  else review.accept();
  return review;
}
