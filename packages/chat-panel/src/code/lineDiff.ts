import { Change, diff } from '@codemirror/merge';

/** Changes up to this size, in characters of both sides, are compared by words; single lines always. */
const longestRefined = 8_000;
/** Beyond this many edits, lines are matched roughly: a key must not wait for the best alignment of two long files. */
const lineScanLimit = 2_000;
const lineTimeoutMs = 60;
const wordScanLimit = 400;
/** The same in a single long line, such as minified code. */
const longLineScanLimit = 4_000;

/**
 * The differences of two texts: by lines first, then by words within changed lines. A comparison by characters alone would
 * match parts of unrelated lines. For `DiffConfig.override`.
 */
export function diffByLines(a: string, b: string): readonly Change[] {
  const linesA = splitAt(a);
  const linesB = splitAt(b);
  const changes: Change[] = [];
  let nextA = 0;
  let nextB = 0;
  const changeUpTo = (lineA: number, lineB: number): void => {
    if (lineA > nextA || lineB > nextB) {
      const fromA = linesA[nextA] ?? a.length;
      const fromB = linesB[nextB] ?? b.length;
      const toA = linesA[lineA] ?? a.length;
      const toB = linesB[lineB] ?? b.length;
      for (const change of findWords(a.slice(fromA, toA), b.slice(fromB, toB), fromA, fromB))
        changes.push(change);
    }
    nextA = lineA + 1;
    nextB = lineB + 1;
  };
  for (const [lineA, lineB] of alignLines(contentsOf(a, linesA), contentsOf(b, linesB)))
    changeUpTo(lineA, lineB);
  changeUpTo(linesA.length, linesB.length);
  return changes;
}

/**
 * The numbers of equal lines, in pairs. Lines without an equal line on the other side are left out first, which makes large
 * changes cheap.
 */
function alignLines(a: readonly string[], b: readonly string[]): [number, number][] {
  const pairs: [number, number][] = [];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) pairs.push([head, head++]);
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;

  const ids = new Map<string, number>();
  for (let line = head; line < a.length - tail; line++) ids.set(a[line] ?? '', -1);
  const left: number[] = [];
  const right: number[] = [];
  let codedB = '';
  let used = 0;
  for (let line = head; line < b.length - tail; line++) {
    const text = b[line] ?? '';
    const known = ids.get(text);
    if (known === undefined) continue;
    const id = known >= 0 ? known : characterOf(used++);
    ids.set(text, id);
    right.push(line);
    codedB += String.fromCharCode(id);
  }
  let codedA = '';
  for (let line = head; line < a.length - tail; line++) {
    const id = ids.get(a[line] ?? '') ?? -1;
    if (id < 0) continue;
    left.push(line);
    codedA += String.fromCharCode(id);
  }

  let atA = 0;
  let atB = 0;
  const pairUpTo = (end: number): void => {
    for (; atA < end; atA++, atB++) {
      const lineA = left[atA] ?? 0;
      const lineB = right[atB] ?? 0;
      if (a[lineA] === b[lineB]) pairs.push([lineA, lineB]);
    }
  };
  for (const change of diff(codedA, codedB, { scanLimit: lineScanLimit, timeout: lineTimeoutMs })) {
    pairUpTo(change.fromA);
    atA = change.toA;
    atB = change.toB;
  }
  pairUpTo(left.length);
  for (; tail > 0; tail--) pairs.push([a.length - tail, b.length - tail]);
  return pairs;
}

/**
 * A character for the line with this number. Surrogates are left out: the algorithm does not cut between two of them.
 * With more lines than characters some share one.
 */
function characterOf(number: number): number {
  const code = number % (0x10000 - 0x800);
  return code < 0xd800 ? code : code + 0x800;
}

/** The words that differ, or the whole lines where they have little in common. */
function findWords(a: string, b: string, fromA: number, fromB: number): Change[] {
  const whole = [new Change(fromA, fromA + a.length, fromB, fromB + b.length)];
  if (a === '' || b === '') return whole;
  const isShort = a.length + b.length <= longestRefined;
  if (!isShort && !(isOneLine(a) && isOneLine(b))) return whole;
  const words = diff(
    a,
    b,
    isShort ? { scanLimit: wordScanLimit } : { scanLimit: longLineScanLimit, timeout: lineTimeoutMs },
  );
  const changed = words.reduce((sum, { fromA, toA, fromB, toB }) => sum + toA - fromA + toB - fromB, 0);
  // With equal numbers of lines, the lines probably correspond; otherwise similar words are more often a coincidence.
  const limit = countLineEnds(a) === countLineEnds(b) ? 0.7 : 0.45;
  if (changed > limit * (a.length + b.length)) return whole;
  return words.map(
    (word) => new Change(word.fromA + fromA, word.toA + fromA, word.fromB + fromB, word.toB + fromB),
  );
}

function isOneLine(text: string): boolean {
  const end = text.indexOf('\n');
  return end < 0 || end === text.length - 1;
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where each line starts. A line has its `\n`; what follows the last one is a line unless it is empty. */
function splitAt(text: string): number[] {
  const starts: number[] = [];
  let at = 0;
  while (at < text.length) {
    starts.push(at);
    const end = text.indexOf('\n', at);
    if (end < 0) break;
    at = end + 1;
  }
  return starts;
}

function contentsOf(text: string, starts: readonly number[]): string[] {
  return starts.map((start, line) => text.slice(start, starts[line + 1] ?? text.length));
}

interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

export interface DiffRows {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
  /** Whether rows were omitted. */
  readonly isCut: boolean;
}

const context = 2;

/** The differing lines of two texts with some context, at most `most` rows. */
export function diffRows(before: string, after: string, most: number): DiffRows {
  const a = linesOf(before);
  const b = linesOf(after);
  const all: DiffRow[] = [];
  let [nextA, nextB, added, removed] = [0, 0, 0, 0];
  const changeUpTo = (lineA: number, lineB: number): void => {
    for (; nextA < lineA; nextA++, removed++) all.push({ kind: 'removed', text: a[nextA] ?? '' });
    for (; nextB < lineB; nextB++, added++) all.push({ kind: 'added', text: b[nextB] ?? '' });
  };
  for (const [lineA, lineB] of alignLines(a, b)) {
    changeUpTo(lineA, lineB);
    all.push({ kind: 'same', text: b[lineB] ?? '' });
    [nextA, nextB] = [lineA + 1, lineB + 1];
  }
  changeUpTo(a.length, b.length);
  const rows = withGaps(all);
  return { rows: rows.slice(0, most), added, removed, isCut: rows.length > most };
}

/** A final line end adds no empty line. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Replaces equal lines that are far from a change by gaps. */
function withGaps(all: readonly DiffRow[]): readonly DiffRow[] {
  const isNear = all.map(() => false);
  for (const [index, { kind }] of all.entries()) {
    if (kind === 'same') continue;
    const last = Math.min(index + context, all.length - 1);
    for (let near = Math.max(index - context, 0); near <= last; near++) isNear[near] = true;
  }
  const rows: DiffRow[] = [];
  for (const [index, row] of all.entries()) {
    if (isNear[index]) rows.push(row);
    else if (rows.length > 0 && rows.at(-1)?.kind !== 'gap') rows.push({ kind: 'gap', text: '' });
  }
  if (rows.at(-1)?.kind === 'gap') rows.pop();
  return rows;
}
