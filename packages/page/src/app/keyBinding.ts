/** One key and what it does, for the dispatcher and for the overlay that lists them. */
export interface KeyBinding {
  /** Such as `Mod+P`: modifiers `Mod` (Cmd on a Mac, Ctrl elsewhere), `Alt`, `Shift`, then `KeyboardEvent.key` or a letter. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly group: KeyGroup;
  readonly run: () => void;
}

type KeyGroup = 'Go to' | 'Chat' | 'Reviews' | 'Files' | 'Sharing' | 'Page';

export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

/** The key as it is printed on the keyboard at hand. */
export function keyLabels(keys: string): readonly string[] {
  return keys.split(/[+-](?=.)/).map((part) => (isMac ? macNames : names)[part] ?? names[part] ?? part);
}

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
const macNames: Readonly<Record<string, string>> = { Mod: '⌘', Alt: '⌥', Shift: '⇧' };
