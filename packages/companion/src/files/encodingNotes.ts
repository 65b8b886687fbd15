import {
  type AgentWriting,
  encodingFate,
  encodingName,
  encodingOf,
  type Review,
  type ReviewNote,
  textOf,
} from '@tandem/reviews';
import { describeCharacters, missingNow } from './encodedText.js';

/** What the file would lose of its text or of the review's text, if the review is accepted, and how it is encoded. */
export function encodingNotes(
  { original, content }: Pick<Review, 'original' | 'content'>,
  writing: AgentWriting,
): ReviewNote[] {
  const losses: string[] = [];
  const encoding = encodingOf(original);
  const fate = encodingFate(original, writing);
  if (fate === 'replaced') {
    losses.push(`The file is encoded in ${encodingName(original)}, and the agent writes it as UTF-8.`);
  }
  if (fate === 'refused') {
    losses.push(
      `The file is encoded in ${encodingName(original)}, and the agent does not write such files: accepting changes nothing.`,
    );
  }
  const missing = fate === 'kept' && encoding !== undefined ? missingNow(content, encoding) : '';
  if (missing !== '') {
    losses.push(
      `The encoding of the file, ${encoding}, has no ${describeCharacters(missing)}: the file would lose that.`,
    );
  }
  const unread = countUnread(content) - countUnread(textOf(original));
  if (unread > 0) {
    const characters = unread === 1 ? '1 replacement character' : `${unread} replacement characters`;
    losses.push(
      `The text has ${characters} (U+FFFD) that the file does not have: the agent could not read that text, and would replace it.`,
    );
  }
  if (!content.isWellFormed()) {
    losses.push(
      'The text has half of a surrogate pair, which cannot be written: the file would have U+FFFD instead.',
    );
  }
  const notes: ReviewNote[] = losses.map((text) => ({
    kind: 'encoding',
    isWarning: true,
    title: 'Encoding',
    text,
  }));
  const text = `The file is encoded in ${encodingName(original)}, and keeps this encoding.`;
  if (fate === 'kept') notes.push({ kind: 'encoding', isWarning: false, title: text, text });
  return notes;
}

function countUnread(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) count++;
  return count;
}
