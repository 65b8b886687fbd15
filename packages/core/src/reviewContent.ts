import { KnownMerges } from './knownMerges.js';
import { type FileContent, textOf } from './mergeWithFile.js';
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
import { countLines, type Hunk, hunksInSteps } from './text/hunks.js';
import { KnownResults } from './text/knownResults.js';
import { placeHunks } from './text/placeHunks.js';
import { finish, type Pause, type Steps } from './text/steps.js';

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
  readonly #path: string;
  #texts: ReviewTexts;
  #allKept: { readonly of: Basis; readonly kept: readonly boolean[] } | undefined;
  #comparing: Promise<void> | undefined;

  /** `edits`: those of the user in an earlier review of the same proposal. The file may have changed since. */
  constructor({ path, content: proposed }: Proposal, original: FileContent, edits?: ReviewEdits) {
    this.#path = path;
    const basis = { number: 0, original, proposed };
    this.#texts = { basis, composed: proposed };
    if (edits === undefined) return;
    const { content, keptHunks } = edits;
    // Decisions on hunks that no longer exist are still part of the text.
    const isKnown = keptHunks.includes(false) && keptHunks.length === this.hunks.length;
    this.#texts = finish(decideHunks(basis, isKnown ? [...keptHunks] : undefined, content));
  }

  /** The file that the proposal is compared with: as it was at the start, or at the last `mergeFile`. */
  get original(): FileContent {
    return this.#texts.basis.original;
  }

  /** The agent's proposal, with the changes that `mergeFile` merged into it since. */
  get proposed(): string {
    return this.#texts.basis.proposed;
  }

  /** How many times the file was merged. Each time, `original`, `proposed` and `hunks` change. */
  get basis(): number {
    return this.#texts.basis.number;
  }

  get content(): string {
    return contentOf(this.#texts);
  }

  /**
   * Where the proposal differs from the file, by lines. Fixed until the file is merged; empty for binary files.
   * Computed on first access, so that the acknowledgement to the agent does not wait for it.
   */
  get hunks(): readonly Hunk[] {
    return finish(hunksOf(this.#texts.basis));
  }

  /**
   * How many lines the current text adds to the file and removes from it; none for a binary file. The first access
   * after an edit compares the texts.
   */
  get lineCounts(): LineCounts {
    return this.#counts.get(this.#texts);
  }

  /** See `Review.compare`. Never rejects unless `pause` does. */
  compare(pause: Pause): Promise<void> {
    this.#comparing ??= this.#compare(pause).finally(() => {
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

  /** Whether a hunk is dropped. Compares no texts. */
  get hasDroppedHunks(): boolean {
    return this.#texts.kept?.includes(false) === true;
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

  /** Returns `undefined` if nothing changes. */
  #change(change: ReviewChange): { readonly conflicts: number } | undefined {
    const changed = this.#changed.get({ from: this.#texts, change });
    if ('error' in changed) throw changed.error;
    if (changed.texts === this.#texts) return undefined;
    if (changed.texts.basis !== this.#texts.basis) this.merges.forget();
    this.#texts = changed.texts;
    this.#changed.forget();
    return { conflicts: changed.conflicts ?? 0 };
  }

  async #compare(pause: Pause): Promise<void> {
    await this.#counts.prepare(() => this.#texts, pause);
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
