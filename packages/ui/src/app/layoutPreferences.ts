import { create } from 'zustand';
import { persist } from 'zustand/middleware';

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

export const narrowestSide = 200;
export const widestSide = 560;
export const usualChat = 400;
export const narrowestChat = 300;
export const widestChat = 900;

/** How a person laid the page out: the same the next time. */
export const layoutPreferences = create<LayoutPreferences>()(
  persist(
    (): LayoutPreferences => ({
      sideWidth: 280,
      isSideShown: true,
      showsReviews: true,
      showsFiles: true,
      isChatShown: false,
      chatWidth: usualChat,
    }),
    { name: 'tandem.layout', version: 1 },
  ),
);

export function setSideWidth(width: number): void {
  layoutPreferences.setState({ sideWidth: Math.round(Math.min(widestSide, Math.max(narrowestSide, width))) });
}

export function setChatWidth(width: number): void {
  layoutPreferences.setState({ chatWidth: Math.round(Math.min(widestChat, Math.max(narrowestChat, width))) });
}

export function toggleSide(): void {
  layoutPreferences.setState(({ isSideShown }) => ({ isSideShown: !isSideShown }));
}
