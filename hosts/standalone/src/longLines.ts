/** Lines up to this length are shown whole. */
const longest = 400;
/** Characters that stay before and after what changed. */
const around = 80;
/** Of a change that is long itself, so much of each end. */
const ends = 120;

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Lines that go and lines that come in their place, each long one cut around what changed in it. Where characters were
 * left out, `…` stands on both sides of their number.
 */
export function cutChange(
  out: readonly string[],
  into: readonly string[],
): { readonly out: string[]; readonly into: string[] } {
  const cut = (lines: readonly string[], others: readonly string[]): string[] =>
    lines.map((line, at) => cutAround(line, changedIn(line, others[at])));
  return { out: cut(out, into), into: cut(into, out) };
}

/** A line that did not change: its beginning is enough to know it by. */
export function cutUnchanged(line: string): string {
  return cutAround(line, { from: 0, to: 0 });
}

/** The part of a line that the line on the other side does not have; all of it where there is none. */
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

/** What stands for a part of a line; a part that is no longer than that stays. */
function leftOut(line: string, from: number, to: number): string {
  const words = `…${to - from} characters…`;
  return to - from <= words.length ? line.slice(from, to) : words;
}

/** No character is cut in two. */
function wholeCharacter(line: string, at: number): number {
  const isInside = /[\udc00-\udfff]/.test(line[at] ?? '') && /[\ud800-\udbff]/.test(line[at - 1] ?? '');
  return isInside ? at - 1 : at;
}
