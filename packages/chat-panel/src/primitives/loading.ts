import { messageOf } from '@tandem/core';
import {
  type DependencyList,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useState,
} from 'react';

/** The result of `load`, or why it failed. It runs when this is shown and when `dependencies` change. */
export function useLoaded<T>(
  load: () => Promise<T>,
  dependencies: DependencyList,
): { readonly value?: T; readonly failure?: string } {
  const [loaded, setLoaded] = useState<{ readonly value?: T; readonly failure?: string }>({});
  const start = useEffectEvent(load);
  useEffect(() => {
    let isGone = false;
    start().then(
      (value) => isGone || setLoaded({ value }),
      (error: unknown) => isGone || setLoaded({ failure: messageOf(error) }),
    );
    return () => {
      isGone = true;
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names them.
  }, dependencies);
  return loaded;
}

/** What fits into the width of an element, in pixels; absent until it is known. A hidden element keeps the last value. */
export function useFit<T>(
  element: RefObject<HTMLElement | null>,
  choose: (width: number) => T,
): T | undefined {
  const [fit, setFit] = useState<T>();
  const measure = useEffectEvent((width: number) => {
    if (width > 0) setFit(choose(width));
  });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => measure(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return fit;
}
