import type { WrittenEdit } from '@tandem/agents';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
} from '@tandem/core';
import {
  areCommentsIn,
  encodingOf,
  type FileContent,
  type HistoryEntry,
  hasSameLines,
  isSameContent,
  marksOf,
  newReviewKey,
  type PathMarks,
  presentEntry,
  type Review,
  type ReviewRecords,
  type Reviews,
  remakeReview,
  type SavedReview,
  type SessionTurn,
  textOf,
  type UnkeptChange,
  type WorkEvidence,
} from '@tandem/reviews';
import { nameOfAgent } from '../agents/agents.js';
import { exactOf, foundBy, hasCopy, resultOf } from './entryChanges.js';
import { partOf, withoutReplaced } from './keptParts.js';

/**
 * An edit without a review; `evidence`: if no hook named its file. With `unkept`, its contents do not count, and it was made after the
 * time `since`.
 */
export type SeenEdit = WrittenEdit & {
  readonly evidence?: WorkEvidence;
  readonly unkept?: UnkeptChange;
  readonly since?: number;
};

/** How much of the history is kept. The oldest entries are dropped first. */
export interface HistoryLimits {
  readonly days: number;
  /** At least 1. */
  readonly entries: number;
}

/** The manifest of the VS Code extension repeats them; a test compares both. */
export const defaultHistoryLimits: HistoryLimits = { days: 7, entries: 1_000 };

/** Code units of all texts together. */
const maxText = 64 * 1024 * 1024;
const dayMs = 24 * 60 * 60_000;

/** The decided reviews, the restorations and the edits without a review of all sessions, the oldest first. The creator disposes it. */
export class History implements Disposable {
  readonly onDidChange: Event<void>;

  readonly #clock: Clock;
  #limits: HistoryLimits;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  readonly #records: ReviewRecords;
  readonly #turnOf: (session: string) => SessionTurn | undefined;
  /** Code units of all entries together. */
  #size = 0;
  readonly #lastNumbers = { r: 0, w: 0 };
  /** Drops the oldest entry when it is too old. */
  #expiry: Disposable | undefined;

