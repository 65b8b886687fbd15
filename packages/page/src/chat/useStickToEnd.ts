import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Nearer to the end than this a list counts as being there. */
export const nearEndPixels = 48;
const upwardKeys = ['ArrowUp', 'PageUp', 'Home'];

/**
 * Keeps a list at its end while it grows, until the person scrolls up, and again when they are back. Whether a list is at
 * its end cannot be read from where it is scrolled: what was added a moment ago has not been measured yet.
 *
 * @param size anything that is another value when the list has grown
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  size: string,
): { readonly isAtEnd: boolean; stick(): void } {
  const [isAtEnd, setAtEnd] = useState(true);
  const sticks = useRef(true);
  // By the element itself: a list that measures its rows as they come corrects itself by where it is scrolled.
  const toEnd = useCallback((): void => {
    const { current } = scroller;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [scroller]);
  const set = useCallback((value: boolean): void => {
    sticks.current = value;
    setAtEnd(value);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has grown shows its end.
  useLayoutEffect(() => {
    if (sticks.current) toEnd();
  }, [size, toEnd]);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    let isHeld = false;
    const look = (): void => {
      const isNear = current.scrollHeight - current.scrollTop - current.clientHeight <= nearEndPixels;
      if (isNear && !isHeld) set(true);
    };
    const leave = (): void => {
      set(false);
      // At the very end, or in a short list, nothing was left.
      requestAnimationFrame(() => requestAnimationFrame(look));
    };
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY < 0) leave();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (upwardKeys.includes(event.key)) leave();
    };
    // The bar at the side is a part of the element itself.
    const onDown = (event: PointerEvent): void => {
      if (event.target !== current) return;
      isHeld = true;
      set(false);
    };
    const onUp = (): void => {
      isHeld = false;
      look();
    };
    const observer = new ResizeObserver(() => {
      // A question that comes takes room from the list, which then no longer shows its end.
      if (sticks.current) toEnd();
    });
    observer.observe(current);
    if (current.firstElementChild !== null) observer.observe(current.firstElementChild);
    const listeners = new AbortController();
    const { signal } = listeners;
    current.addEventListener('scroll', look, { passive: true, signal });
    current.addEventListener('wheel', onWheel, { passive: true, signal });
    current.addEventListener('touchmove', leave, { passive: true, signal });
    current.addEventListener('keydown', onKey, { signal });
    current.addEventListener('pointerdown', onDown, { signal });
    window.addEventListener('pointerup', onUp, { signal });
    return () => {
      listeners.abort();
      observer.disconnect();
    };
  }, [scroller, set, toEnd]);
  const stick = useCallback((): void => {
    set(true);
    toEnd();
  }, [set, toEnd]);
  return { isAtEnd, stick };
}
