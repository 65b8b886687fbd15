import type { ReviewDetails } from '@tandem/companion/control';
import { composeHunks, computeHunks, type LineSpan, splitBom, splitLines } from '@tandem/reviews';

type TextLine = ReturnType<typeof splitLines>[number];

/** A part of a review, from top to bottom. `hunk`: the index of its hunk, if the user can keep or drop it. */
export type Block =
  | { readonly kind: 'same'; readonly old: number; readonly new: number; readonly count: number }
  | {
      readonly kind: 'change';
      readonly old: LineSpan;
      readonly new: LineSpan;
      readonly hunk: number | undefined;
    }
  /** A hunk that the user dropped: the file keeps the lines `old`, and `proposed` are those that it would have. */
  | {
      readonly kind: 'dropped';
      readonly old: LineSpan;
      readonly new: number;
      readonly proposed: LineSpan;
      readonly hunk: number;
    };

/** The file and the text that the user decides, compared by lines. */
export interface Diff {
  readonly old: readonly TextLine[];
  readonly new: readonly TextLine[];
  readonly proposed: readonly TextLine[];
  readonly blocks: readonly Block[];
  /** Whether the ends of lines differ between or within the texts, so that they have to be seen. */
  readonly showsEnds: boolean;
  /** The byte order marks, if only one text has one. */
  readonly bom: { readonly old: boolean; readonly new: boolean } | undefined;
  /** Of the longest line, in code units. */
  readonly longest: number;
}

type Texts = Pick<ReviewDetails, 'original' | 'proposed' | 'content' | 'hunkList'>;

/** Compares the texts of a review. */
export function diffOf(review: Texts): Diff {
  const original = splitBom(review.original ?? '');
  const content = splitBom(review.content);
  const [old, current] = [splitLines(original.body), splitLines(content.body)];
  const ends = new Set([...old, ...current].map(({ end }) => end).filter((end) => end !== ''));
  const hasOther = (original.bom === '') !== (content.bom === '') && review.original !== undefined;
  return {
    old,
    new: current,
    proposed: splitLines(splitBom(review.proposed).body),
    blocks: blocksOf(review, old.length),
    showsEnds: ends.size > 1,
    longest: [...old, ...current].reduce((most, { text }) => Math.max(most, text.length), 0),
    bom: hasOther ? { old: original.bom !== '', new: content.bom !== '' } : undefined,
  };
}

interface Change {
  readonly old: LineSpan;
  readonly new: LineSpan;
  readonly hunk: number | undefined;
}

/** Where the text differs from the file, in order. */
function changesOf({ original = '', proposed, content, hunkList }: Texts): Change[] {
  const hunks = hunkList.map((hunk, index) => ({ ...hunk, index }));
  const kept = hunks.map(({ isKept }) => isKept);
  if (content === proposed || content === composeHunks(original, proposed, hunks, kept)) {
    let shift = 0;
    return hunks.flatMap(({ original: gone, proposed: come, isKept, index }) => {
      if (isKept) return { old: gone, new: { start: come.start + shift, count: come.count }, hunk: index };
      shift += gone.count - come.count;
      return [];
    });
  }
  return computeHunks(original, content).map(({ original: gone, proposed: come }) => {
    const own = hunks.filter(({ isKept, original: other }) => isKept && touches(gone, other));
    return { old: gone, new: come, hunk: own.length === 1 ? own[0]?.index : undefined };
  });
}

function touches(one: LineSpan, other: LineSpan): boolean {
  if (one.count === 0 || other.count === 0) return one.start === other.start;
  return one.start < other.start + other.count && other.start < one.start + one.count;
}

function blocksOf(review: Texts, lines: number): Block[] {
  const changes = changesOf(review);
  const dropped = review.hunkList.flatMap(({ isKept, original, proposed }, hunk) =>
    isKept || changes.some(({ old }) => touches(old, original)) ? [] : { old: original, proposed, hunk },
  );
  const blocks: Block[] = [];
  let [oldAt, newAt] = [0, 0];
  const sameUpTo = (end: number): void => {
    if (end > oldAt) blocks.push({ kind: 'same', old: oldAt, new: newAt, count: end - oldAt });
    newAt += Math.max(0, end - oldAt);
    oldAt = Math.max(oldAt, end);
  };
  for (const each of [...changes, ...dropped].sort((a, b) => a.old.start - b.old.start)) {
    sameUpTo(each.old.start);
    if ('proposed' in each) {
      blocks.push({ kind: 'dropped', ...each, new: newAt });
      newAt += each.old.count;
    } else {
      blocks.push({ kind: 'change', ...each });
      newAt = each.new.start + each.new.count;
    }
    oldAt = each.old.start + each.old.count;
  }
  sameUpTo(lines);
  return blocks;
}

/** One row of a diff. `old`, `new` and `proposed` are 0-based lines of the texts. */
export interface Row {
  readonly kind: 'same' | 'change' | 'dropped' | 'fold' | 'comment' | 'bom';
  /** The index of its block. */
  readonly block: number;
  readonly old?: number | undefined;
  readonly new?: number | undefined;
  readonly proposed?: number | undefined;
  /** Of a fold: how many lines it hides. */
  readonly count?: number;
  /** Of a comment. */
  readonly text?: string;
}

/** Unchanged lines that are shown around a change. */
const context = 3;

/** How the rows of a diff are made. */
export interface RowOptions {
  readonly isSplit: boolean;
  /** The folds that the user opened, by their first line in the file. */
  readonly unfolded: ReadonlySet<number>;
  readonly comments: ReviewDetails['commentList'];
}

