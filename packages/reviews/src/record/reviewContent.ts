import { countLines, type Hunk, hunksInSteps } from '../text/hunks.js';
import { KnownMerges } from '../text/knownMerges.js';
import { KnownResults } from '../text/knownResults.js';
import { type FileContent, textOf } from '../text/mergeWithFile.js';
import { placeHunks } from '../text/placeHunks.js';
import { finish, inOrder, type Pause, type Steps } from '../text/steps.js';
import type { LineCounts, Proposal, ReviewEdits } from './proposal.js';
import {
  type Basis,
  type ChangedTexts,
  changeTexts,
  contentOf,
  decideHunks,
  hunksOf,
  isSameChange,
  type ReviewChange,
  type ReviewTexts,
} from './reviewTexts.js';

/**
 * The text of a review, and what it is made of: the file, the proposal, which of its hunks are kept, and the edits by hand.
 * It knows nothing of decisions and comments.
 */
export class ReviewContent {
  readonly merges = new KnownMerges();
  readonly #changed = new KnownResults<
    { readonly from: ReviewTexts; readonly change: ReviewChange },
    ChangedTexts
  >(
    ({ from, change }) => changeTexts(from, change, this.merges),
    (one, other) => one.from === other.from && isSameChange(one.change, other.change),
  );
  readonly #counts = new KnownResults<ReviewTexts, LineCounts>(countIn, Object.is);
  readonly #places = new KnownResults<ReviewTexts, readonly number[]>(placesIn, Object.is);
  readonly #carried = new KnownResults<ReviewEdits, ReviewTexts>(
    (edits) => this.#carryOver(edits),
    Object.is,
  );
  readonly #path: string;
  readonly #first: Basis;
  /** The text, and what an earlier review carried over: to find the hunks that it dropped, the texts are compared. */
  #now: ReviewTexts | ReviewEdits;
  #allKept: { readonly of: Basis; readonly kept: readonly boolean[] } | undefined;
  #comparing: Promise<void> | undefined;

  /** `edits`: those of the user in an earlier review of the same proposal. The file may have changed since. */
  constructor({ path, content: proposed }: Proposal, original: FileContent, edits?: ReviewEdits) {
    this.#path = path;
    this.#first = { number: 0, original, proposed };
    this.#now =
      edits?.keptHunks.includes(false) === true
        ? { content: edits.content, keptHunks: edits.keptHunks }
        : finish(decideHunks(this.#first, undefined, edits?.content));
  }

  /** The file that the proposal is compared with: as it was at the start, or at the last `mergeFile`. */
  get original(): FileContent {
    return this.#basis.original;
  }

  /** The agent's proposal, with the changes that `mergeFile` merged into it since. */
  get proposed(): string {
    return this.#basis.proposed;
  }

  /** How many times the file was merged. Each time, `original`, `proposed` and `hunks` change. */
  get basis(): number {
    return this.#basis.number;
  }

  get content(): string {
    return 'basis' in this.#now ? contentOf(this.#now) : this.#now.content;
  }

  /**
   * Where the proposal differs from the file, by lines. Fixed until the file is merged; empty for binary files.
   * Computed on first access, so that the acknowledgement to the agent does not wait for it.
   */
  get hunks(): readonly Hunk[] {
    return finish(hunksOf(this.#basis));
  }

  /**
   * How many lines the current text adds to the file and removes from it; none for a binary file. The first access
   * after an edit compares the texts.
   */
  get lineCounts(): LineCounts {
    return this.#counts.get(this.#texts);
  }

  /** See `Review.compare`. Never rejects unless `pause` does. */
  compare(pause: Pause): Promise<void> | undefined {
    this.#comparing ??= this.#compare(pause)?.finally(() => {
      this.#comparing = undefined;
    });
    return this.#comparing;
  }

  /** For each hunk whether it is kept. The same array while nothing changes. */
  get keptHunks(): readonly boolean[] {
    const { kept, basis } = this.#texts;
    if (kept !== undefined) return kept;
    if (this.#allKept?.of !== basis) this.#allKept = { of: basis, kept: this.hunks.map(() => true) };
    return this.#allKept.kept;
  }

  /** Whether a hunk is dropped. */
  get hasDroppedHunks(): boolean {
    return this.#texts.kept?.includes(false) === true;
  }

  /** What an earlier review carried over, or a later one will. Compares no texts. */
  get edits(): ReviewEdits {
    if (!('basis' in this.#now)) return this.#now;
    const { kept } = this.#now;
    return { content: this.content, keptHunks: kept?.includes(false) === true ? kept : [] };
  }

  /** For each hunk its line in `content`, or the line where it was before it was dropped. */
  get hunkLines(): readonly number[] {
    return this.#places.get(this.#texts);
  }

  /** Computes `hunkLines` in short steps. */
  placeHunks(pause: Pause): Promise<void> | undefined {
    return this.#places.prepare(() => this.#texts, pause);
  }

  /** See `Review.edit`. Returns whether the text changed. */
  edit(text: string): boolean {
    return this.#change({ kind: 'edit', text }) !== undefined;
  }

  /** Keeps or drops a hunk. Throws `HunkConflictError`. Returns whether the text changed. */
  setHunk(index: number, isKept: boolean): boolean {
    return this.#change({ kind: 'hunk', index, isKept }) !== undefined;
  }

  /** See `Review.mergeFile`. Returns `undefined` if the file is the same as before. */
  mergeFile(file: FileContent, marks: boolean): number | undefined {
    return this.#change({ kind: 'file', path: this.#path, file, marks })?.conflicts;
  }

  /** Computes in short steps what a change is going to need. `settle` is called before each start, and after each pause. */
  prepare(change: ReviewChange, pause: Pause, settle: () => void): Promise<void> | undefined {
    const newest = () => {
      settle();
      return { from: this.#texts, change };
    };
    return this.#changed.prepare(newest, pause);
  }

  /** The texts may be large. */
  forget(): void {
    this.merges.forget();
    this.#changed.forget();
    this.#places.forget();
  }

  get #texts(): ReviewTexts {
    if ('basis' in this.#now) return this.#now;
    this.#now = this.#carried.get(this.#now);
    this.#carried.forget();
    return this.#now;
  }

  get #basis(): Basis {
    return 'basis' in this.#now ? this.#now.basis : this.#first;
  }

  *#carryOver({ content, keptHunks }: ReviewEdits): Steps<ReviewTexts> {
    const basis = this.#first;
    // Decisions on hunks that no longer exist are still part of the text.
    const isKnown = keptHunks.length === (yield* hunksOf(basis)).length;
    return yield* decideHunks(basis, isKnown ? [...keptHunks] : undefined, content);
  }

  /** Returns `undefined` if nothing changes. */
  #change(change: ReviewChange): { readonly conflicts: number } | undefined {
    const changed = this.#changed.get({ from: this.#texts, change });
    if ('error' in changed) throw changed.error;
    if (changed.texts === this.#texts) return undefined;
    if (changed.texts.basis !== this.#texts.basis) this.merges.forget();
    this.#now = changed.texts;
    this.#changed.forget();
    return { conflicts: changed.conflicts ?? 0 };
  }

  #compare(pause: Pause): Promise<void> | undefined {
    const edits = this.#now;
    return inOrder([
      () => ('basis' in edits ? undefined : this.#carried.prepare(() => edits, pause)),
      () => this.#counts.prepare(() => this.#texts, pause),
    ]);
  }
}

function* countIn(texts: ReviewTexts): Steps<LineCounts> {
  const { basis, kept, edited } = texts;
  const hunks = yield* hunksOf(basis);
  if (edited === undefined || basis.original.kind === 'binary')
    return countLines(hunks.filter((_, index) => kept?.[index] !== false));
  return countLines(yield* hunksInSteps(textOf(basis.original), edited));
}

function* placesIn(texts: ReviewTexts): Steps<readonly number[]> {
  const hunks = yield* hunksOf(texts.basis);
  const kept = texts.kept ?? hunks.map(() => true);
  return yield* placeHunks(hunks, kept, texts.composed, contentOf(texts));
}
