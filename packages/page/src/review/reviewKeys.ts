import { type KeyPress, matchesKey } from '../primitives/keys.js';

type ReviewCommand = 'accept' | 'reject' | 'next' | 'previous' | 'toggle';

interface ReviewKey {
  readonly command: ReviewCommand;
  /** The first one is shown in the help. */
  readonly keys: readonly [string, ...string[]];
  readonly label: string;
}

/** The keys of a review, in its text and beside it. */
export const reviewKeys: readonly ReviewKey[] = [
  { command: 'accept', keys: ['Mod+Enter'], label: 'Accept the text as shown' },
  { command: 'reject', keys: ['Mod+Shift+Backspace'], label: 'Reject the change' },
  { command: 'next', keys: ['F7', 'Alt+F5'], label: 'Next change' },
  { command: 'previous', keys: ['Shift+F7', 'Alt+Shift+F5'], label: 'Previous change' },
  { command: 'toggle', keys: ['F8'], label: 'Drop or keep the change at the cursor' },
];

type KeyEvent = KeyPress & Pick<KeyboardEvent, 'isComposing'>;

/** The review command of a key, if it has one. */
export function reviewCommand(event: KeyEvent): ReviewCommand | undefined {
  if (event.isComposing) return undefined;
  return reviewKeys.find(({ keys }) => keys.some((key) => matchesKey(event, key)))?.command;
}
