import type { ReviewSummary } from '@tandem/rpc';
import { createContext, useContext, useMemo } from 'react';
import type { PageHost, PageState, PageStore } from './pageStore.js';
import type { TextSessions } from './textSessions.js';

/** What every part of the page may use. */
export interface PageServices {
  readonly host: PageHost;
  readonly store: PageStore;
  readonly texts: TextSessions;
}

export const PageContext = createContext<PageServices | undefined>(undefined);

export function usePage(): PageServices {
  const services = useContext(PageContext);
  if (services === undefined) throw new Error('A part of the page is used outside of it.');
  return services;
}

/** A part of the page's state. The component renders again when that part changes. */
export function usePageState<T>(select: (state: PageState) => T): T {
  return usePage().store(select);
}

/** The pending reviews, by the paths of their files. */
export function usePendingByPath(): ReadonlyMap<string, readonly ReviewSummary[]> {
  const reviews = usePageState((state) => state.reviews);
  return useMemo(() => {
    const byPath = new Map<string, ReviewSummary[]>();
    for (const review of reviews) {
      if (review.state === 'pending') byPath.set(review.path, [...(byPath.get(review.path) ?? []), review]);
    }
    return byPath;
  }, [reviews]);
}

/** How this user runs the command: `tandem`, or `npx tandem` in a checkout. */
export function useCommand(): string {
  return usePageState(({ host }) => host?.command ?? servedCommand());
}

/** The same, for a page that is not connected. */
export function servedCommand(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="tandem-command"]')?.content ?? 'tandem';
}
