import type { Path } from '@tandem/core';
import {
  type AgentWriting,
  concernsOf,
  type FileFollower,
  type HistoryEntry,
  type InterruptedReview,
  isEdited,
  type NoteSources,
  notesOn,
  presentState,
  type Review,
  remakeReview,
  type SavedReview,
} from '@tandem/reviews';
import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import { nameOfAgent, writingOf } from '../agents/agents.js';
import type { ReviewDetails } from '../control/controlContract.js';
import { encodingNotes } from '../files/encodingNotes.js';
import { forEachWithPauses } from '../files/pausing.js';
import type { JournalWriter } from '../journal/journalWriter.js';

/** How agents and paths are called for users. */
export interface ReviewNames {
  /** The agent, with a number if there are several of it. */
  readonly nameOf: (agent: string, session: string) => string;
  /** The path below its folder. */
  readonly label: (path: Path) => string;
}

/** What is known of a review besides itself. */
export interface ReviewContext extends Partial<Omit<NoteSources, 'encoding'>> {
  /** By default, an agent has no number, and a path is whole. */
  readonly names?: ReviewNames;
  /** The view's follower of the file. */
  readonly file?: Pick<FileFollower, 'relation' | 'canMarkConflicts' | 'canUndoMerge'>;
}

const plainNames: ReviewNames = { nameOf: nameOfAgent, label: (path) => path };

/** One review without its texts. The first call after a change compares the texts. */
export function summarise(review: Review, context: ReviewContext = {}): ReviewSummary {
  return {
    ...describeFacts(review, context),
    notes: describeNotes(review, context),
    hunks: review.hunks.length,
    ...review.lineCounts,
  };
}

/** All notes on a review. `writing` is by default that of its agent. */
export function describeNotes(review: Review, { writing, file, ...context }: ReviewContext = {}) {
  return notesOn(review, {
    writing: writing ?? writingOf(review.proposal.agent),
    encoding: encodingNotes,
    ...(file && { relation: file.relation }),
    ...context,
  });
}

/** The part of a summary for which no texts are compared: the answer to a decision does not depend on their size. */
function describeFacts(review: Review, context: ReviewContext = {}): ReviewFacts {
  const { isEdited, hasUsersEdits } = review;
  return {
    ...describeUnedited(review, context),
    isEdited,
    ...(isEdited && !hasUsersEdits && { isMerged: true }),
  };
}

/** The part of a summary that does not depend on the current text: cheap while the user types. */
export function describeUnedited(
  review: Review,
  { names = plainNames, notKept, file }: ReviewContext = {},
): Omit<ReviewFacts, 'isEdited'> {
  const { proposal } = review;
  const known = knownOf(proposal, review, names);
  const { agentName } = known;
  return {
    ...known,
    id: review.id,
    title: proposal.title,
    ...presentState(review, { file, agentName }),
    concerns: concernsOf(review),
    ...(proposal.writesOwnText && { writesOwnText: true }),
    notKept,
    ...(review.commentCount > 0 && { comments: review.commentCount }),
    ...(review.basis > 0 && { basis: review.basis }),
  };
}

/** What is known of a review in any state without its text. */
function knownOf(
  { agent, session, path }: Pick<SavedReview, 'agent' | 'session' | 'path'>,
  { original, openedAt }: Pick<SavedReview, 'original' | 'openedAt'>,
  { nameOf, label }: ReviewNames,
) {
  const is = { isNewFile: original.kind === 'missing', isBinary: original.kind === 'binary' };
  return { agent, agentName: nameOf(agent, session), session, path, label: label(path), openedAt, ...is };
}

/** One review with its texts. */
export function describeReview(review: Review, context: ReviewContext = {}): ReviewDetails {
  const { original, keptHunks } = review;
  return {
    ...summarise(review, context),
    commentList: [...review.comments],
    ...(original.kind === 'text' && { original: original.text }),
    proposed: review.proposed,
    content: review.content,
    hunkList: review.hunks.map((hunk, index) => ({
      original: hunk.original,
      proposed: hunk.proposed,
      isKept: keptHunks[index] ?? true,
    })),
  };
}

