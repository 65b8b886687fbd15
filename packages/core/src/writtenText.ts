import { type FileContent, mergeWithFile } from './mergeWithFile.js';
import { toDocumentText } from './text/documentText.js';
import { computeHunks, type Hunk } from './text/hunks.js';
import { linesIn, linesOf } from './text/lines.js';

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
}

/** Of the hunks that say something, this many are searched for. */
const maxHunks = 20;

/**
 * Whether the file shows that an agent has written a text. A file that was only touched, or changed by another program, does
 * not. With `mayBeFormatted`, one that a program formatted right after the write does. Line ends do not count: some agents
 * restore those of the file.
 */
export function findWriting(
  { original, proposed, content }: TextToWrite,
  file: FileContent,
  { mayBeFormatted = true }: { readonly mayBeFormatted?: boolean } = {},
): Writing {
  if (file.kind !== 'text') return 'unwritten';
  const [mine, theirs, now] = [toDocumentText(content), toDocumentText(proposed), toDocumentText(file.text)];
  if (now === mine) return 'written';
  if (now === theirs) return 'proposal';
  const before = original.kind === 'text' ? toDocumentText(original.text) : '';
  if (original.kind === 'text' && now === before) return 'unwritten';
  const merge = mergeWithFile(asDocument(original, before), mine, { kind: 'text', text: now });
  if (merge.kind === 'applied') return 'written';
  if (!mayBeFormatted) return 'unwritten';
  const edits = findHunks(theirs, mine, now);
  const hasEdits = theirs === mine || (edits.length > 0 && !edits.includes(false));
  return hasEdits && findHunks(before, mine, now).includes(true) ? 'written' : 'unwritten';
}

function asDocument(original: FileContent, text: string): FileContent {
  return original.kind === 'text' ? { kind: 'text', text } : original;
}

/**
 * For each change between two texts whether `now` has it, comparing only letters and digits: formatters change the rest.
 * Without the changes of which that says nothing.
 */
function findHunks(before: string, after: string, now: string): boolean[] {
  const [old, changed] = [linesOf(before), linesOf(after)];
  const [inBefore, inAfter, inNow] = [before, after, now].map(squeeze);
  const found: boolean[] = [];
  for (const { original, proposed } of computeHunks(before, after)) {
    const added = countIn(squeeze(textIn(changed, proposed)));
    const removed = countIn(squeeze(textIn(old, original)));
    if (added(inAfter) > added(inBefore)) found.push(added(inNow) >= added(inAfter));
    else if (removed(inAfter) < removed(inBefore)) found.push(removed(inNow) <= removed(inAfter));
    if (found.length === maxHunks) break;
  }
  return found;
}

function textIn(lines: ReturnType<typeof linesOf>, span: Hunk['original']): string {
  return linesIn(lines, span)
    .map(({ text }) => text)
    .join('\n');
}

function squeeze(text: string): string {
  return text.replace(/[^\p{L}\p{N}_]+/gu, '');
}

function countIn(part: string): (text: string | undefined) => number {
  return (text = '') => (part === '' ? 0 : text.split(part).length - 1);
}
