import type { SavedDecision } from '../record/savedReview.js';

/** What every view shows of an entry of the history that changed a file, besides its agent and its time. */
export interface ShownEntry {
  /** What it is, such as `review 3, accepted`. */
  readonly label: string;
  /** How it is known that the agent made the change, as a sentence without an end; absent for what the user decided. */
  readonly evidence?: string;
}

/** `agentName`: for users. Its commands are text from outside. */
export function presentEntry(
  { id, how, title, evidence }: Pick<SavedDecision, 'id' | 'how' | 'title' | 'evidence'>,
  agentName: string,
): ShownEntry {
  if (how === 'restored') return { label: `restored (${id})` };
  if (how !== 'written') return { label: `review ${id}, ${how}` };
  const label = `edit ${id}, written without a review`;
  switch (evidence?.kind) {
    case undefined:
      return { label, evidence: `${agentName} changed this${title ? ` (${title})` : ''}` };
    case 'command':
      return {
        label: `edit ${id}`,
        evidence: `changed while its command ran: ${evidence.commands.join('; ')}`,
      };
    case 'turn':
      return { label: `edit ${id}`, evidence: `changed during this turn, perhaps not by ${agentName}` };
  }
}