/** How Tandem itself writes the text of a review: in the form of the file. */
const asApplied: AgentWriting = { lineEnds: 'file', encodings: { other: 'kept' } };

/** A review in any state. */
type AnyReview = Review | InterruptedReview | HistoryEntry;

/** What views show of the reviews of a companion. */
export class ReviewPresenter {
  readonly names: ReviewNames;
  readonly #journal: Pick<JournalWriter, 'problemWith'>;

  constructor(names: ReviewNames, journal: Pick<JournalWriter, 'problemWith'>) {
    this.names = names;
    this.#journal = journal;
  }

  /** What is known of a review besides itself: its names, and why a crash would lose it. */
  contextOf(review: Review | InterruptedReview): ReviewContext {
    return { names: this.names, notKept: this.#journal.problemWith(review) };
  }

  /** What is known of a review without comparing its texts: cheap also for thousands of records. */
  facts(review: AnyReview): ReviewFacts {
    return isLive(review)
      ? describeFacts(review, this.contextOf(review))
      : describeRecord(review, this.names);
  }

  /** One review without its texts. The first call after a change compares the texts. */
  summary(review: AnyReview): ReviewSummary {
    if (isLive(review)) return summarise(review, this.contextOf(review));
    if (review.state === 'decided') return summarise(remakeReview(review), { names: this.names });
    return {
      ...summarise(remakeReview(review), this.#asApplied(review)),
      ...presentState(review, { agentName: review.agent }),
    };
  }

  /**
   * Some reviews without their texts. Comparing large or many texts takes long, so other work has its turn between two of them;
   * then `read` is called again, and what has changed meanwhile is described again.
   */
  async summaries(read: () => readonly AnyReview[]): Promise<ReviewSummary[]> {
    const known = new Map<AnyReview, { readonly stamp: string; readonly summary: ReviewSummary }>();
    await forEachWithPauses(read(), (review, pause) => {
      const describe = (): undefined => {
        known.set(review, { stamp: this.#stampOf(review), summary: this.summary(review) });
      };
      const comparing = (isLive(review) ? review : remakeReview(review)).compare(pause);
      return comparing === undefined ? describe() : comparing.then(describe);
    });
    return read().map((review) => {
      const before = known.get(review);
      return before?.stamp === this.#stampOf(review) ? before.summary : this.summary(review);
    });
  }

  /** An interrupted review with its texts. */
  interrupted(saved: InterruptedReview): ReviewDetails {
    return {
      ...describeReview(remakeReview(saved), this.#asApplied(saved)),
      ...presentState(saved, { agentName: saved.agent }),
    };
  }

  /** Changes with what is described of a review. */
  #stampOf(review: AnyReview): string {
    // A record that changes is another object.
    if (!isLive(review)) return review.state === 'decided' ? '' : `${this.contextOf(review).notKept}`;
    return `${review.version} ${review.state} ${review.commentCount} ${this.contextOf(review).notKept}`;
  }

  /** Tandem itself writes the text, in the form of the file. */
  #asApplied(saved: InterruptedReview): ReviewContext {
    return { ...this.contextOf(saved), writing: asApplied };
  }
}

/** By its shape: an editor may show a review of another copy of the class, as the contract of editors does. */
function isLive(review: AnyReview): review is Review {
  return 'proposal' in review;
}

function describeRecord(record: InterruptedReview | HistoryEntry, names: ReviewNames): ReviewFacts {
  const facts = {
    ...knownOf(record, record, names),
    concerns: concernsOf({ proposal: record, marks: record, original: record.original }),
    isEdited: isEdited(record),
  };
  const state = presentState(record, facts);
  if (record.state === 'undelivered') return { ...facts, id: record.id, ...state };
  const { id, title } = record.decided;
  return { ...facts, id, title, ...state };
}
