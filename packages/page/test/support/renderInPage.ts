import { act, createElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { onTestFinished } from 'vitest';
import { setActEnvironment } from '../../../chat-panel/test/support/actEnvironment.js';
import { Shell, ShellContext } from '../../src/app/shell.js';
import { PageContext } from '../../src/client/pageContext.js';
import { createPageStore, type PageHost } from '../../src/client/pageStore.js';
import { TextSessions } from '../../src/client/textSessions.js';

/** Renders a part of the page. Its host answers no request, unless the test gives `request`. */
export function renderInPage(part: ReactNode, { request }: Partial<Pick<PageHost, 'request'>> = {}) {
  setActEnvironment(true);
  const host: PageHost = {
    connection: 'open',
    request: request ?? (() => new Promise(() => {})),
    onEvent: () => () => {},
    onConnection: () => () => {},
    start: () => {},
    retry: () => {},
    close: () => {},
  };
  const store = createPageStore(host);
  const services = { host, store, texts: new TextSessions(host, store) };
  const shell = new Shell(services);
  const element = document.body.appendChild(document.createElement('div'));
  const root = createRoot(element);
  act(() =>
    root.render(
      createElement(
        PageContext.Provider,
        { value: services },
        createElement(ShellContext.Provider, { value: shell }, part),
      ),
    ),
  );
  onTestFinished(() => {
    act(() => root.unmount());
    element.remove();
  });
  return { store, shell };
}
