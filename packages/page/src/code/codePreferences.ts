import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** How a review lays its two texts out. `auto` goes by the room there is. */
export type DiffMode = 'auto' | 'split' | 'unified';

/** How all editors of the page show code. */
export interface CodePreferences {
  readonly wraps: boolean;
  readonly showsWhitespace: boolean;
  readonly diffMode: DiffMode;
  readonly collapsesUnchanged: boolean;
}

/** Kept in the browser's storage if there is one. */
export const codePreferences = create<CodePreferences>()(
  persist(
    (): CodePreferences => ({
      wraps: false,
      showsWhitespace: false,
      diffMode: 'auto',
      collapsesUnchanged: true,
    }),
    { name: 'tandem.code', version: 1 },
  ),
);

/** Turns one of the switches over. */
export function togglePreference(name: 'wraps' | 'showsWhitespace' | 'collapsesUnchanged'): void {
  codePreferences.setState((state) => ({ [name]: !state[name] }));
}