  constructor(services: {
    readonly records: ReviewRecords;
    readonly reviews: Reviews;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly limits?: Partial<HistoryLimits> | undefined;
    /** The present turn of a session, if its hooks report turns. */
    readonly turnOf: (session: string) => SessionTurn | undefined;
  }) {
    const { records, reviews, clock, logger, limits, turnOf } = services;
    this.#records = records;
    this.#turnOf = turnOf;
    this.#clock = clock;
    this.#limits = { ...defaultHistoryLimits, ...limits };
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'the history')));
    this.onDidChange = this.#didChange.event;
    this.#owned.add(reviews.onDidDecide((review) => this.#record(review)));
  }

  get entries(): readonly HistoryEntry[] {
    return this.#records.in('decided');
  }

  /** Its decided reviews, the oldest first. */
  get decided(): readonly HistoryEntry[] {
    return this.entries.filter(({ decided: { how } }) => how === 'accepted' || how === 'rejected');
  }

  /** The decided review with this id. */
  review(id: string): Review | undefined {
    const entry = this.decided.findLast(({ decided }) => decided.id === id);
    return entry && remakeReview(entry);
  }

  /** Adds the entries of previous companions. */
  add(saved: readonly SavedReview[]): void {
    const before = this.entries;
    const known = new Set(before.map(({ key }) => key));
    const added = [...new Map(saved.map((each) => [each.key, each])).values()].flatMap(
      ({ decided, ...entry }): HistoryEntry[] =>
        decided === undefined || known.has(entry.key) ? [] : [{ ...entry, decided, state: 'decided' }],
    );
    this.#setAll(withoutReplaced([...added, ...before]));
    for (const letter of ['r', 'w'] as const) {
      const numbers = added.map(({ decided }) => Number(decided.id.split(letter)[1] ?? 0));
      this.#lastNumbers[letter] = Math.max(this.#lastNumbers[letter], ...numbers);
    }
    this.#bound();
  }

  /** Records that Tandem wrote a file, to undo changes or to apply an interrupted review. Returns the id of the entry. */
  addRestoration({
    isMixed,
    reversed,
    turn,
    entry,
    ...contents
  }: Contents & {
    readonly entry: Pick<SavedReview, 'agent' | 'session' | 'path' | 'isOutsideWorkspace'>;
    readonly isMixed?: boolean;
  } & Pick<HistoryEntry['decided'], 'reversed' | 'turn'>): string {
    const facts = { ...(isMixed && { isMixed }), ...(reversed && { reversed }), ...(turn && { turn }) };
    return this.#putContents({ ...entry, ...contents }, 'restored', facts);
  }

  /**
   * Records that an agent wrote a file without a review, unless that is what an accepted review of it was about. With `evidence`, the
   * file was seen to change: nothing is recorded if the history knows who wrote this content.
   */
  addWritten({ title, evidence, unkept, since = 0, ...of }: SeenEdit & PathMarks): void {
    const last = this.entries.findLast(({ path, decided }) => path === of.path && decided.how !== 'rejected');
    if (unkept !== undefined) {
      // The history has a copy of this change.
      if (last !== undefined && last.decided.evidence === undefined && last.decided.at >= since) return;
      const isMissing = of.after.kind === 'missing';
      const isKnown = unkept.why === 'link' || unkept.why === 'mode';
      const contents = isKnown ? of : { before: noCopy, after: isMissing ? of.after : noCopy };
      this.#putContents({ ...of, ...contents }, 'written', { title, ...(evidence && { evidence }), unkept });
      return;
    }
    let seen: Pick<HistoryEntry, 'keptAt' | 'exact'> = {};
    if (last !== undefined && last.decided.unkept === undefined) {
      const isReviewed =
        last.decided.how === 'accepted' &&
        last.session === of.session &&
        (last.decided.isRemoval === true) === (of.after.kind === 'missing') &&
        hasSameLines(last.content, textOf(of.after)) &&
        isSameContent(last.original, of.before);
      const isKnown = evidence !== undefined && isSameContent(resultOf(last, of.after), of.after);
      if (isKnown && last.exact === undefined && isSameContent(last.original, of.before))
        this.#records.put({ ...last, ...exactOf(of) });
      if (isReviewed || isKnown) return;
      // It was seen before the hook named it.
      const isSeen = evidence === undefined && last.decided.evidence !== undefined;
      if (isSeen && isSameContent(resultOf(last, of.after), of.after)) {
        if (last.replaces !== undefined) return;
        const { keptAt, exact } = last;
        seen = {
          ...(keptAt !== undefined && { keptAt }),
          ...(exact && isSameContent(foundBy(last), of.before) && { exact }),
        };
        this.#delete(last);
      }
    }
    this.#putContents(of, 'written', { title, ...(evidence && { evidence }) }, seen);
  }

  /** The user keeps edits without a review, or takes that back. */
  keep(entries: readonly HistoryEntry[], isKept: boolean): void {
    if (entries.length === 0) return;
    for (const { keptAt: _before, ...entry } of entries)
      this.#records.put({ ...entry, ...(isKept && { keptAt: this.#clock.now() }) });
    this.#didChange.fire();
  }

  /**
   * The user keeps some lines of edits of one group to one file: `kept` and `rest` are in the place of their entries. Returns the id of
   * what is kept.
   */
  keepPart(entries: readonly HistoryEntry[], kept: Contents, rest: Contents): readonly string[] {
    const last = entries.at(-1);
    if (last === undefined) return [];
    const part = (contents: Contents): HistoryEntry => partOf(entries, last, contents, this.#newId('w'));
    const parts = [{ ...part(kept), keptAt: this.#clock.now() }, part(rest)];
    this.#setAll([...this.entries.filter((entry) => !entries.includes(entry)), ...parts]);
    this.#bound();
    this.#didChange.fire();
    return parts.slice(0, 1).map(({ decided }) => decided.id);
  }

  /** The user wrote this content after the time `since`, which was taken for a change of an agent. */
  dropSeen(path: Path, text: string, since: number): void {
    const last = this.entries.findLast((entry) => entry.path === path);
    // What the user has kept lines of is known.
    if (last?.decided.evidence === undefined || last.replaces !== undefined) return;
    const isThat =
      last.decided.unkept || last.exact?.after.is !== undefined
        ? last.decided.at >= since
        : hasSameLines(last.content, text);
    if (!isThat) return;
    this.#delete(last);
    this.#didChange.fire();
  }

  /** How long changes are listed, in days. */
  get days(): number {
    return this.#limits.days;
  }

  /** The number of the last turn of a session. */
  lastTurnOf(session: string): number {
    const turns = this.entries.flatMap((entry) =>
      entry.session === session ? (entry.decided.turn ?? []) : [],
    );
    return turns.reduce((last, { number }) => Math.max(last, number), 0);
  }

  /** An agent process that reconnected continues in another session. */
  continueSession(before: string, session: string): void {
    const continued = this.#records.in('decided').filter((entry) => entry.session === before);
    for (const entry of continued) this.#records.put({ ...entry, session });
    if (continued.length > 0) this.#didChange.fire();
  }

  /** Drops at once what exceeds the new limits. */
  setLimits(limits: Partial<HistoryLimits>): void {
    this.#limits = { ...defaultHistoryLimits, ...limits };
    this.#expire();
  }

  /** Forgets everything. */
  clear(): void {
    for (const { key } of this.entries) this.#records.delete(key);
    this.#size = 0;
    this.#didChange.fire();
  }

  dispose(): void {
    this.#expiry?.dispose();
    this.#owned.dispose();
  }

  #record(review: Review): void {
    const { outcome, proposal, original, comments, marks, openedAt } = review;
    if (outcome === undefined || outcome.kind === 'withdrawn') return;
    this.#put({
      state: 'decided',
      key: newReviewKey(),
      agent: proposal.agent,
      session: proposal.session,
      path: proposal.path,
      original,
      proposed: proposal.content,
      // What the file contains from then on.
      content:
        outcome.kind === 'rejected'
          ? review.content
          : proposal.writesOwnText
            ? proposal.content
            : outcome.content,
      keptHunks: [],
      ...(proposal.isDeletion && { isDeletion: true }),
      agentChooses: proposal.agentChooses,
      ...(comments.length > 0 && { comments: [...comments] }),
      ...marks,
      openedAt,
      decided: {
        id: review.id,
        at: review.decidedAt ?? this.#clock.now(),
        how: outcome.kind,
        ...(outcome.kind === 'accepted' && review.removesFile && { isRemoval: true }),
        ...(proposal.title !== undefined && { title: proposal.title }),
        ...this.#turn(proposal.session),
      },
    });
  }

  #turn(session: string): Pick<HistoryEntry['decided'], 'turn'> {
    const turn = this.#turnOf(session);
    return turn === undefined ? {} : { turn };
  }

  #newId(letter: 'r' | 'w'): string {
    this.#lastNumbers[letter] += 1;
    return `${letter}${this.#lastNumbers[letter]}`;
  }

  /** These are all entries, in any order. */
  #setAll(entries: readonly HistoryEntry[]): void {
    const ordered = entries.toSorted(
      (one, other) => one.decided.at - other.decided.at || compareEdits(one, other),
    );
    for (const { key } of this.entries) this.#records.delete(key);
    for (const entry of ordered) this.#records.put(entry);
    this.#size = ordered.reduce((size, entry) => size + sizeOf(entry), 0);
  }

  #delete(entry: HistoryEntry): void {
    this.#records.delete(entry.key);
    this.#size -= sizeOf(entry);
  }

  #putContents(
    { before, after, ...of }: Contents & Pick<SavedReview, 'agent' | 'session' | 'path'> & PathMarks,
    how: 'restored' | 'written',
    facts: Partial<HistoryEntry['decided']>,
    seen: Pick<HistoryEntry, 'keptAt' | 'exact'> = {},
  ): string {
    const id = this.#newId(how === 'restored' ? 'r' : 'w');
    const [text, encoding] = [textOf(after), encodingOf(after)];
    const at = this.#clock.now();
    this.#put({
      state: 'decided',
      key: newReviewKey(),
      agent: of.agent,
      session: of.session,
      path: of.path,
      ...marksOf(of),
      original: before,
      proposed: text,
      content: text,
      keptHunks: [],
      ...exactOf({ before, after }),
      ...seen,
      openedAt: at,
      decided: {
        id,
        at,
        how,
        ...facts,
        ...(how === 'written' && this.#turn(of.session)),
        ...(after.kind === 'missing' && { isRemoval: true }),
        ...(encoding !== undefined && { encoding }),
      },
    });
    return id;
  }

  #put(entry: HistoryEntry): void {
    const last = this.entries.findLast(({ path }) => path === entry.path);
    // After a crash, an undelivered decision is repeated for the agent; it is recorded only once.
    if (last !== undefined && isSameDecision(last, entry)) return;
    this.#records.put(entry);
    this.#size += sizeOf(entry);
    this.#bound();
    this.#didChange.fire();
  }

  #expire(): void {
    if (this.#bound() > 0) this.#didChange.fire();
  }

  /** Drops what exceeds the limits. Returns how many entries that were. */
  #bound(): number {
    const { days, entries } = this.#limits;
    const oldest = this.#clock.now() - days * dayMs;
    const before = this.entries;
    const { length } = before;
    const kept = before.filter((entry, at) => {
      const isYoung = days > 0 && entry.decided.at >= oldest;
      const isLast = at === length - 1;
      if (isYoung && length - at <= entries && (this.#size <= maxText || isLast)) return true;
      this.#delete(entry);
      return false;
    });
    this.#expiry?.dispose();
    const [eldest] = kept;
    if (eldest !== undefined) {
      // A longer delay would overflow in a timer.
      const delay = Math.min(eldest.decided.at - oldest + 1, dayMs);
      this.#expiry = this.#clock.setTimeout(() => this.#expire(), delay);
    }
    return length - kept.length;
  }
}

