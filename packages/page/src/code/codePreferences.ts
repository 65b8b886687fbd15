import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** How a review lays its two texts out. `auto` goes by the room there is. */
export type DiffMode = 'auto' | 'split' | 'unified';

/** How a person wants code shown: the same in all editors of the page, and the next time as well. */
export interface CodePreferences {
  readonly wraps: boolean;
  readonly showsWhitespace: boolean;
  readonly diffMode: DiffMode;
  readonly collapsesUnchanged: boolean;
}

/** Kept in the browser's storage; where there is none, for as long as the page lives. */
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
