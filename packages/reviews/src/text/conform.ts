import { joinLines, takeAllEnds } from './joinLines.js';
import { dominantLineEnd, splitInSteps, uniformLineEnd, withFinalLineEnd } from './lines.js';
import { finish, type Steps } from './steps.js';

/**
 * The text that results from a user's edit of a proposal. Editors unify line ends and drop or add a byte order mark, so
 * only the lines come from the editor; how they end comes from the proposal.
 *
 * - When the lines equal those of the proposal, the result is the proposal byte for byte.
 * - An unchanged line keeps its own end, and so does a changed one; an added line ends like the line before it.
 *   A first line, and every line when the proposal has no end to follow, takes the most frequent end of
 *   the proposal, otherwise of `original`, otherwise `\n`.
 * - The byte order mark and the final line end are the proposal's, with two exceptions: an emptied text has
 *   neither, and blank lines added at the end keep their ends, without which they would not be lines.
 * - A proposal without lines does not define the final line end: the edited text then keeps its own.
 *
 * All leading U+FEFF count as byte order marks: content that begins with one cannot be distinguished from a mark that
 * an editor added.
 */
export function conformText(edited: string, proposed: string, original = ''): string {
  return finish(conformInSteps(edited, proposed, original));
}

/** `conformText`, with other work between its steps. */
export function* conformInSteps(edited: string, proposed: string, original = ''): Steps<string> {
  if (edited === proposed) return proposed;
  const [bom, proposedBody] = splitBoms(proposed);
  const [, editedBody] = splitBoms(edited);
  const end = uniformLineEnd(proposedBody);
  if (end !== undefined) {
    // The usual case. Every line then ends in the same way, so that no lines need to be compared.
    const body = editedBody.includes('\r') ? editedBody.replace(/\r\n?/g, '\n') : editedBody;
    const ended = withFinalLineEnd(body, '\n', proposedBody.endsWith(end));
    return ended === '' ? '' : bom + (end === '\n' ? ended : ended.replaceAll('\n', end));
  }
  const proposedLines = yield* splitInSteps(proposedBody);
  const editedLines = yield* splitInSteps(editedBody);
  const lines = yield* takeAllEnds(proposedLines, editedLines);
  if (lines === undefined) return proposed;
  const text = yield* joinLines(lines, {
    hasFinalLineEnd: (proposedLines.at(-1) ?? editedLines.at(-1))?.end !== '',
    lineEnd: dominantLineEnd(proposed) ?? dominantLineEnd(original) ?? '\n',
  });
  return text === '' ? '' : bom + text;
}

function splitBoms(text: string): [boms: string, body: string] {
  const body = text.replace(/^\uFEFF+/, '');
  return [text.slice(0, text.length - body.length), body];
}
