import { KnownMerges } from './knownMerges.js';
import { type FileContent, mergeWithFile, textOf } from './mergeWithFile.js';
import type { LineCounts, Proposal, ReviewEdits } from './proposal.js';
import { FileConflictError, HunkConflictError } from './reviewErrors.js';
import { conformText } from './text/conform.js';
import { droppedHunks, reapplyDropped } from './text/droppedHunks.js';
import { composeHunks, countLines, type Hunk, hunksInSteps } from './text/hunks.js';
import { mergeText } from './text/merge.js';
import { placeHunks } from './text/placeHunks.js';
import { finish, finishWithPauses, type Pause, type Steps } from './text/steps.js';

/** In proposals with more hunks, an undone decision stays an edit by hand: the search for it takes too long. */
const undoableHunks = 20;

/**
 * The text of a review, and what it is made of: the file, the proposal, which of its hunks are kept, and the edits by hand.
 * It knows nothing of decisions and comments.
 */
export class ReviewContent {
  readonly merges = new KnownMerges();
  readonly #proposal: Proposal;
  #original: FileContent;
  #proposed: string;
  #basis = 0;
  #hunks: readonly Hunk[] | undefined;
  /** For each hunk whether it is kept; `undefined` until the first hunk is dropped. */
  #kept: readonly boolean[] | undefined;
  #allKept: readonly boolean[] | undefined;
  /** The proposal without the dropped hunks. */
  #composed: string;
  /** `#composed` with the edits by hand, if there are any. */
  #edited: string | undefined;
  #counted: { readonly content: string; readonly counts: LineCounts } | undefined;
  #comparing: Promise<void> | undefined;

  /** `edits`: those of the user in an earlier review of the same proposal. The file may have changed since. */
  constructor(proposal: Proposal, original: FileContent, edits?: ReviewEdits) {
    this.#proposal = proposal;
    this.#original = original;
    this.#proposed = proposal.content;
    this.#composed = proposal.content;
    if (edits === undefined) return;
    const { content, keptHunks } = edits;
    // Decisions on hunks that no longer exist are still part of the text.
    if (keptHunks.includes(false) && keptHunks.length === this.hunks.length) {
      this.#kept = [...keptHunks];
      this.#composed = composeHunks(this.#originalText, this.#proposed, this.hunks, keptHunks);
    }
    this.#edited = content === this.#composed ? undefined : content;
  }

  /** The file that the proposal is compared with: as it was at the start, or at the last `mergeFile`. */
  get original(): FileContent {
    return this.#original;
  }

  /** The agent's proposal, with the changes that `mergeFile` merged into it since. */
  get proposed(): string {
    return this.#proposed;
  }

  /** How many times the file was merged. Each time, `original`, `proposed` and `hunks` change. */
  get basis(): number {
    return this.#basis;
  }

  get content(): string {
    return this.#edited ?? this.#composed;
  }

  /**
   * Where the proposal differs from the file, by lines. Fixed until the file is merged; empty for binary files.
   * Computed on first access, so that the acknowledgement to the agent does not wait for it.
   */
  get hunks(): readonly Hunk[] {
    this.#hunks ??= finish(this.#findHunks());
    return this.#hunks;
  }

