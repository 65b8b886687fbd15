import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** The distance within which a list counts as being at its end. */
export const nearEndPixels = 48;
const upwardKeys = ['ArrowUp', 'PageUp', 'Home'];

/**
 * Keeps a growing list at its end until the user scrolls up, and again when they return. The scroll position alone does not
 * show whether the list is at its end, because new rows are not measured yet.
 *
 * @param size a value that changes when the list grows
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  size: string,
): { readonly isAtEnd: boolean; stick(): void } {
  const [isAtEnd, setAtEnd] = useState(true);
  const sticks = useRef(true);
  // Set on the element: the virtual list corrects itself by its scroll position.
  const toEnd = useCallback((): void => {
    const { current } = scroller;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [scroller]);
  const set = useCallback((value: boolean): void => {
    sticks.current = value;
    setAtEnd(value);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list grows.
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
      // At the end, or in a short list, the user did not scroll.
      requestAnimationFrame(() => requestAnimationFrame(look));
    };
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY < 0) leave();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (upwardKeys.includes(event.key)) leave();
    };
    // The scroll bar belongs to the element.
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
      // A new request makes the list smaller.
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
