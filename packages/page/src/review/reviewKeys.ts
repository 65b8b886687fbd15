/** What keys do in a review. */
type ReviewCommand = 'accept' | 'reject' | 'next' | 'previous' | 'toggle';

/** One line of the help: `Mod` stands for Cmd on a Mac and for Ctrl elsewhere. */
interface ReviewKey {
  readonly keys: string;
  readonly label: string;
}

/** The keys of a review, for the help, without those of every text. They work in the text as well as beside it. */
export const reviewKeys: readonly ReviewKey[] = [
  { keys: 'Mod+Enter', label: 'Accept the text as shown' },
  { keys: 'Mod+Shift+Backspace', label: 'Reject the change' },
  { keys: 'F7', label: 'Next change' },
  { keys: 'Shift+F7', label: 'Previous change' },
  { keys: 'F8', label: 'Drop or keep the change at the cursor' },
];

/** Keys as they stand on this machine's keyboard. */
export function shownKeys(keys: string): string {
  return isMac()
    ? keys.replace('Mod+', '⌘').replace('Shift+', '⇧').replace('Backspace', '⌫')
    : keys.replace('Mod', 'Ctrl');
}

/** For `aria-keyshortcuts`. */
export function ariaKeys(keys: string): string {
  return keys.replace('Mod', isMac() ? 'Meta' : 'Control');
}

/** The command that a key means, if any. */
export function reviewCommand(event: KeyEvent): ReviewCommand | undefined {
  if (event.isComposing) return undefined;
  const { key, shiftKey, altKey } = event;
  if (isMod(event) && !altKey) {
    if (key === 'Enter' && !shiftKey) return 'accept';
    if (key === 'Backspace' && shiftKey) return 'reject';
    return undefined;
  }
  if (event.ctrlKey || event.metaKey) return undefined;
  if (key === 'F7' && !altKey) return shiftKey ? 'previous' : 'next';
  if (key === 'F5' && altKey) return shiftKey ? 'previous' : 'next';
  if (key === 'F8' && !altKey && !shiftKey) return 'toggle';
  return undefined;
}

/** Whether a key asks to undo or to do again. */
export function historyCommand(event: KeyEvent): 'undo' | 'redo' | undefined {
  if (!isMod(event) || event.altKey) return undefined;
  const key = event.key.toLowerCase();
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo';
  return key === 'y' && !event.shiftKey && !isMac() ? 'redo' : undefined;
}

type KeyEvent = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing'>;

function isMod(event: KeyEvent): boolean {
  return isMac() ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}

function isMac(): boolean {
  return typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);
}
