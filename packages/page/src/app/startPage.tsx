import { createRoot } from 'react-dom/client';
import { PageContext, type PageServices } from '../client/pageContext.js';
import type { PageHost } from '../client/pageHost.js';
import { createPageStore } from '../client/pageStore.js';
import { TextSessions } from '../client/textSessions.js';
import { ErrorBoundary } from './errorBoundary.js';
import { PageApp } from './pageApp.js';
import { followTitle } from './pageTitle.js';
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
