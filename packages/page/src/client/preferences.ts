import { useSyncExternalStore } from 'react';
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
  /** Changes of white space alone look like unchanged lines. */
  readonly hidesSpaceChanges: boolean;
}

/** Kept in the browser's storage if there is one. */
export const codePreferences = create<CodePreferences>()(
  persist(
    (): CodePreferences => ({
      wraps: false,
      showsWhitespace: false,
      diffMode: 'auto',
      collapsesUnchanged: true,
      hidesSpaceChanges: false,
    }),
    { name: 'tandem.code', version: 1 },
  ),
);

/** Turns one of the switches over. */
export function togglePreference(
  name: 'wraps' | 'showsWhitespace' | 'collapsesUnchanged' | 'hidesSpaceChanges',
): void {
  codePreferences.setState((state) => ({ [name]: !state[name] }));
}

/** Text sizes in percent of the browser's. */
export const textSizes = [85, 100, 115, 130, 150] as const;

export interface AppearancePreferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly textSize: (typeof textSizes)[number];
}

/** The look of the page, kept in the browser. `public/appearance.js` applies it. */
export const appearancePreferences = create<AppearancePreferences>()(
  persist((): AppearancePreferences => ({ theme: 'system', textSize: 100 }), {
    name: 'tandem.appearance',
    version: 1,
  }),
);
// Listeners are called before the choice is stored.
appearancePreferences.subscribe(() =>
  queueMicrotask(() => window.dispatchEvent(new Event('tandem-appearance'))),
);

/** Whether the user turned desktop notifications on; the browser must allow them as well. */
export const notificationPreferences = create<{ readonly isOn: boolean }>()(
  persist((): { readonly isOn: boolean } => ({ isOn: false }), { name: 'tandem.notifications', version: 1 }),
);

interface LayoutPreferences {
  /** Width of the side bar in CSS pixels. */
  readonly sideWidth: number;
  readonly isSideShown: boolean;
  readonly showsReviews: boolean;
  readonly showsFiles: boolean;
  readonly isChatShown: boolean;
  /** Width of the chat in CSS pixels. */
  readonly chatWidth: number;
}

/** Widths of the side bar in CSS pixels. */
export const sideWidths = { narrowest: 200, usual: 280, widest: 560 } as const;

/** Widths of the chat in CSS pixels. */
export const chatWidths = { narrowest: 300, usual: 400, widest: 900 } as const;

/** The user's layout of the page, kept in the browser. */
export const layoutPreferences = create<LayoutPreferences>()(
  persist(
    (): LayoutPreferences => ({
      sideWidth: sideWidths.usual,
      isSideShown: true,
      showsReviews: true,
      showsFiles: true,
      isChatShown: false,
      chatWidth: chatWidths.usual,
    }),
    { name: 'tandem.layout', version: 1 },
  ),
);

export function toggleSide(): void {
  layoutPreferences.setState(({ isSideShown }) => ({ isSideShown: !isSideShown }));
}

const query = '(max-width: 719px)';

/** Whether the page is so narrow that it shows one view at a time. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
  );
}
