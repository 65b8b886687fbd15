import type { Clock } from './clock.js';
import { type Disposable, toDisposable } from './disposable.js';
import { Emitter, type Event } from './event.js';
import { type Logger, logListenerError } from './logger.js';
import { type FileContent, mergeWithFile } from './mergeWithFile.js';
import type { Path } from './position.js';
import { conformText } from './text/conform.js';
import { composeHunks, computeHunks, type Hunk } from './text/hunks.js';
import { droppedHunks, keptAgain } from './text/keptAgain.js';
import { mergeText } from './text/merge.js';
import { placeHunks } from './text/placeHunks.js';

/** A change to one file as an agent asks for it. */
export interface Proposal {
  /** Absolute path of the file, which may not exist yet. Kept as the agent spelled it: answers echo it. */
  readonly path: Path;
  /** The whole new text. Kept to the last code unit. */
  readonly content: string;
  /** Identifier of the agent, such as `claude`. */
  readonly agent: string;
  /** Identifier of the session that asks, and that alone is answered. */
  readonly session: string;
  /** What the agent calls the change, where its protocol gives it a name. It may claim anything. */
  readonly title?: string;
  /**
   * Set when the agent cannot take an empty text as an answer and would write its own proposal instead: then a
   * proposal that a person emptied cannot be accepted.
   */
  readonly cannotAnswerEmpty?: boolean;
  /** Set when the agent restores the file's line ends itself, so that other ends in the proposal mean nothing. */
  readonly restoresLineEnds?: boolean;
}

/** Why a review ended without a decision of the person in this editor. */
export type WithdrawReason =
  | 'replaced' // The same session proposed another change to the same file.
  | 'agent' // The agent took it back: decided in its terminal, or cancelled.
  | 'disconnected' // The session went away.
  | 'not-shown' // The editor could not show it.
  | 'stopped'; // The companion stops.

/** What a person made of a proposal: the text as it stands, and of each hunk whether it is kept. */
export interface ReviewEdits {
  readonly content: string;
  readonly keptHunks: readonly boolean[];
}

/** The same in a review that was interrupted, and how it was decided if its agent may not have heard of that. */
export interface InterruptedEdits extends ReviewEdits {
  readonly decision?: 'accepted' | 'rejected';
}

/** How a review ended. `content` of an accepted one is exactly what the agent is told to write. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly content: string; readonly isEdited: boolean }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'withdrawn'; readonly reason: WithdrawReason };

export type ReviewState = 'pending' | Outcome['kind'];

/** Somebody tried to change or decide a review that is already decided. */
export class ReviewDecidedError extends Error {
  override readonly name = 'ReviewDecidedError';
}

/** A hunk cannot be toggled because the person has edited the same lines by hand. */
export class HunkConflictError extends Error {
  override readonly name = 'HunkConflictError';
}

/** The changes of a file cannot be taken into its review. */
export class FileConflictError extends Error {
  override readonly name = 'FileConflictError';

  constructor(
    message: string,
    /** Both changed the same lines, and `marksConflicts` takes both in. */
    readonly canBeMarked = false,
  ) {
    super(message);
  }
}

/** The agent would not take this answer as it is meant. */
export class UnanswerableError extends Error {
  override readonly name = 'UnanswerableError';
}

/** Why the file of a proposal wants a second look. It is allowed, and every view shows it. */
export interface PathMarks {
  /** The file lies in none of the workspace folders. */
  readonly isOutsideWorkspace: boolean;
  /** It lies in a `.git` folder, or is one: Git runs programs that such files name. */
  readonly isInGitFolder?: boolean | undefined;
  /** Why it is held back from the agent that proposes, in words for the user. */
  readonly heldBack?: string | undefined;
}

/** The marks of whatever carries them, and nothing else of it. */
export function marksOf({ isOutsideWorkspace, isInGitFolder, heldBack }: PathMarks): PathMarks {
  return {
    isOutsideWorkspace,
    ...(isInGitFolder && { isInGitFolder }),
    ...(heldBack !== undefined && { heldBack }),
  };
}

/** Lines that a text has and its file does not, and the other way round. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** In proposals of more hunks an undone decision on one of them stays an edit by hand: to look for it takes too long. */
const undoableHunks = 20;

/**
 * A change that an agent proposes to one file and a person decides on. It is pending, then accepted, rejected
 * or withdrawn, exactly once: whoever comes second is told so. It never writes the file; the agent does.
 */
