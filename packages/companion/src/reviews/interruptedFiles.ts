import {
  type Answer,
  askBeforeDiscarding,
  type Concern,
  concernsOf,
  encodingOf,
  type FileContent,
  type FileMerge,
  findWritingInSteps,
  finishWithPauses,
  hasComments,
  type InterruptedReview,
  inFileFormInSteps,
  isCorrection,
  isSameContent,
  isUsersWork,
  mergeWithFileInSteps,
  type Question,
  questionOn,
  type ReviewStates,
  type ReviewSurroundings,
  type SavedReview,
  type Steps,
  textOf,
  toDocumentText,
  type Writing,
} from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import type { WorkspaceFiles } from '../files/workspaceFiles.js';
import type { WorkspaceWriter } from '../files/workspaceWriter.js';
import type { History } from './history.js';

interface Services {
  readonly interrupted: ReviewStates;
  readonly files: WorkspaceFiles;
  readonly writer: WorkspaceWriter;
  readonly history: Pick<History, 'addRestoration'>;
  readonly around: Pick<ReviewSurroundings, 'marks' | 'label'>;
}

/** What came of applying an interrupted review. */
export type Applied =
  | {
      readonly kind: 'done';
      /** How many conflicts are marked in the file. */
      readonly conflicts: number;
      /** The file is deleted. */
      readonly isRemoved?: boolean;
      /** The entry of the history that undoes it, if the file was written. */
      readonly restoration?: string;
    }
  | { readonly kind: 'question'; readonly question: Question };

/** Merges interrupted reviews with their files. Rejects with `RpcError` or `DocumentError`. */
export class InterruptedFiles {
  readonly #services: Services;
  readonly #stamps = new WeakMap<InterruptedReview, { readonly stamp: string; readonly reads: number }>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Compares a review with its file as it is now. Rejects with `DocumentError` if the file cannot be read. */
  async compare(review: SavedReview): Promise<FileMerge> {
    const file = await this.#services.files.read(review.path);
    return finishWithPauses(mergeInto(file, review), pausing());
  }

