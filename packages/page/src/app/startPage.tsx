import { visibleName } from '@tandem/core';
import { createRoot } from 'react-dom/client';
import { PageContext, type PageServices } from '../client/pageContext.js';
import type { PageHost } from '../client/pageHost.js';
import { createPageStore, type PageStore } from '../client/pageStore.js';
import { TextSessions } from '../client/textSessions.js';
import { ErrorBoundary } from './errorBoundary.js';
import { PageApp } from './pageApp.js';
import { Shell } from './shell.js';
import { ShellContext } from './shellContext.js';

/** Builds the page on a host and connects. It lives until the browser's tab is closed. */
export function startPage(element: Element, host: PageHost): void {
  const store = createPageStore(host);
  const texts = new TextSessions(host, store);
  const services: PageServices = { host, store, texts };
  const shell = new Shell(services);
  shell.start();
  followTitle(store);
  host.onEvent(({ event }) => {
    // The companion is gone for good, and its folder with it.
    if (event === 'demo-ended') host.close();
  });
  window.addEventListener('beforeunload', (event) => {
    if (shell.holdsUnsentText && !store.getState().isDemoOver) event.preventDefault();
  });
  createRoot(element).render(
    <PageContext value={services}>
      <ShellContext value={shell}>
        <ErrorBoundary name="The page">
          <PageApp />
        </ErrorBoundary>
      </ShellContext>
    </PageContext>,
  );
  host.start();
}

/** Keeps the title of the browser's tab: the number of pending reviews, and the folder. Returns a function that stops it. */
function followTitle(store: PageStore): () => void {
  const update = (): void => {
    const { reviews, host } = store.getState();
    const pending = reviews.filter(({ state }) => state === 'pending').length;
    const folder = host?.folders.map(({ name }) => visibleName(name)).join(', ');
    const title = folder ? `Tandem - ${folder}` : 'Tandem';
    const full = pending > 0 ? `(${pending}) ${title}` : title;
    if (document.title !== full) document.title = full;
  };
  update();
  return store.subscribe(update);
}
