/** What `matchesKey` needs of a `KeyboardEvent`. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  getModifierState(name: string): boolean;
}

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

const names: Readonly<Record<string, string>> = {
  Mod: 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  PageDown: 'PgDn',
  PageUp: 'PgUp',
};
const macNames: Readonly<Record<string, string>> = { Mod: '⌘', Alt: '⌥', Shift: '⇧', Backspace: '⌫' };

/**
 * The parts of a key, as they are printed on this machine's keyboard. A key is written like `Mod+Shift+P`: the modifiers
 * `Mod` (Cmd on a Mac, Ctrl elsewhere), `Alt` and `Shift`, then a letter or a `KeyboardEvent.key`.
 */
export function keyLabels(keys: string): readonly string[] {
  return keys.split(/[+-](?=.)/).map((part) => (isMac ? macNames[part] : undefined) ?? names[part] ?? part);
}

/** The key for a tooltip, such as `Ctrl+P` or `⌘P`. */
export function keyText(keys: string): string {
  return keyLabels(keys).join(isMac ? '' : '+');
}

/** The key for `aria-keyshortcuts`. */
export function ariaKeys(keys: string): string {
  return keys.replace('Mod', isMac ? 'Meta' : 'Control');
}

/** Whether an event is this key. With Alt, letters match by their position, because a Mac types another character. */
export function matchesKey(event: KeyPress, keys: string, onMac = isMac): boolean {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const has = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  // AltGr is Ctrl and Alt at once on Windows, and types characters.
  if (event.getModifierState('AltGraph')) return false;
  if ((onMac ? event.metaKey : event.ctrlKey) !== has('Mod')) return false;
  if ((onMac ? event.ctrlKey : event.metaKey) || event.altKey !== has('Alt')) return false;
  // Whether `?` needs Shift depends on the keyboard.
  if (!isPlain(keys) && event.shiftKey !== has('Shift')) return false;
  if (/^[A-Z]$/.test(key)) return has('Alt') ? event.code === `Key${key}` : event.key.toUpperCase() === key;
  return event.key === key;
}

/** Whether a key is a character without modifiers, which a text field would insert. */
export function isPlain(keys: string): boolean {
  return keys.length === 1;
}
