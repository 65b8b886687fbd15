/** Longer lines are shortened. In code units. */
const longest = 400;
/** Characters shown before and after a change. */
const around = 80;
/** Characters shown of each end of a long change. */
const ends = 120;

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Removed lines and the lines that replace them, each long one shortened around its change. `…16920 characters…` replaces what
 * is left out.
 */
export function cutChange(
  out: readonly string[],
  into: readonly string[],
): { readonly out: string[]; readonly into: string[] } {
  const cut = (lines: readonly string[], others: readonly string[]): string[] =>
    lines.map((line, at) => cutAround(line, changedIn(line, others[at])));
  return { out: cut(out, into), into: cut(into, out) };
}

/** An unchanged line: its start is enough. */
export function cutUnchanged(line: string): string {
  return cutAround(line, { from: 0, to: 0 });
}

/** The part of a line that differs from the other line; all of it if there is none. */
function changedIn(line: string, other: string | undefined): Span {
  if (other === undefined || line.length <= longest) return { from: 0, to: line.length };
  const most = Math.min(line.length, other.length);
  let from = 0;
  while (from < most && line[from] === other[from]) from += 1;
  let same = 0;
  while (same < most - from && line[line.length - 1 - same] === other[other.length - 1 - same]) same += 1;
  return { from, to: line.length - same };
}

function cutAround(line: string, { from, to }: Span): string {
  if (line.length <= longest) return line;
  const isLong = to - from > 2 * ends;
  const kept: Span[] = isLong
    ? [
        { from: from - around, to: from + ends },
        { from: to - ends, to: to + around },
      ]
    : [{ from: from - around, to: to + around }];
  let shown = '';
  let at = 0;
  for (const span of kept) {
    const start = wholeCharacter(line, Math.max(at, span.from));
    const end = wholeCharacter(line, Math.min(line.length, span.to));
    shown += leftOut(line, at, start) + line.slice(start, end);
    at = end;
  }
  return shown + leftOut(line, at, line.length);
}

/** The placeholder of a part of a line, unless the part is shorter. */
function leftOut(line: string, from: number, to: number): string {
  const words = `…${to - from} characters…`;
  return to - from <= words.length ? line.slice(from, to) : words;
}

/** Splits no surrogate pair. */
function wholeCharacter(line: string, at: number): number {
  const isInside = /[\udc00-\udfff]/.test(line[at] ?? '') && /[\ud800-\udbff]/.test(line[at - 1] ?? '');
  return isInside ? at - 1 : at;
}
