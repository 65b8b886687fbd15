import { Emitter, type Event, type Logger, logListenerError } from '@tandem/core';
import { inFileForm, toDocumentText } from '../text/documentText.js';
import { encodingOf, textOf } from '../text/mergeWithFile.js';
import { isSameProposal, type Proposal } from './proposal.js';
import type { Review } from './review.js';
import { isEdited, type SavedDecision, type SavedReview, saveReview } from './savedReview.js';

/** What a review is, in every state in which the journal has it: plain data. */
export type ReviewRecord = PendingRecord | InterruptedReview | AcceptedRecord | RejectedRecord | HistoryEntry;

/** The user decides it. */
interface PendingRecord extends SavedReview {
  readonly state: 'pending';
}

/** What is known of a review whose agent expects no answer any more. */
export type Interruption = 'accepted, but not written' | 'written without your edits';

/** A review whose agent stopped waiting; the user can apply or discard it. */
export interface InterruptedReview extends SavedReview {
  readonly state: 'undelivered';
  /** The number that the review has had since its proposal. */
  readonly id: string;
  readonly interruptedAt: number;
  /** It was pending when the previous companion ended, and the user has not been notified of it. */
  readonly isNew: boolean;
  /** What is known besides that its agent expects no answer. */
  readonly interruption?: Interruption | undefined;
}

/** The user accepted it a moment ago, and its agent may not have written the text. */
interface AcceptedRecord extends SavedReview {
  readonly state: 'accepted';
}

/** Its agent may not have received the rejection. */
interface RejectedRecord extends SavedReview {
  readonly state: 'rejected';
  /** A previous companion left it. */
  readonly isLeft: boolean;
}

/** A decided review, or a restoration, with its texts: an entry of the history. */
export interface HistoryEntry extends SavedReview {
  readonly state: 'decided';
  readonly decided: SavedDecision;
}

type RecordState = ReviewRecord['state'];
type RecordIn<S extends RecordState> = Extract<ReviewRecord, { readonly state: S }>;

/** The records in each state, by key. */
type RecordMaps = { readonly [S in RecordState]: Map<string, RecordIn<S>> };

/**
 * All reviews that a crash must not lose, each once, by its key. A pending one is in `Reviews`, which computes its text; see
 * `pendingRecord`. The others are only here.
 */
export class ReviewRecords {
  /** The record with this key was added, replaced or deleted. */
  readonly onDidChange: Event<string>;

  readonly #didChange: Emitter<string>;
  readonly #states = new Map<string, RecordState>();
  readonly #records: RecordMaps = {
    pending: new Map(),
    undelivered: new Map(),
    accepted: new Map(),
    rejected: new Map(),
    decided: new Map(),
  };
  /** The keys of the undelivered ones, by their numbers. */
  readonly #undelivered = new Map<string, string>();

  constructor(services: { readonly logger: Logger }) {
    this.#didChange = new Emitter(logListenerError(services.logger, 'the records of reviews'));
    this.onDidChange = this.#didChange.event;
  }

  get keys(): Iterable<string> {
    return this.#states.keys();
  }

  get(key: string): ReviewRecord | undefined {
    const state = this.#states.get(key);
    return state && this.#records[state].get(key);
  }

  /** The undelivered review with this number. */
  undelivered(number: string): InterruptedReview | undefined {
    return this.#records.undelivered.get(this.#undelivered.get(number) ?? '');
  }

  /** The records in a state, the first that had it first. */
  in<S extends RecordState>(state: S): readonly RecordIn<S>[] {
    return [...this.#records[state].values()];
  }

  /** Adds a record, or replaces the one with its key. */
  put(record: ReviewRecord): void {
    const { key, state } = record;
    if (this.#states.get(key) !== state) this.#remove(key);
    this.#states.set(key, state);
    setIn(this.#records, state, record);
    if (record.state === 'undelivered') this.#undelivered.set(record.id, key);
    this.#didChange.fire(key);
  }

  delete(key: string): boolean {
    if (!this.#remove(key)) return false;
    this.#didChange.fire(key);
    return true;
  }

  #remove(key: string): boolean {
    const record = this.get(key);
    if (record === undefined) return false;
    this.#states.delete(key);
    this.#records[record.state].delete(key);
    if (record.state === 'undelivered') this.#undelivered.delete(record.id);
    return true;
  }
}

function setIn<S extends RecordState>(records: RecordMaps, state: S, record: RecordIn<S>): void {
  records[state].set(record.key, record);
}

/** A pending review as it is now. */
export function pendingRecord(review: Review): ReviewRecord {
  return { ...saveReview(review), state: 'pending' };
}

/** A record without what only this companion knows. */
export function savedOf(record: ReviewRecord): SavedReview {
  type Own = Pick<InterruptedReview, 'id' | 'isNew' | 'interruption'> & Pick<RejectedRecord, 'isLeft'>;
  const all: SavedReview & Partial<Own> & Pick<ReviewRecord, 'state'> = record;
  const { state: _state, id: _id, isNew: _isNew, interruption: _known, isLeft: _isLeft, ...saved } = all;
  return saved;
}

/**
 * Whether a decision on this proposal invalidates the decision on an earlier review: the same was proposed again, or
 * the same session continues with the file.
 */
export function isSuperseded(
  earlier: Pick<SavedReview, 'agent' | 'session' | 'path' | 'proposed'>,
  { agent, session, path, content }: Proposal,
): boolean {
  const isSameFile = earlier.agent === agent && earlier.path === path;
  return isSameFile && (earlier.session === session || earlier.proposed === content);
}

/** Whether a decision on this proposal invalidates an earlier acceptance: the user's edits of another proposal are kept. */
export function isInvalidated(
  earlier: Parameters<typeof isSuperseded>[0] & Pick<SavedReview, 'content'>,
  proposal: Proposal,
): boolean {
  return isSuperseded(earlier, proposal) && (earlier.proposed === proposal.content || !isEdited(earlier));
}

/** The user's edits to a proposal that the agent has written without them: from now on, changes to that text. */
export function correctionOf(review: ReviewRecord): SavedReview {
  const { isAccepted: _accepted, isAnswered: _told, isDeletion: _deleted, ...saved } = savedOf(review);
  const text = inFileForm(review.proposed, textOf(review.original));
  return { ...saved, original: { kind: 'text', text, encoding: encodingOf(review.original) }, keptHunks: [] };
}

/** Whether the agent has written its own text, and only the user's edits are missing. */
export function isCorrection({ original, proposed }: SavedReview): boolean {
  return original.kind === 'text' && toDocumentText(original.text) === toDocumentText(proposed);
}

export function interruptionOf(saved: SavedReview): InterruptedReview['interruption'] {
  if (saved.isAccepted) return 'accepted, but not written';
  return isCorrection(saved) ? 'written without your edits' : undefined;
}

/** Whether it was for exactly this proposal. */
export function isFor({ agent, path, proposed, isDeletion }: SavedReview, proposal: Proposal): boolean {
  const isSameFile = agent === proposal.agent && path === proposal.path;
  return isSameFile && isSameProposal({ content: proposed, isDeletion }, proposal);
}
