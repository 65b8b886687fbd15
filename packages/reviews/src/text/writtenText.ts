import { toDocumentText } from './documentText.js';
import { type Hunk, hunksInSteps } from './hunks.js';
import { type Line, linesIn, linesOfInSteps } from './lines.js';
import { type FileContent, mergeWithFileInSteps } from './mergeWithFile.js';
import { finish, type Steps } from './steps.js';

/**
 * What a file shows of the text that an agent is to write: `written`; `proposal`, the agent wrote its own text without
 * the user's edits; `unwritten`.
 */
export type Writing = 'written' | 'proposal' | 'unwritten';

/** The text that an agent is to write: `content`, which is `proposed` with the user's edits, to the file `original`. */
export interface TextToWrite {
  readonly original: FileContent;
  readonly proposed: string;
  readonly content: string;
  /** The agent is to delete the file, unless the user wrote a text instead. */
  readonly isDeletion?: boolean | undefined;
  /** See `Proposal`. */
  readonly agentChooses?: string | undefined;
}

/** Of the hunks that say something, this many are searched for. */
const maxHunks = 20;
/** How many code units are squeezed in one step; some milliseconds. */
const unitsPerStep = 100_000;

interface FindOptions {
  readonly mayBeFormatted?: boolean;
}

/**
 * Whether the file shows that an agent has written a text. A file that was only touched, or changed by another program, does
 * not. With `mayBeFormatted`, one that a program formatted right after the write does. Line ends do not count: some agents
 * restore those of the file.
 */
export function findWriting(text: TextToWrite, file: FileContent, how?: FindOptions): Writing {
  return finish(findWritingInSteps(text, file, how));
}

/** `findWriting`, with other work between its steps. */
export function* findWritingInSteps(
  { original, proposed, content, isDeletion = false, agentChooses = '' }: TextToWrite,
  file: FileContent,
  { mayBeFormatted = true }: FindOptions = {},
): Steps<Writing> {
  if (isDeletion && file.kind === 'missing') return content === '' ? 'written' : 'proposal';
  if (file.kind !== 'text' || (isDeletion && content === '')) return 'unwritten';
  const [mine, theirs] = [toDocumentText(content), toDocumentText(proposed)];
  const now = withPlaceholder(toDocumentText(file.text), mine, agentChooses);
  if (now === mine) return 'written';
  if (now === theirs) return 'proposal';
  const before = original.kind === 'text' ? toDocumentText(original.text) : '';
  if (original.kind === 'text' && now === before) return 'unwritten';
  const merge = yield* mergeWithFileInSteps(asDocument(original, before), mine, { kind: 'text', text: now });
  if (merge.kind === 'applied') return 'written';
  if (!mayBeFormatted) return 'unwritten';
  const edits = yield* findHunks(theirs, mine, now);
  const hasEdits = theirs === mine || (edits.length > 0 && !edits.includes(false));
  return hasEdits && (yield* findHunks(before, mine, now)).includes(true) ? 'written' : 'unwritten';
}

/** The text of a file with `agentChooses` in place of what the agent has chosen, if that is all in which it differs from `mine`. */
function withPlaceholder(now: string, mine: string, agentChooses: string): string {
  const [start = '', ...ends] = agentChooses && mine.split(agentChooses);
  const chosen = now.slice(start.length, now.length - (ends[0]?.length ?? 0));
  return ends.length === 1 && /^[\w-]{1,64}$/.test(chosen) && now === start + chosen + ends[0] ? mine : now;
}

function asDocument(original: FileContent, text: string): FileContent {
  return original.kind === 'text' ? { kind: 'text', text } : original;
}

/**
 * For each change between two texts whether `now` has it, comparing only letters and digits: formatters change the rest.
 * Without the changes of which that says nothing.
 */
function* findHunks(before: string, after: string, now: string): Steps<boolean[]> {
  if (before === after) return [];
  const [old, changed] = [yield* linesOfInSteps(before), yield* linesOfInSteps(after)];
  const [inBefore, inAfter, inNow] = [yield* squeeze(before), yield* squeeze(after), yield* squeeze(now)];
  const found: boolean[] = [];
  for (const { original, proposed } of yield* hunksInSteps(before, after)) {
    const added = countIn(yield* squeeze(textIn(changed, proposed)));
    const removed = countIn(yield* squeeze(textIn(old, original)));
    const addedAfter = added(inAfter);
    if (addedAfter > added(inBefore)) found.push(added(inNow) >= addedAfter);
    else {
      yield undefined;
      const removedAfter = removed(inAfter);
      if (removedAfter < removed(inBefore)) found.push(removed(inNow) <= removedAfter);
    }
    if (found.length === maxHunks) break;
    yield undefined;
  }
  return found;
}

function textIn(lines: readonly Line[], span: Hunk['original']): string {
  return linesIn(lines, span)
    .map(({ text }) => text)
    .join('\n');
}

function* squeeze(text: string): Steps<string> {
  let squeezed = '';
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + unitsPerStep, text.length);
    // A pair of surrogates is one character.
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end += 1;
    squeezed += text.slice(start, end).replace(/[^\p{L}\p{N}_]+/gu, '');
    start = end;
    if (start < text.length) yield undefined;
  }
  return squeezed;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** How often a part occurs in a text. */
function countIn(part: string): (text: string) => number {
  return (text) => {
    let count = 0;
    if (part === '') return count;
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
    return count;
  };
}