/** Both parts of an edit have its time: the number orders them. Anything else of the same time stays in its order. */
function compareEdits(one: HistoryEntry, other: HistoryEntry): number {
  const areEdits = one.decided.how === 'written' && other.decided.how === 'written';
  return areEdits ? numberIn(one) - numberIn(other) : 0;
}

function numberIn({ decided }: HistoryEntry): number {
  return Number(decided.id.replace(/^\D+/, ''));
}

/** In place of contents that are not kept. An earlier version undoes nothing of it. */
const noCopy: FileContent = { kind: 'binary', size: 0 };

interface Contents {
  readonly before: FileContent;
  readonly after: FileContent;
}

/** An entry without its texts, for a contract. */
export function describeEntry(entry: HistoryEntry) {
  const { agent, session, decided, keptAt } = entry;
  const { id, how, at, evidence, turn } = decided;
  const isUncertain = evidence?.kind === 'turn';
  const shown = presentEntry({ ...decided, isKept: keptAt !== undefined }, nameOfAgent(agent));
  return {
    id,
    agent,
    session,
    how,
    at,
    ...shown,
    turn,
    ...(isUncertain && { isUncertain }),
    ...(keptAt !== undefined && { isKept: true }),
    ...(!hasCopy(entry) && { isUnkept: true }),
  };
}

function isSameDecision(one: HistoryEntry, other: HistoryEntry): boolean {
  if (other.decided.unkept !== undefined) return false;
  const isSame =
    one.agent === other.agent &&
    one.decided.how === other.decided.how &&
    one.decided.isRemoval === other.decided.isRemoval;
  const isSameExact = JSON.stringify(one.exact) === JSON.stringify(other.exact);
  const isSameText =
    isSameExact && one.content === other.content && isSameContent(one.original, other.original);
  return isSame && isSameText && areCommentsIn(other.comments, one.comments ?? []);
}

function sizeOf({ original, proposed, content, comments }: HistoryEntry): number {
  const before = textOf(original).length;
  const written = (comments ?? []).reduce((size, { quote, text }) => size + quote.length + text.length, 0);
  return before + proposed.length + (content === proposed ? 0 : content.length) + written;
}
