/** What is needed of a `KeyboardEvent`. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  getModifierState(name: string): boolean;
}

/** Whether a press is this key, such as `Mod+Shift+P`. Letters go by their place with Alt, where a Mac types another character. */
export function matchesKey(event: KeyPress, keys: string, isMac: boolean): boolean {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const has = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  // AltGr is Ctrl and Alt at once on Windows, and types characters.
  if (event.getModifierState('AltGraph')) return false;
  if ((isMac ? event.metaKey : event.ctrlKey) !== has('Mod')) return false;
  if ((isMac ? event.ctrlKey : event.metaKey) || event.altKey !== has('Alt')) return false;
  // The shift that it takes to type `?` depends on the keyboard.
  if (!isPlain(keys) && event.shiftKey !== has('Shift')) return false;
  if (/^[A-Z]$/.test(key)) return has('Alt') ? event.code === `Key${key}` : event.key.toUpperCase() === key;
  return event.key === key;
}

/** Whether it is a character without modifiers, which a text would take as typed. */
export function isPlain(keys: string): boolean {
  return keys.length === 1;
}
