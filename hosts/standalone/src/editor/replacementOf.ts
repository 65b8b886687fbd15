import { type ChangeSpec, Text } from '@codemirror/state';
import { findLineChanges } from '@tandem/core';

/** What must change in one text to make it another, line by line, and within a line from the first difference on. */
export function replacementOf(from: string, to: string): ChangeSpec[] {
  if (from === to) return [];
  const [fromLines, toLines] = [linesOf(from), linesOf(to)];
  const changes: ChangeSpec[] = [];
  let [fromLine, fromOffset, toLine, toOffset] = [0, 0, 0, 0];
  for (const change of findLineChanges(fromLines, toLines)) {
    for (; fromLine < change.from.start; fromLine++) fromOffset += fromLines[fromLine]?.text.length ?? 0;
    for (; toLine < change.to.start; toLine++) toOffset += toLines[toLine]?.text.length ?? 0;
    const [fromStart, toStart] = [fromOffset, toOffset];
    const [fromEnd, toEnd] = [change.from.start + change.from.count, change.to.start + change.to.count];
    for (; fromLine < fromEnd; fromLine++) fromOffset += fromLines[fromLine]?.text.length ?? 0;
    for (; toLine < toEnd; toLine++) toOffset += toLines[toLine]?.text.length ?? 0;
    changes.push(spanChange(fromStart, from.slice(fromStart, fromOffset), to.slice(toStart, toOffset)));
  }
  return changes;
}

/** A text of lines that end in `\n`; other ends become such. */
export function textOf(content: string): Text {
  return Text.of(content.split(/\r\n?|\n/));
}

/** The smallest single change that makes the text at `offset` another. */
function spanChange(offset: number, before: string, after: string): ChangeSpec {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  if (isHighSurrogate(before.charCodeAt(head - 1))) head--;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (isLowSurrogate(before.charCodeAt(before.length - tail))) tail--;
  return {
    from: offset + head,
    to: offset + before.length - tail,
    insert: textOf(after.slice(head, after.length - tail)),
  };
}

/** Each line with its `\n`, which is compared along: a last line without one is another line. */
function linesOf(text: string): { readonly text: string; readonly end: '' }[] {
  const lines: { text: string; end: '' }[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start) + 1 || text.length;
    lines.push({ text: text.slice(start, end), end: '' });
    start = end;
  }
  return lines;
}

/** A change must not part the two halves of one character: a page would show neither. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
