import type { SavedDecision, SessionTurn, UnkeptChange } from '../record/savedReview.js';

/** What every view shows of an entry of the history that changed a file, besides its agent and its time. */
export interface ShownEntry {
  /** What it is, such as `review 3, accepted`. */
  readonly label: string;
  /** How it is known that the agent made the change, as a sentence without an end; absent for what the user decided. */
  readonly evidence?: string;
  /** What takes it back. */
  readonly verb: 'Undo' | 'Redo';
}

/** `agentName`: for users. Its commands are text from outside. */
export function presentEntry(
  {
    id,
    how,
    title,
    evidence,
    unkept,
    reversed,
    isKept = false,
  }: Pick<SavedDecision, 'id' | 'how' | 'title' | 'evidence' | 'unkept' | 'reversed'> & {
    readonly isKept?: boolean;
  },
  agentName: string,
): ShownEntry {
  if (how === 'restored') {
    return { label: `${reversed ?? 'restored'} (${id})`, verb: reversed === 'undone' ? 'Redo' : 'Undo' };
  }
  const verb = 'Undo';
  if (how !== 'written') return { label: `review ${id}, ${how}`, verb };
  const seen = `edit ${id}${isKept ? ', kept' : ''}${unkept === undefined ? '' : `: ${presentUnkept(unkept)}`}`;
  switch (evidence?.kind) {
    case undefined:
      return {
        label: isKept ? seen : `edit ${id}, written without a review`,
        evidence: `${agentName} changed this${title ? ` (${title})` : ''}`,
        verb,
      };
    case 'command':
      return {
        label: seen,
        evidence: `changed while its command ran: ${evidence.commands.join('; ')}`,
        verb,
      };
    case 'turn':
      return { label: seen, evidence: `changed during this turn, perhaps not by ${agentName}`, verb };
  }
}

/** A change of which no copy is kept, and why: the end of a text. */
function presentUnkept({ why, files = 0 }: UnkeptChange): string {
  switch (why) {
    case 'hidden':
      return 'changed; hidden from agents, so no copy is kept';
    case 'too-large':
      return 'changed; too large to keep a copy';
    case 'link':
      return 'a link changed';
    case 'special':
      return 'changed; not a regular file, so no copy is kept';
    case 'unreadable':
      return 'changed; it could not be read, so no copy is kept';
    case 'not-read':
      return 'changed before a copy of it was made';
    case 'no-room':
      return 'changed; the copy could not be stored';
    case 'mode':
      return 'only the permissions changed';
    case 'more':
      return `and ${files} more ${files === 1 ? 'file' : 'files'} changed below this folder`;
  }
}

/** The heading of a turn. */
export function presentTurn({ number, prompt }: SessionTurn): string {
  return prompt === undefined ? `Turn ${number}` : `Turn ${number}: ${prompt}`;
}
