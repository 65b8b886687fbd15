import { type RefObject, useLayoutEffect, useState } from 'react';
import { codePreferences, type DiffMode } from '../code/codePreferences.js';
import type { ReviewLayout } from './reviewEditor.js';

/** From this width on, in pixels, two texts beside each other can be read. */
const wideEnough = 900;
/** Below this one they cannot, whatever the person asked for on another screen. */
const tooNarrow = 560;

interface Layout {
  /** Absent until the room is known. */
  readonly layout: ReviewLayout | undefined;
  /** Whether the person has a choice between the two. */
  readonly canSplit: boolean;
  /** Whether it is laid out otherwise than the person or the room asks for. */
  readonly isForced: boolean;
  readonly choose: (layout: 'split' | 'unified') => void;
}

/**
 * How a review is laid out in the room that an element has. A vast one goes side by side only: a unified view draws all
 * lines that go, however many, at every key.
 */
export function useLayout(
  element: RefObject<HTMLElement | null>,
  isSingle: boolean,
  isVast: boolean,
): Layout {
  const mode = codePreferences((state) => state.diffMode);
  const [room, setRoom] = useState<'wide' | 'middle' | 'narrow'>();
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => {
      const width = current.clientWidth;
      // Hidden behind another tab it has no width, and keeps the layout it had.
      if (width > 0) setRoom(width >= wideEnough ? 'wide' : width < tooNarrow ? 'narrow' : 'middle');
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  const byRoom = room === 'wide' ? 'split' : 'unified';
  const choose = (layout: 'split' | 'unified'): void => {
    // Who chooses what the room asks for anyway goes by the room again.
    const diffMode: DiffMode = layout === byRoom ? 'auto' : layout;
    codePreferences.setState({ diffMode });
  };
  const canSplit = !isSingle && !isVast && room !== 'narrow';
  const wanted = room !== 'narrow' && mode !== 'auto' ? mode : byRoom;
  const given = { canSplit, isForced: false, choose };
  if (room === undefined) return { ...given, layout: undefined };
  if (isSingle) return { ...given, layout: 'single' };
  if (isVast) return { ...given, layout: 'split', isForced: wanted !== 'split' };
  return { ...given, layout: wanted };
}