/** The rows of a diff, from top to bottom. */
export function rowsOf(diff: Diff, { isSplit, unfolded, comments }: RowOptions): Row[] {
  const rows: Row[] = [];
  if (diff.bom !== undefined) rows.push({ kind: 'bom', block: -1 });
  for (const { text } of comments.filter(({ lines }) => lines === undefined))
    rows.push(...commentRows(text, -1));
  for (const [block, each] of diff.blocks.entries()) {
    if (each.kind === 'same') addSame(rows, diff, block, each, unfolded);
    else if (each.kind === 'change') addChange(rows, block, each, isSplit);
    else addDropped(rows, block, each);
  }
  return comments.some(({ lines }) => lines !== undefined) ? withComments(rows, comments) : rows;
}

function addSame(
  rows: Row[],
  diff: Diff,
  block: number,
  each: Extract<Block, { kind: 'same' }>,
  unfolded: ReadonlySet<number>,
): void {
  const before = block === 0 ? 0 : context;
  const after = block === diff.blocks.length - 1 ? 0 : context;
  const hidden = each.count - before - after;
  const isFolded = hidden > 1 && !unfolded.has(each.old);
  const add = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1)
      rows.push({ kind: 'same', block, old: each.old + at, new: each.new + at });
  };
  if (!isFolded) {
    add(0, each.count);
    return;
  }
  add(0, before);
  rows.push({ kind: 'fold', block, old: each.old, new: each.new + before, count: hidden });
  add(before + hidden, each.count);
}

function addChange(
  rows: Row[],
  block: number,
  { old, new: added }: Extract<Block, { kind: 'change' }>,
  isSplit: boolean,
): void {
  if (isSplit) {
    for (let at = 0; at < Math.max(old.count, added.count); at += 1)
      rows.push({
        kind: 'change',
        block,
        old: at < old.count ? old.start + at : undefined,
        new: at < added.count ? added.start + at : undefined,
      });
    return;
  }
  for (let at = 0; at < old.count; at += 1) rows.push({ kind: 'change', block, old: old.start + at });
  for (let at = 0; at < added.count; at += 1) rows.push({ kind: 'change', block, new: added.start + at });
}

function addDropped(rows: Row[], block: number, each: Extract<Block, { kind: 'dropped' }>): void {
  const { old, new: start, proposed } = each;
  for (let at = 0; at < old.count; at += 1)
    rows.push({ kind: 'same', block, old: old.start + at, new: start + at });
  for (let at = 0; at < proposed.count; at += 1)
    rows.push({ kind: 'dropped', block, proposed: proposed.start + at });
}

function commentRows(text: string, block: number): Row[] {
  return text.split('\n').map((line) => ({ kind: 'comment' as const, block, text: line }));
}

/** Puts each comment below its last line, or where that is folded. */
function withComments(rows: readonly Row[], comments: ReviewDetails['commentList']): Row[] {
  const left = comments.filter(({ lines }) => lines !== undefined);
  const result: Row[] = [];
  const isBelow = (row: Row, next: Row | undefined, comment: (typeof left)[number]): boolean => {
    const last = comment.lines?.last ?? 0;
    const side = comment.side === 'file' ? 'old' : 'new';
    const [at, after] = [row[side], next?.[side]];
    return at !== undefined && at <= last && (next === undefined || (after !== undefined && after > last));
  };
  for (const [at, row] of rows.entries()) {
    result.push(row);
    for (const comment of [...left]) {
      if (!isBelow(row, rows[at + 1], comment) && !isExactly(row, comment)) continue;
      left.splice(left.indexOf(comment), 1);
      result.push(...commentRows(comment.text, row.block));
    }
  }
  return [...result, ...left.flatMap(({ text }) => commentRows(text, -1))];
}

function isExactly(row: Row, { lines, side }: ReviewDetails['commentList'][number]): boolean {
  return row.kind !== 'fold' && (side === 'file' ? row.old : row.new) === lines?.last;
}

const knownStarts = new WeakMap<readonly Row[], readonly number[]>();

/** The first rows of the changes, in order, kept or dropped. */
export function changeStarts(rows: readonly Row[], diff: Diff): readonly number[] {
  const known = knownStarts.get(rows);
  if (known !== undefined) return known;
  const starts: number[] = [];
  let last = -1;
  rows.forEach(({ kind, block }, at) => {
    if (kind === 'comment' || block === last || block < 0 || diff.blocks[block]?.kind === 'same') return;
    starts.push(at);
    last = block;
  });
  knownStarts.set(rows, starts);
  return starts;
}

/** The lines that belong together in a change, to compare their words. */
export function counterpart(block: Block | undefined, row: Row): { old: number; new: number } | undefined {
  if (block?.kind !== 'change') return undefined;
  const at = row.old !== undefined ? row.old - block.old.start : (row.new ?? 0) - block.new.start;
  if (at >= block.old.count || at >= block.new.count) return undefined;
  return { old: block.old.start + at, new: block.new.start + at };
}

/** The text that a change adds, for a search. */
export function textOfRow(diff: Diff, row: Row): string {
  const texts = [
    row.old === undefined || row.kind === 'fold' ? undefined : diff.old[row.old]?.text,
    row.new === undefined || row.kind === 'fold' ? undefined : diff.new[row.new]?.text,
    row.proposed === undefined ? undefined : diff.proposed[row.proposed]?.text,
    row.text,
  ];
  return [...new Set(texts.filter((text) => text !== undefined))].join('\n');
}
