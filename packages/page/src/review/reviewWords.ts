import { isPlain, type KeyPress, matchesKey } from '@tandem/chat-panel/primitives';
import type { ReviewSummary } from '@tandem/rpc';

/** How a review ended. `restarted`: its companion ended. */
export interface ReviewEnd {
  readonly kind: 'accepted' | 'rejected' | 'withdrawn' | 'restarted';
  readonly reason?: string | undefined;
  /** In one or two sentences. */
  readonly text: string;
}

const dateAndTime = { dateStyle: 'medium', timeStyle: 'short' } as const;

/** How a review ended, if it has. `isEarlier`: only the history has it. */
export function reviewEnd(
  review: ReviewSummary,
  { isRestarted, isEarlier }: { readonly isRestarted: boolean; readonly isEarlier: boolean },
): ReviewEnd | undefined {
  const { state, withdrawReason, decidedAt, end } = review;
  if (state !== 'pending') {
    const when = new Date(decidedAt ?? 0).toLocaleString('en', dateAndTime);
    return {
      kind: state === 'interrupted' ? 'withdrawn' : state,
      reason: withdrawReason,
      text: isEarlier ? `${end?.label} on ${when}.` : `${end?.text}`,
    };
  }
  if (!isRestarted) return undefined;
  return { kind: 'restarted', text: 'The companion was restarted, which ended this review.' };
}

/** Whether the user must resolve a conflict before a pending review is safe to accept. */
export function hasConflict({ state, notes }: Pick<ReviewSummary, 'state' | 'notes'>): boolean {
  return state === 'pending' && notes.some(({ kind }) => conflicts.includes(kind));
}

const conflicts = ['deleted', 'conflict', 'markers'];

/** That the text is not the agent's: the user edited it, or changes of the file were merged into it. */
export function changedWord({
  isEdited,
  isMerged,
}: Partial<Pick<ReviewSummary, 'isEdited' | 'isMerged'>>): 'Edited' | 'Merged' | undefined {
  if (!isEdited) return undefined;
  return isMerged ? 'Merged' : 'Edited';
}

/** Added and removed lines: `+3 −1`. */
export function lineCounts(change: { readonly added: number; readonly removed: number }): string {
  const parts = [
    change.added > 0 ? `+${change.added}` : '',
    change.removed > 0 ? `−${change.removed}` : '',
  ].filter((part) => part !== '');
  return parts.join(' ') || 'no lines';
}

/** `line 3`, `lines 3 to 5`. */
export function lineWords(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

type ReviewCommand = 'edit' | 'accept' | 'reject' | 'next' | 'previous' | 'toggle' | 'own' | 'comment';

interface ReviewKey {
  readonly command: ReviewCommand;
  /** The first one is shown in the help. */
  readonly keys: readonly [string, ...string[]];
  readonly label: string;
}

/** The keys of a review, in its text and beside it. `edit` only beside it. */
export const reviewKeys: readonly ReviewKey[] = [
  { command: 'edit', keys: ['Enter', 'I'], label: 'Edit the proposal' },
  { command: 'accept', keys: ['Mod+Enter'], label: 'Accept the text as shown' },
  { command: 'reject', keys: ['Mod+Shift+Backspace'], label: 'Reject the proposal' },
  { command: 'next', keys: ['F7', 'Alt+F5'], label: 'Next change' },
  { command: 'previous', keys: ['Shift+F7', 'Alt+Shift+F5'], label: 'Previous change' },
  { command: 'toggle', keys: ['F8'], label: 'Drop or keep the change at the cursor' },
  { command: 'own', keys: ['Shift+F8'], label: 'Your next edit' },
  { command: 'comment', keys: ['Alt+Shift+C', 'C'], label: 'Comment on the selected lines' },
];

type KeyEvent = KeyPress & Pick<KeyboardEvent, 'isComposing'>;

/** The review command of a key, if it has one. What a text takes has none there. */
export function reviewCommand(event: KeyEvent, takesText = false): ReviewCommand | undefined {
  if (event.isComposing) return undefined;
  const isTyped = (key: string): boolean => takesText && (isPlain(key) || key === 'Enter');
  const isMatch = (key: string): boolean => !isTyped(key) && matchesKey(event, key);
  return reviewKeys.find(({ keys }) => keys.some(isMatch))?.command;
}