  /**
   * How many lines the current text adds to the file and removes from it; none for a binary file. The first access
   * after an edit compares the texts.
   */
  get lineCounts(): LineCounts {
    const { content } = this;
    const counted = this.#counted?.content === content ? this.#counted : finish(this.#countLines());
    this.#counted = counted;
    return counted.counts;
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
    if (this.#kept !== undefined) return this.#kept;
    this.#allKept ??= this.hunks.map(() => true);
    return this.#allKept;
  }

  /** Whether a hunk is dropped. Compares no texts. */
  get hasDroppedHunks(): boolean {
    return this.#kept?.includes(false) === true;
  }

  /** For each hunk its line in `content`, or the line where it was before it was dropped. */
  get hunkLines(): readonly number[] {
    return placeHunks(this.hunks, this.keptHunks, this.#composed, this.content);
  }

  /** See `Review.edit`. Returns whether the text changed. */
  edit(text: string): boolean {
    // An emptied text has no line ends to follow; the proposal has.
    const model = this.#composed === '' ? this.#proposed : this.#composed;
    const edited = conformText(text, model, this.#originalText);
    if (edited === this.content) return false;
    const kept = this.#keptHunksIn(edited);
    if (kept !== undefined) {
      this.#kept = kept;
      this.#composed = edited;
    }
    this.#edited = edited === this.#composed ? undefined : edited;
    return true;
  }

  /** Keeps or drops a hunk. Throws `HunkConflictError`. Returns whether the text changed. */
  setHunk(index: number, isKept: boolean): boolean {
    if (this.keptHunks[index] === isKept) return false;
    const next = this.keptHunks.map((kept, at) => (at === index ? isKept : kept));
    const composed = composeHunks(this.#originalText, this.#proposed, this.hunks, next);
    if (this.#edited !== undefined) {
      const merged = mergeText(this.#composed, this.#edited, composed);
      if (!merged.ok) {
        throw new HunkConflictError('The change overlaps lines that you edited. Edit the text instead.');
      }
      this.#edited = merged.text === composed ? undefined : merged.text;
    }
    this.#kept = next;
    this.#composed = composed;
    return true;
  }

  /** See `Review.mergeFile`. Returns `undefined` if the file is the same as before. */
  mergeFile(file: FileContent, marksConflicts: boolean): number | undefined {
    const { content, original } = this;
    const { path } = this.#proposal;
    const base = this.#originalText;
    const merge = mergeWithFile(original, content, file, undefined, this.merges.merge);
    if (merge.kind === 'deleted') throw new FileConflictError(`${path} was deleted from disk.`);
    if (merge.kind === 'binary' || original.kind === 'binary')
      throw new FileConflictError(`${path} is not text.`);
    if (merge.kind === 'unchanged' || file.kind !== 'text') return undefined;
    if (original.kind === 'text' && file.text === base) return undefined;
    const conflicts = merge.kind === 'conflict' ? merge.conflicts : 0;
    if (conflicts > 0 && !marksConflicts) {
      const where = conflicts === 1 ? 'in one place' : `in ${conflicts} places`;
      throw new FileConflictError(`${path} and the proposal changed the same lines, ${where}.`, true);
    }
    const dropped = this.hasDroppedHunks
      ? droppedHunks(base, this.#proposed, this.hunks, this.keptHunks)
      : [];
    const isUnedited = content === this.#proposed && conflicts === 0;
    const proposed = isUnedited ? merge.text : this.merges.merge(base, this.#proposed, file.text).text;
    this.merges.forget();
    this.#proposed = proposed;
    this.#original = file;
    this.#basis += 1;
    this.#hunks = undefined;
    this.#allKept = undefined;
    this.#counted = undefined;
    const kept = dropped.length === 0 ? [] : reapplyDropped(file.text, this.#proposed, this.hunks, dropped);
    this.#kept = kept.includes(false) ? kept : undefined;
    this.#composed =
      this.#kept === undefined
        ? this.#proposed
        : composeHunks(file.text, this.#proposed, this.hunks, this.#kept);
    this.#edited = merge.text === this.#composed ? undefined : merge.text;
    return conflicts;
  }

  /**
   * Which hunks are kept in `text`, if `text` is the result of toggling hunks: an editor undoes a toggle like any other
   * change. Searches only when a hunk was dropped, and only for all kept or for one toggle.
   */
  #keptHunksIn(text: string): readonly boolean[] | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    if (text === this.#proposed) return kept.map(() => true);
    if (kept.length > undoableHunks) return undefined;
    return kept
      .map((_, index) => kept.with(index, !kept[index]))
      .find((next) => composeHunks(this.#originalText, this.#proposed, this.hunks, next) === text);
  }

  async #compare(pause: Pause): Promise<void> {
    const { basis, content } = this;
    if (this.#hunks === undefined) {
      const hunks = await finishWithPauses(this.#findHunks(), pause);
      if (basis !== this.basis) return;
      this.#hunks ??= hunks;
    }
    if (this.#counted?.content === content) return;
    const counted = await finishWithPauses(this.#countLines(), pause);
    if (basis === this.basis) this.#counted = counted;
  }

  *#findHunks(): Steps<readonly Hunk[]> {
    return this.original.kind === 'binary' ? [] : yield* hunksInSteps(this.#originalText, this.#proposed);
  }

  *#countLines(): Steps<{ readonly content: string; readonly counts: LineCounts }> {
    const { content } = this;
    const isByHand = this.#edited !== undefined && this.original.kind !== 'binary';
    const hunks = isByHand
      ? yield* hunksInSteps(this.#originalText, content)
      : this.hunks.filter((_, index) => this.#kept?.[index] !== false);
    return { content, counts: countLines(hunks) };
  }

  get #originalText(): string {
    return textOf(this.#original);
  }
}