  /**
   * Writes a review into its file, merged with the file's current content, and removes it, if the user confirmed what is
   * dangerous about that; otherwise resolves to the question.
   */
  async apply(id: string, { confirmed = [] }: Answer = {}): Promise<Applied> {
    const { interrupted, writer, files, history, around } = this.#services;
    const review = requireInterrupted(interrupted.all, id);
    const { path } = review;
    await writer.requireWritable(path);
    const marks = await around.marks(review);
    const before = await files.read(path);
    const isRemoved = review.isDeletion === true && review.content === '';
    const merge = await finishWithPauses(mergeInto(before, review), pausing());
    if (merge.kind === 'binary') {
      throw new RpcError('refused', `${path} is not a text file. Copy the text of review ${id} instead.`);
    }
    if (isRemoved ? before.kind === 'missing' : merge.kind === 'applied') {
      interrupted.remove(review.id);
      return { kind: 'done', conflicts: 0, isRemoved };
    }
    const question = this.#ask(
      review,
      [
        ...concernsOf({ proposal: review, marks, original: before }),
        ...(isRemoved ? concernsOnRemoval(before, review) : concernsOn(merge)),
      ],
      confirmed,
    );
    if (question !== undefined) return { kind: 'question', question };
    const encoding = encodingOf(before.kind === 'text' ? before : review.original);
    const after: FileContent = isRemoved ? { kind: 'missing' } : { kind: 'text', text: merge.text, encoding };
    await writer.write(path, { content: after, basis: before });
    interrupted.remove(review.id);
    const restoration = history.addRestoration({ entry: review, before, after });
    const conflicts = merge.kind === 'conflict' && !isRemoved ? merge.conflicts : 0;
    return { kind: 'done', conflicts, isRemoved, restoration };
  }

  /** Discards reviews. Asks first, with the answer undefined, if one has the user's work: then nothing is discarded. */
  discard(reviews: readonly InterruptedReview[], answer?: Answer): Question | undefined {
    const works = reviews.filter(isUsersWork);
    const { around, interrupted } = this.#services;
    if (works.length > 0 && answer === undefined)
      return askBeforeDiscarding(works.map(({ path }) => around.label(path)));
    for (const { id } of reviews) interrupted.remove(id);
    return undefined;
  }

  /** What the user has to confirm about the file before the text of a review is written to it or opened there. */
  async questionOn(
    review: Pick<InterruptedReview, 'path' | 'agent' | 'original'>,
    { confirmed = [] }: Answer = {},
  ): Promise<Question | undefined> {
    const { original } = review;
    const marks = await this.#services.around.marks(review);
    return this.#ask(review, concernsOf({ proposal: review, marks, original }), confirmed);
  }

  #ask(
    { path }: Pick<InterruptedReview, 'path'>,
    concerns: readonly Concern[],
    confirmed: readonly string[],
  ): Question | undefined {
    if (concerns.every(({ kind }) => confirmed.includes(kind))) return undefined;
    return questionOn('apply', this.#services.around.label(path), concerns);
  }

  /**
   * Removes reviews whose text is already in the file: decided in a terminal, written a moment before the end, or written late.
   * Of those whose agents wrote their own text, only the user's edits stay. With `onlyChanged`, reads no file again that has
   * not changed.
   */
  async sweep(
    reviews: readonly InterruptedReview[] = this.#services.interrupted.all,
    how: { readonly onlyChanged?: boolean } = {},
  ): Promise<void> {
    for (const review of reviews) {
      // Comments are nowhere else, unless the review was decided.
      if (!review.isAccepted && hasComments(review)) continue;
      if (how.onlyChanged && !(await this.#hasChanged(review))) continue;
      // A program that formats the file is expected only right after an acceptance.
      const writing = await this.findWriting(review, { mayBeFormatted: review.isAccepted === true });
      const { interrupted } = this.#services;
      if (interrupted.get(review.id) !== review) continue;
      if (writing === 'proposal' && !isCorrection(review)) interrupted.correct(review);
      // An accepted text that changes nothing looks as if it was written, but its agent may still expect the answer.
      const isOwed = review.isAccepted && !review.isAnswered && changesNothing(review);
      if (writing === 'written' && !isOwed) interrupted.remove(review.id);
    }
  }

  /** What the file of a review shows of its text; undefined if it cannot be read. Never rejects. */
  async findWriting(
    review: SavedReview,
    how?: { readonly mayBeFormatted?: boolean },
  ): Promise<Writing | undefined> {
    const file = await this.#services.files.read(review.path).catch(() => undefined);
    return file && finishWithPauses(findWritingInSteps(review, file, how), pausing());
  }

  /** A file that was written twice within milliseconds shows no second change: each state is read twice. */
  async #hasChanged(review: InterruptedReview): Promise<boolean> {
    const stamp = await this.#services.files.stamp(review.path);
    const last = this.#stamps.get(review);
    const reads = last?.stamp === stamp ? last.reads + 1 : 1;
    this.#stamps.set(review, { stamp, reads });
    return reads <= 2;
  }
}

/**
 * The text gets the line ends and the byte order mark of the file, as they were at the proposal. An agent may have written it with
 * other line ends: then it counts as applied.
 */
function* mergeInto(file: FileContent, { original, content }: SavedReview): Steps<FileMerge> {
  const model = original.kind === 'text' ? original : file;
  const text = yield* inFileFormInSteps(content, textOf(model));
  const merge = yield* mergeWithFileInSteps(original, text, file, 'your text');
  const isWritten = merge.kind === 'merged' && toDocumentText(merge.text) === toDocumentText(textOf(file));
  return isWritten ? { kind: 'applied', text: textOf(file) } : merge;
}

/** The one of these interrupted reviews with this id. Throws `RpcError` if there is none. */
export function requireInterrupted<R extends { readonly id: string }>(all: readonly R[], id: string): R {
  const review = all.find((each) => each.id === id);
  if (review !== undefined) return review;
  const known = all.map((each) => each.id).join(', ') || 'none';
  throw new RpcError('not-found', `There is no interrupted review ${id}. Interrupted: ${known}.`);
}

function changesNothing({ original, content }: SavedReview): boolean {
  return original.kind === 'text' && original.text === content;
}

function concernsOnRemoval(file: FileContent, { original }: SavedReview): Concern[] {
  if (isSameContent(file, original)) return [];
  return [{ kind: 'conflict', text: 'This file changed since the proposal. Applying deletes it.' }];
}

/** Conflicts are shown, never resolved by a guess. */
function concernsOn(merge: FileMerge): Concern[] {
  if (merge.kind === 'deleted') {
    return [{ kind: 'deleted', text: 'This file was deleted. Applying the review creates it again.' }];
  }
  if (merge.kind !== 'conflict') return [];
  const places = merge.conflicts === 1 ? 'in one place' : `in ${merge.conflicts} places`;
  const text = `This file changed on lines that this review also changes, ${places}. Applying writes both versions, with conflict markers.`;
  return [{ kind: 'conflict', text }];
}