export class Review {
  readonly id: string;
  readonly proposal: Proposal;
  readonly marks: PathMarks;
  /** Unix time in milliseconds. */
  readonly openedAt: number;
  /** The content or a kept hunk changed. */
  readonly onDidChange: Event<void>;
  /** The review ended. Fires exactly once. */
  readonly onDidDecide: Event<Outcome>;

  readonly #didChange: Emitter<void>;
  readonly #didDecide: Emitter<Outcome>;
  readonly #clock: Clock;
  #original: FileContent;
  #proposed: string;
  #basis = 0;
  #hunks: readonly Hunk[] | undefined;
  /** For each hunk whether it is kept; `undefined` while nobody has dropped one. */
  #kept: readonly boolean[] | undefined;
  /** The proposal without the dropped hunks. */
  #composed: string;
  /** What the person made of that by hand. */
  #edited: string | undefined;
  /** An edit that nobody has looked at yet. */
  #typed: (() => string) | undefined;
  /** An edit that its editor is about to bring, for the case that the review ends before. */
  #unfinished: (() => string) | undefined;
  #counted: { readonly content: string; readonly counts: LineCounts } | undefined;
  #outcome: Outcome | undefined;
  #decidedAt: number | undefined;

  constructor(
    options: {
      readonly id: string;
      readonly proposal: Proposal;
      readonly original: FileContent;
      /** What a person had made of an earlier review of the same proposal, which this one takes along. */
      readonly edits?: ReviewEdits;
    } & PathMarks,
    services: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.id = options.id;
    this.proposal = options.proposal;
    this.#original = options.original;
    this.#proposed = options.proposal.content;
    this.marks = marksOf(options);
    this.#clock = services.clock;
    this.openedAt = services.clock.now();
    this.#composed = options.proposal.content;
    if (options.edits !== undefined) this.#takeAlong(options.edits);
    this.#didChange = new Emitter(logListenerError(services.logger, 'a review'));
    this.#didDecide = new Emitter(logListenerError(services.logger, 'a review'));
    this.onDidChange = this.#didChange.event;
    this.onDidDecide = this.#didDecide.event;
  }

  get state(): ReviewState {
    return this.#outcome?.kind ?? 'pending';
  }

  /** How it ended, once it has. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** When it ended: Unix time in milliseconds. */
  get decidedAt(): number | undefined {
    return this.#decidedAt;
  }

  /** The file that the proposal is compared with: as it was then, or as it was taken in last. */
  get original(): FileContent {
    return this.#original;
  }

  /** What the agent proposed, with what was taken in from the file since. */
  get proposed(): string {
    return this.#proposed;
  }

  /** How often the file was taken in: with each, `original`, `proposed` and `hunks` are others. */
  get basis(): number {
    return this.#basis;
  }

  /**
   * Where the proposal differs from the file, linewise. Fixed until the file is taken in; empty for binary files. Found
   * when somebody looks: the agent's acknowledgement does not wait for it.
   */
  get hunks(): readonly Hunk[] {
    this.#hunks ??= this.original.kind === 'binary' ? [] : computeHunks(this.#originalText(), this.#proposed);
    return this.#hunks;
  }

