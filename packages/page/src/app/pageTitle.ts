import { visibleName } from '@tandem/core';
import type { PageStore } from '../client/pageStore.js';

/** Keeps the title of the browser's tab: how many reviews wait, and where. Returns what stops it. */
export function followTitle(store: PageStore): () => void {
  const update = (): void => {
    const { reviews, host } = store.getState();
    const waiting = reviews.filter(({ state }) => state === 'pending').length;
    const place = host?.folders.map(({ name }) => visibleName(name)).join(', ');
    const title = place ? `Tandem - ${place}` : 'Tandem';
    const full = waiting > 0 ? `(${waiting}) ${title}` : title;
    if (document.title !== full) document.title = full;
  };
  update();
  return store.subscribe(update);
}
