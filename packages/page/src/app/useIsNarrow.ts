import { useSyncExternalStore } from 'react';

const query = '(max-width: 719px)';

/** Whether the page has room for one thing at a time only. */
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