  /**
   * How many lines the text as it stands adds to the file and removes from it; none for a binary file. Compares the texts
   * when it is read for the first time after an edit.
   */
  get lineCounts(): LineCounts {
    const { content } = this;
    if (this.#counted?.content !== content) this.#counted = { content, counts: this.#countLines(content) };
    return this.#counted.counts;
  }

  /** For each hunk whether it is kept. */
  get keptHunks(): readonly boolean[] {
    return this.#kept ?? this.hunks.map(() => true);
  }

  /** For each hunk the line of `content` at which it stands, or stood before it was dropped. */
  get hunkLines(): readonly number[] {
    return placeHunks(this.hunks, this.keptHunks, this.#composed, this.content);
  }

  /** The text as it stands: what accepting answers now. Survives every way to end. */
  get content(): string {
    this.#takeTyped();
    return this.#edited ?? this.#composed;
  }

  /** Whether the text differs from what was proposed. */
  get isEdited(): boolean {
    return this.content !== this.proposal.content;
  }

  /**
   * Replaces the text by what the person made of it. Editors normalise line ends; the proposal's ends, BOM and
   * final newline are put back, and so are the ends of lines that a dropped hunk brought back from the file.
   */
  edit(text: string): void {
    this.#requirePending('edited');
    this.#typed = undefined;
    this.#unfinished = undefined;
    // An emptied text has no ends to follow; the proposal has.
    const model = this.#composed === '' ? this.#proposed : this.#composed;
    const edited = conformText(text, model, this.#originalText());
    if (edited === this.content) return;
    const kept = this.#keptHunksIn(edited);
    if (kept !== undefined) {
      this.#kept = kept;
      this.#composed = edited;
    }
    this.#edited = edited === this.#composed ? undefined : edited;
    this.#didChange.fire();
  }

  /**
   * The same as `edit`, with a text that is taken when somebody looks, at the latest when the review ends: an editor
   * tells of every key so, also in a text that takes long to compare. The last one holds.
   */
  editSoon(text: () => string): void {
    this.#requirePending('edited');
    this.#typed = text;
  }

  /**
   * What somebody is in the middle of typing, for an editor that calls `edit` when they pause. Nobody sees it before;
   * a review that ends meanwhile, accepted or not, takes it along. `undefined` takes it back.
   */
  editUnfinished(text: (() => string) | undefined): void {
    this.#requirePending('edited');
    this.#unfinished = text;
  }

  /** Takes the proposed lines of one hunk. Throws `HunkConflictError` when the person edited those lines. */
  keepHunk(index: number): void {
    this.#setHunk(index, true);
  }

  /** Takes the file's own lines of one hunk. Throws `HunkConflictError` when the person edited those lines. */
  dropHunk(index: number): void {
    this.#setHunk(index, false);
  }

  /**
   * Takes into the text what changed in the file since it was proposed to. From now on the review is one between the
   * file as it is and the proposal with its changes. Returns how many conflicts are marked in the text. Throws
   * `FileConflictError`, and has then changed nothing, where the file is no text any more; where both changed the same
   * lines, unless `marksConflicts`; and `ReviewDecidedError`.
   */
  takeFileIn(file: FileContent, how: { readonly marksConflicts?: boolean } = {}): number {
    this.#requirePending('changed');
    this.#takeUnfinished();
    const { content, original, proposal } = this;
    const base = this.#originalText();
    const merge = mergeWithFile(original, content, file);
    if (merge.kind === 'deleted') throw new FileConflictError(`${proposal.path} was deleted.`);
    if (merge.kind === 'binary' || original.kind === 'binary')
      throw new FileConflictError(`${proposal.path} is not text.`);
    if (merge.kind === 'unchanged' || file.kind !== 'text') return 0;
    if (original.kind === 'text' && file.text === base) return 0;
    const conflicts = merge.kind === 'conflict' ? merge.conflicts : 0;
    if (conflicts > 0 && how.marksConflicts !== true) {
      const places = conflicts === 1 ? 'in one place' : `in ${conflicts} places`;
      throw new FileConflictError(
        `${proposal.path} and the proposal changed the same lines, ${places}.`,
        true,
      );
    }
    const dropped = droppedHunks(base, this.#proposed, this.hunks, this.#kept ?? []);
    this.#original = file;
    this.#basis += 1;
    this.#proposed = mergeText(base, this.#proposed, file.text).text;
    this.#hunks = undefined;
    this.#counted = undefined;
    const kept = keptAgain(file.text, this.#proposed, this.hunks, dropped);
    this.#kept = kept.includes(false) ? kept : undefined;
    this.#composed = composeHunks(file.text, this.#proposed, this.hunks, kept);
    this.#edited = merge.text === this.#composed ? undefined : merge.text;
    this.#didChange.fire();
    return conflicts;
  }

  /**
   * Accepts the text as it stands, or `content` when given. Returns `false` when the review had already ended,
   * and throws `UnanswerableError` when the agent could not take the answer; the review is then still pending
   * and holds `content`.
   */
  accept(content?: string): boolean {
    if (this.#outcome !== undefined) return false;
    if (content !== undefined) this.edit(content);
    this.#takeUnfinished();
    const answer = this.content;
    if (answer === '' && this.proposal.content !== '' && this.proposal.cannotAnswerEmpty) {
      throw new UnanswerableError(
        `An empty text cannot be accepted: ${this.proposal.agent} would write its own proposal instead. ` +
          'Leave at least one line, or reject the review and empty the file yourself.',
      );
    }
    return this.#end({ kind: 'accepted', content: answer, isEdited: this.isEdited });
  }

  /** Rejects the change. Returns `false` when the review had already ended. */
  reject(): boolean {
    return this.#end({ kind: 'rejected' });
  }

  /** Ends the review without a decision. The text stays readable. Returns `false` when it had already ended. */
  withdraw(reason: WithdrawReason): boolean {
    return this.#end({ kind: 'withdrawn', reason });
  }

  /** The file may have changed since: decisions on hunks that there are no longer are in the text all the same. */
  #takeAlong({ content, keptHunks }: ReviewEdits): void {
    if (keptHunks.includes(false) && keptHunks.length === this.hunks.length) {
      this.#kept = [...keptHunks];
      this.#composed = composeHunks(this.#originalText(), this.#proposed, this.hunks, keptHunks);
    }
    this.#edited = content === this.#composed ? undefined : content;
  }

  #setHunk(index: number, isKept: boolean): void {
    this.#requirePending('changed');
    this.#takeTyped();
    if (this.keptHunks[index] === undefined) {
      throw new RangeError(`Review ${this.id} has no hunk ${index + 1}. ${validHunks(this.hunks.length)}`);
    }
    if (this.keptHunks[index] === isKept) return;
    const next = this.keptHunks.map((kept, at) => (at === index ? isKept : kept));
    const composed = composeHunks(this.#originalText(), this.#proposed, this.hunks, next);
    if (this.#edited !== undefined) {
      const merged = mergeText(this.#composed, this.#edited, composed);
      if (!merged.ok) {
        throw new HunkConflictError(
          `Hunk ${index + 1} overlaps lines that you edited. Edit the text instead.`,
        );
      }
      this.#edited = merged.text === composed ? undefined : merged.text;
    }
    this.#kept = next;
    this.#composed = composed;
    this.#didChange.fire();
  }

  /**
   * Which hunks are kept in a text that is what somebody gets who drops or keeps hunks: an editor undoes that like any
   * other change. Looked for only where a hunk was dropped, and one step away.
   */
  #keptHunksIn(text: string): readonly boolean[] | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    if (text === this.#proposed) return kept.map(() => true);
    if (kept.length > undoableHunks) return undefined;
    return kept
      .map((_, index) => kept.with(index, !kept[index]))
      .find((next) => composeHunks(this.#originalText(), this.#proposed, this.hunks, next) === text);
  }

  #countLines(content: string): LineCounts {
    const isByHand = this.#edited !== undefined && this.original.kind !== 'binary';
    const hunks = isByHand
      ? computeHunks(this.#originalText(), content)
      : this.hunks.filter((_, index) => this.#kept?.[index] !== false);
    return {
      added: hunks.reduce((sum, { proposed }) => sum + proposed.count, 0),
      removed: hunks.reduce((sum, { original }) => sum + original.count, 0),
    };
  }

  #takeTyped(): void {
    if (this.#typed !== undefined) this.edit(this.#typed());
  }

  #takeUnfinished(): void {
    if (this.#unfinished !== undefined) this.edit(this.#unfinished());
  }

  #originalText(): string {
    return this.original.kind === 'text' ? this.original.text : '';
  }

  #requirePending(what: string): void {
    if (this.#outcome === undefined) return;
    throw new ReviewDecidedError(`Review ${this.id} is already ${this.#outcome.kind} and cannot be ${what}.`);
  }

  #end(outcome: Outcome): boolean {
    if (this.#outcome !== undefined) return false;
    this.#takeTyped();
    this.#takeUnfinished();
    // Whoever heard of that may have ended it.
    if (this.#outcome !== undefined) return false;
    this.#typed = undefined;
    this.#unfinished = undefined;
    this.#outcome = outcome;
    this.#decidedAt = this.#clock.now();
    this.#didDecide.fire(outcome);
    this.#didDecide.dispose();
    this.#didChange.dispose();
    return true;
  }
}

/** Calls `listener` when the review ends, or at once when it already has. Disposing stops waiting. */
export function onceDecided(review: Review, listener: (outcome: Outcome) => void): Disposable {
  if (review.outcome === undefined) return review.onDidDecide(listener);
  listener(review.outcome);
  return toDisposable(() => {});
}

function validHunks(count: number): string {
  if (count === 0) return 'It has none: decide the review as a whole.';
  return count === 1 ? 'It has only hunk 1.' : `Valid numbers are 1 to ${count}.`;
}
