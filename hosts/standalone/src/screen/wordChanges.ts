/** A part of a line, in code units. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** The parts of two lines that the other one does not have. */
export interface WordChanges {
  readonly old: readonly Part[];
  readonly new: readonly Part[];
}

const none: WordChanges = { old: [], new: [] };
/** Longer lines are compared from both ends only. */
const mostWords = 200;
/** Lines that share less are two lines, not a changed one. */
const leastShared = 0.3;

/** Where the words of a line differ from those of the line that it replaces. Nothing if the lines are too different. */
export function wordChanges(old: string, current: string): WordChanges {
  const [from, to] = [wordsOf(old), wordsOf(current)];
  let head = 0;
  while (head < Math.min(from.length, to.length) && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const middle = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)] as const;
  const isShort = middle.every(({ length }) => length <= mostWords);
  const shared = isShort ? sharedWords(...middle) : { old: new Set<number>(), new: new Set<number>() };
  const changes = {
    old: partsOf(from, head, tail, shared.old),
    new: partsOf(to, head, tail, shared.new),
  };
  const changed = (parts: readonly Part[]): number =>
    parts.reduce((sum, each) => sum + each.to - each.from, 0);
  const length = old.trim().length + current.trim().length;
  const same = old.length + current.length - changed(changes.old) - changed(changes.new);
  const indentation = old.length + current.length - length;
  return same - indentation < leastShared * length ? none : changes;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The indexes of a longest common subsequence. */
function sharedWords(
  from: readonly string[],
  to: readonly string[],
): { readonly old: Set<number>; readonly new: Set<number> } {
  const width = to.length + 1;
  const lengths = new Uint16Array((from.length + 1) * width);
  const at = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = from.length - 1; one >= 0; one -= 1)
    for (let other = to.length - 1; other >= 0; other -= 1)
      lengths[one * width + other] =
        from[one] === to[other]
          ? at(one + 1, other + 1) + 1
          : Math.max(at(one + 1, other), at(one, other + 1));
  const shared = { old: new Set<number>(), new: new Set<number>() };
  for (let one = 0, other = 0; one < from.length && other < to.length; ) {
    if (from[one] === to[other]) {
      shared.old.add(one++);
      shared.new.add(other++);
    } else if (at(one + 1, other) >= at(one, other + 1)) one += 1;
    else other += 1;
  }
  return shared;
}

function partsOf(words: readonly string[], head: number, tail: number, shared: ReadonlySet<number>): Part[] {
  const parts: { from: number; to: number }[] = [];
  let offset = 0;
  for (const [at, word] of words.entries()) {
    const isSame = at < head || at >= words.length - tail || shared.has(at - head);
    const last = parts.at(-1);
    if (!isSame && last?.to === offset) last.to += word.length;
    else if (!isSame) parts.push({ from: offset, to: offset + word.length });
    offset += word.length;
  }
  return parts;
}
