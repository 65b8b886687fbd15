import { shorten } from '@tandem/core';
import { KnownResults } from '../text/knownResults.js';
import { type LineChange, lineChangesInSteps } from '../text/lineChanges.js';
import { countLinesIn, linesOf, linesOfInSteps } from '../text/lines.js';
import { type FileContent, textOf } from '../text/mergeWithFile.js';
import { finish, inOrder, type Pause, type Steps } from '../text/steps.js';

/** Of one review. Each limit is far above what a user writes, and an agent reads. */
const maxComments = 100;
const maxLength = 5_000;
/** A longer quote is cut. */
const maxQuotedLines = 40;
const maxQuotedLength = 2_000;

/** Lines of a text, 0-based and inclusive. */
export interface CommentLines {
  readonly first: number;
  readonly last: number;
}

/** What a user wrote on some lines of a review, or on the whole proposal. */
export interface ReviewComment {
  /** Unique in its review. */
  readonly id: string;
  /** `proposal`: `lines` are those of the current text; `file`: those of the original. */
  readonly side: 'proposal' | 'file';
  /** The lines as they are now: they follow edits of the text. Absent for a comment on the whole proposal. */
  readonly lines?: CommentLines | undefined;
  /** The lines as they were when the comment was made, joined by `\n`; a long quote is cut. */
  readonly quote: string;
  readonly text: string;
}

/** A new comment; by default on the whole proposal. */
export interface NewComment {
  readonly text: string;
  readonly side?: ReviewComment['side'] | undefined;
  readonly lines?: CommentLines | undefined;
}

/** The two texts of a review that comments refer to. */
export interface CommentedTexts {
  readonly content: string;
  readonly original: FileContent;
}

/** Comments with the texts that they refer to: a review, pending, ended or stored. */
export interface CommentsOf extends CommentedTexts {
  readonly comments?: readonly ReviewComment[] | undefined;
}

/** A comment cannot be added or changed. The message is for the user. */
export class CommentError extends Error {
  override readonly name = 'CommentError';
}

