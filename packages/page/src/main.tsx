import { createRoot } from 'react-dom/client';
import { StartHelp } from './app/startHelp.js';
import { HttpHost } from './client/httpHost.js';
import '@tandem/chat-panel/theme/tokens.css';
import '@tandem/chat-panel/theme/agents.css';
import '@tandem/chat-panel/theme/base.css';
import { ErrorBoundary } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { PageApp } from './app/pageApp.js';
import { Shell, ShellContext } from './app/shell.js';
import { PageContext, type PageServices } from './client/pageContext.js';
import { createPageStore, type PageHost, type PageStore } from './client/pageStore.js';
import { TextSessions } from './client/textSessions.js';

const tokenName = 'tandem.token';
const keyName = 'tandem.key';

/**
 * The secrets of this tab, in its session storage only. The address has a key, which is valid until its companion ends,
 * because browsers keep addresses in their history. The companion gives the tab a token, which a restart keeps valid.
 */
function readPageSecrets(): readonly string[] {
  takeKeyFromAddress();
  return [sessionStorage.getItem(keyName), sessionStorage.getItem(tokenName)].filter((each) => each !== null);
}

function keepPageToken(token: string): void {
  sessionStorage.setItem(tokenName, token);
  sessionStorage.removeItem(keyName);
}

/** Calls `onKey` when the user opens an address with a key in this tab: the browser does not reload the page then. */
function followAddress(onKey: () => void): void {
  window.addEventListener('hashchange', () => {
    if (takeKeyFromAddress()) onKey();
  });
}

/** Removes the key from the address's fragment, which browsers do not send. Returns whether there was one. */
function takeKeyFromAddress(): boolean {
  if (location.hash === '') return false;
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key) sessionStorage.setItem(keyName, key);
  // Any fragment is removed: it may be a secret of another version.
  history.replaceState(null, '', location.pathname + location.search);
  return Boolean(key);
}

/** Builds the page on a host and connects. It lives until the browser's tab is closed. */
function startPage(element: Element, host: PageHost): void {
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

const element = document.getElementById('page');
if (element === null) throw new Error('The page has no element to stand in.');
if (readPageSecrets().length === 0) {
  followAddress(() => location.reload());
  createRoot(element).render(<StartHelp isRefused={false} />);
} else {
  const host = new HttpHost({ secrets: readPageSecrets, keepToken: keepPageToken });
  followAddress(() => host.retry());
  startPage(element, host);
}
