import { finishWithPauses, type Pause, type Steps } from '@tandem/reviews';
import type { RpcAnswer } from '@tandem/rpc';

/** The levels of an answer that are encoded value by value: itself and its result. */
const levels = 2;
/** Pieces are sent together, up to about this many code units. */
const partLength = 64 * 1024;
/** More items of a list are encoded together while they have fewer code units than this. */
const pieceLength = 16 * 1024;
const mostTogether = 64;
/** A longer text is encoded in slices of so many code units. */
const textLength = 256 * 1024;

/**
 * The bytes of an answer as `JSON.stringify` would write it, value by value and list by list: a large review or a long list
 * takes long to encode.
 */
export function encodeAnswer(answer: RpcAnswer, pause: Pause): Promise<Buffer[]> {
  return finishWithPauses(encodeInSteps(answer), pause);
}

function* encodeInSteps(answer: RpcAnswer): Steps<Buffer[]> {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of piecesOf(answer, levels)) {
    text += piece;
    if (text.length >= partLength) {
      parts.push(Buffer.from(text));
      text = '';
    }
    yield undefined;
  }
  return [...parts, Buffer.from(text)];
}

/** Together the JSON of a value that is plain data. */
function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (Array.isArray(value)) yield* piecesOfList(value);
  else if (typeof value === 'string' && value.length > textLength) yield* piecesOfText(value);
  else if (depth === 0 || typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else {
    let start = '{';
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      start += `${JSON.stringify(name)}:`;
      for (const piece of piecesOf(item, depth - 1)) {
        yield start + piece;
        start = '';
      }
      start = ',';
    }
    yield start === '{' ? '{}' : '}';
  }
}

/** Small items together, because each piece has its own cost: as many more as the last ones were short. Long texts in slices. */
function* piecesOfList(list: readonly unknown[]): Generator<string> {
  let together = 1;
  for (let at = 0; at < list.length; ) {
    const start = at === 0 ? '[' : ',';
    if (hasLongText(list[at], levels)) {
      yield start;
      yield* piecesOf(list[at], levels);
      at += 1;
      continue;
    }
    const next = list.slice(at, at + together);
    const long = next.findIndex((item) => hasLongText(item, levels));
    const items = long < 0 ? next : next.slice(0, long);
    const piece = JSON.stringify(items).slice(1, -1);
    yield `${start}${piece}`;
    at += items.length;
    together = piece.length < pieceLength ? Math.min(together * 2, mostTogether) : 1;
  }
  yield list.length === 0 ? '[]' : ']';
}

function hasLongText(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length > textLength;
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((item) => hasLongText(item, depth - 1));
}

function* piecesOfText(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const isPairSplit = /[\uD800-\uDBFF]/.test(text.charAt(start + textLength - 1));
    const end = start + textLength + (isPairSplit ? 1 : 0);
    const piece = JSON.stringify(text.slice(start, end)).slice(1, -1);
    yield `${start === 0 ? '"' : ''}${piece}${end < text.length ? '' : '"'}`;
    start = end;
  }
}
