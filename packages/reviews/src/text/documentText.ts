import { joinLines, takeAllEnds } from './joinLines.js';
import { describeLineEnds, dominantLineEnd, splitBom, splitInSteps } from './lines.js';
import { finish, type Steps } from './steps.js';

/** A file's text as an editor holds it: without the byte order mark, every line ending in `\n`. */
export function toDocumentText(fileText: string): string {
  const { body } = splitBom(fileText);
  return body.includes('\r') ? body.replace(/\r\n?/g, '\n') : body;
}

/**
 * The file text for a document that the user edited. `edited` has `\n` line ends and no byte order mark; `file` is the
 * text it was loaded from. The mark and the line ends are the file's: unchanged and changed lines keep their ends; an
 * added line ends like the line before it. The user decides whether the last line has an end, unlike in `conformText`,
 * where the agent's proposal decides.
 *
 * `toDocumentText` of the result is `edited` again, and an unedited document gives `file` byte for byte.
 */
export function toFileText(edited: string, file: string): string {
  return finish(toFileTextInSteps(edited, file));
}

/** `toFileText`, with other work between its steps. */
export function* toFileTextInSteps(edited: string, file: string): Steps<string> {
  const { bom, body } = splitBom(file);
  const kind = describeLineEnds(body);
  if (kind === 'lf' || kind === 'none') return bom + edited;
  if (kind === 'crlf') return bom + edited.replaceAll('\n', '\r\n');
  if (kind === 'cr') return bom + edited.replaceAll('\n', '\r');

  const fileLines = yield* splitInSteps(body);
  const lines = (yield* takeAllEnds(fileLines, yield* splitInSteps(edited))) ?? fileLines;
  const hasFinalLineEnd = edited.endsWith('\n');
  return bom + (yield* joinLines(lines, { hasFinalLineEnd, lineEnd: dominantLineEnd(body) ?? '\n' }));
}

/**
 * `text` in the form of the file that it replaces: with the file's line ends, as in `toFileText`, and its byte order mark.
 * For texts of agents, many of which send every text with `\n` and without the mark. A text that has other line ends
 * keeps them: its agent chose them. Whether the last line has an end is up to `text`; an empty text stays empty.
 */
export function inFileForm(text: string, file: string): string {
  return finish(inFileFormInSteps(text, file));
}

/** `inFileForm`, with other work between its steps. */
export function* inFileFormInSteps(text: string, file: string): Steps<string> {
  const kind = describeLineEnds(text);
  const { bom, body } = splitBom(text);
  const lines = kind === 'lf' || kind === 'none' ? yield* toFileTextInSteps(body, splitBom(file).body) : body;
  return text === '' ? '' : (splitBom(file).bom || bom) + lines;
}

/** The text of a review as an editor shows it. In a review, all leading U+FEFF are byte order marks. */
export function toReviewText(text: string): string {
  return toDocumentText(text).replace(/^\uFEFF+/, '');
}

/** Whether two texts of a review have the same lines. A final newline does not count: `Review.edit` restores it. */
export function hasSameLines(one: string, other: string): boolean {
  return withoutFinalEnd(one) === withoutFinalEnd(other);
}

/** A single line end stays: it is an empty line. */
function withoutFinalEnd(text: string): string {
  const body = text.replace(/^\uFEFF+/, '');
  return body.length > 1 && body.endsWith('\n') ? body.slice(0, -1) : body;
}
