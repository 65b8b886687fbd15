import { noteBadge } from '@tandem/reviews';
import type { ReviewSummary } from '@tandem/rpc';
import { changedWord } from './reviewWords.js';

/** What the filter of the queue looks at: that of a review, or of an interrupted text. */
interface Listed
  extends Partial<
    Pick<ReviewSummary, 'agentName' | 'notes' | 'isEdited' | 'isMerged' | 'isNewFile' | 'end'>
  > {
  readonly label: string;
  /** The origin of an interrupted text. */
  readonly from?: string;
}

/** Whether a review has all words of the filter in what its row says: path, agent, edits, warnings, end. */
export function matchesFilter(listed: Listed, filter: string): boolean {
  const { label, from = '', agentName = '', notes = [], isNewFile = false, end } = listed;
  const warnings = notes.flatMap((note) => (note.isWarning ? [note.title, noteBadge(note)] : []));
  const said = [
    label,
    from,
    agentName,
    changedWord(listed) ?? '',
    isNewFile ? 'new' : '',
    end?.label ?? '',
    ...warnings,
  ]
    .join(' ')
    .toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}