/** The comments of one review. */
export class ReviewComments {
  #all: readonly ReviewComment[] = [];
  #texts: CommentedTexts;
  readonly #moved = new KnownResults<Moving, readonly ReviewComment[]>(
    ({ comments, from, to }) => moveInSteps(comments, from, to),
    (one, other) =>
      one.comments === other.comments && isSameTexts(one.from, other.from) && isSameTexts(one.to, other.to),
  );
  #lastId = 0;

  constructor(texts: CommentedTexts) {
    this.#texts = texts;
  }

  get count(): number {
    return this.#all.length;
  }

  /** The same array while nothing changes. Their lines are those of `texts`. */
  in(texts: CommentedTexts): readonly ReviewComment[] {
    const from = this.#texts;
    if (isSameTexts(from, texts)) return this.#all;
    this.#texts = texts;
    if (this.#all.length > 0) this.#all = this.#moved.get({ comments: this.#all, from, to: texts });
    this.#moved.forget();
    return this.#all;
  }

  /** Does in short steps what `in` does. */
  move(newest: () => CommentedTexts, pause: Pause): Promise<void> | undefined {
    if (this.#all.length === 0 || isSameTexts(this.#texts, newest())) return undefined;
    return inOrder([
      () => this.#moved.prepare(() => ({ comments: this.#all, from: this.#texts, to: newest() }), pause),
      () => void this.in(newest()),
    ]);
  }

  /** Throws `CommentError`. */
  add({ text, side = 'proposal', lines }: NewComment, texts: CommentedTexts): ReviewComment {
    if (this.#all.length >= maxComments) {
      throw new CommentError(`A review has ${maxComments} comments at most. Remove one first.`);
    }
    const quote = lines === undefined ? '' : quoteOf(textOn(side, texts), lines);
    const comment = {
      id: String(this.#lastId + 1),
      side,
      ...(lines && { lines: { ...lines } }),
      quote,
      text: requireText(text),
    };
    this.#all = [...this.in(texts), comment];
    this.#lastId += 1;
    return comment;
  }

  /** Throws `CommentError`. */
  edit(id: string, text: string): ReviewComment {
    const edited = { ...this.#require(id), text: requireText(text) };
    this.#all = this.#all.map((each) => (each.id === id ? edited : each));
    return edited;
  }

  /** Throws `CommentError`. */
  remove(id: string): void {
    const removed = this.#require(id);
    this.#all = this.#all.filter((each) => each !== removed);
  }

  /** Takes over the comments of earlier reviews, except those that it has. */
  takeOver(earlier: Iterable<CommentsOf>, texts: CommentedTexts): void {
    for (const before of earlier) {
      for (const comment of moveComments(before.comments ?? [], before, texts)) {
        if (this.#all.some((each) => isSame(each, comment))) continue;
        const isTaken = this.#all.some(({ id }) => id === comment.id);
        const id = isTaken ? String(this.#lastId + 1) : comment.id;
        this.#lastId = Math.max(this.#lastId, Number(id) || 0);
        this.#all = [...this.in(texts), { ...comment, id }];
      }
    }
  }

  #require(id: string): ReviewComment {
    const found = this.#all.find((each) => each.id === id);
    if (found !== undefined) return found;
    const known = this.#all.map((each) => each.id).join(', ') || 'none';
    throw new CommentError(`There is no comment ${id}. Comments: ${known}.`);
  }
}

/** Whether every comment of an earlier review is in a later one, perhaps on other lines. */
export function areCommentsIn(
  earlier: readonly ReviewComment[] | undefined,
  later: readonly ReviewComment[],
): boolean {
  return (earlier ?? []).every((comment) => later.some((each) => isSame(each, comment)));
}

/** Follows comments from some texts to others. Where their lines are gone, they stay at the nearest line. */
export function moveComments(
  comments: readonly ReviewComment[],
  from: CommentedTexts,
  to: CommentedTexts,
): readonly ReviewComment[] {
  return finish(moveInSteps(comments, from, to));
}

/** `moveComments`, with other work between its steps. */
function* moveInSteps(
  comments: readonly ReviewComment[],
  from: CommentedTexts,
  to: CommentedTexts,
): Steps<readonly ReviewComment[]> {
  const moves = new Map<string, (line: number) => number>();
  for (const { side, lines } of comments) {
    if (lines !== undefined && !moves.has(side))
      moves.set(side, yield* moveOf(textOn(side, from), textOn(side, to)));
  }
  return comments.map((comment) => {
    const { lines, side } = comment;
    const move = moves.get(side);
    if (lines === undefined || move === undefined) return comment;
    const first = move(lines.first);
    const last = Math.max(first, move(lines.last));
    return first === lines.first && last === lines.last ? comment : { ...comment, lines: { first, last } };
  });
}

interface Moving {
  readonly comments: readonly ReviewComment[];
  readonly from: CommentedTexts;
  readonly to: CommentedTexts;
}

function isSameTexts(one: CommentedTexts, other: CommentedTexts): boolean {
  return one.content === other.content && one.original === other.original;
}

/** Where each line of a text is in another one. */
function* moveOf(from: string, to: string): Steps<(line: number) => number> {
  const changes =
    from === to ? [] : yield* lineChangesInSteps(yield* linesOfInSteps(from), yield* linesOfInSteps(to));
  const last = countLinesIn(to) - 1;
  return (line) => Math.max(0, Math.min(moveLine(line, changes), last));
}

function moveLine(line: number, changes: readonly LineChange[]): number {
  const before = changes.findLast(({ from }) => from.start <= line);
  if (before === undefined) return line;
  const { from, to } = before;
  const inside = line - from.start;
  if (inside < from.count) return to.start + Math.max(0, Math.min(inside, to.count - 1));
  return line - from.start - from.count + to.start + to.count;
}

function textOn(side: ReviewComment['side'], { content, original }: CommentedTexts): string {
  return side === 'proposal' ? content : textOf(original);
}

function quoteOf(text: string, { first, last }: CommentLines): string {
  const lines = linesOf(text);
  if (first < 0 || last < first || last >= lines.length) {
    const valid = lines.length === 0 ? 'The text has no lines' : `Valid lines are 1 to ${lines.length}`;
    throw new CommentError(`There are no lines ${first + 1} to ${last + 1}. ${valid}.`);
  }
  const quoted = lines.slice(first, last + 1).map((line) => line.text);
  const shown = quoted.length > maxQuotedLines ? [...quoted.slice(0, maxQuotedLines), '…'] : quoted;
  return shorten(shown.join('\n'), maxQuotedLength);
}

function requireText(text: string): string {
  const comment = text.trim();
  if (comment === '') throw new CommentError('A comment cannot be empty.');
  if (comment.length <= maxLength) return comment;
  throw new CommentError(`A comment has ${maxLength} characters at most; this one has ${comment.length}.`);
}

function isSame(one: ReviewComment, other: ReviewComment): boolean {
  return one.text === other.text && one.quote === other.quote && one.side === other.side;
}
