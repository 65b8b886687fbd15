import { alignLines } from '../review/lineDiff.js';

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
