import type { DecidedFile, EditEvent } from './agentHooks.js';

/** What the model reads with a result that does not show the user's corrections. */
export function correctionNote(labels: readonly string[]): string {
  return `The user corrected this change before it was written: ${labels.join(', ')} does not contain exactly what you wrote. Read it again before you change it.`;
}

/** What the model reads if the user has dropped all of a change, or made it. */
export function nothingLeft(labels: readonly string[]): string {
  return `The user has decided on this change, and nothing of it is left to write: ${labels.join(', ')} has the text that the user wants. Read it again before you change it.`;
}

/** What the model reads if a change cannot be shown. */
export function notShown({ tool, edits, refusal }: EditEvent): string {
  if (refusal !== undefined) return refusal;
  return edits.length === 0
    ? `The user reviews each change before it is written, and Tandem cannot show what ${tool} changes. Use another tool.`
    : 'The user reviews each change before it is written, and Tandem cannot apply this one: the text to replace or the cell is not in the file exactly once, or the file to create exists. Read the file again, and quote the text exactly.';
}

/** What the model reads if it has to leave a file itself as the user decided. */
export function correctedText(
  label: string,
  { accepted: text, isRemoved }: Pick<DecidedFile, 'accepted' | 'isRemoved'>,
): string {
  if (isRemoved) return `The user accepted that ${label} is deleted. Delete it.`;
  return `The user accepted the change to ${label} with corrections. Write exactly this text to it:\n\n${text}`;
}
