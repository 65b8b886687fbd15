import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** The attacks of a page on one listener. It runs in the browser, so it refers to nothing outside itself. */
export interface Attempt {
  /** Such as `http://127.0.0.1:1234`; empty if the page has the listener's own address. */
  readonly base: string;
  /** `host:port` for WebSockets. */
  readonly host: string;
  readonly paths: readonly string[];
  readonly token: string;
  readonly subprotocols: readonly (readonly string[])[];
  readonly body: string;
}

/** The outcome of each attempt, by name: `nothing`, or what the page could read. */
export type Outcomes = Readonly<Record<string, string>>;

/** A foreign page on this machine, on another port. `/sandboxed` is one without an origin. */
export async function serveHostilePage(): Promise<number> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/sandboxed') {
      response.setHeader('content-security-policy', 'sandbox allow-scripts allow-forms');
    }
    response.end(hostileDocument);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export const hostileDocument = '<!doctype html><title>hostile</title><body></body>';

/** Tries every way in which a page can reach a listener, and returns what it received. */
export function attack(page: Page, attempt: Attempt): Promise<Outcomes> {
  return page.evaluate(async ({ base, host, paths, token, subprotocols, body }) => {
    const outcomes: Record<string, string> = {};
    /** Longer than anything that the browser does here. */
    const patience = 3_000;
    const within = (run: (settle: (outcome: string) => void) => void): Promise<string> =>
      new Promise((resolve) => {
        setTimeout(() => resolve('nothing'), patience);
        run(resolve);
      });
    const read = async (path: string, options: RequestInit): Promise<string> => {
      try {
        const response = await fetch(`${base}${path}`, options);
        if (response.type === 'opaque') return 'nothing';
        return `${response.status} ${await response.text()}`;
      } catch {
        return 'nothing';
      }
    };
    const authorization = `Bearer ${token}`;
    const plain = { 'content-type': 'text/plain' };
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const tries: [string, () => Promise<string>][] = [];
    for (const path of paths) {
      const at = (name: string): string => `${path}${path.includes('?') ? '&' : '?'}try=${name}`;
      const add = (name: string, run: (path: string) => Promise<string>): void => {
        tries.push([`${name} ${path}`, () => run(at(name))]);
      };
      add('get', (url) => read(url, {}));
      add('get-no-cors', (url) => read(url, { mode: 'no-cors', credentials: 'include' }));
      add('post', (url) => read(url, { method: 'POST', headers: plain, body }));
      add('post-no-cors', (url) => read(url, { method: 'POST', mode: 'no-cors', headers: plain, body }));
      add('post-json', (url) => read(url, { method: 'POST', headers: json, body }));
      add('post-token', (url) =>
        read(url, { method: 'POST', headers: { ...json, authorization, 'mcp-session-id': 'x' }, body }),
      );
      add('delete-token', (url) => read(url, { method: 'DELETE', headers: { authorization } }));
      add('beacon', async (url) => {
        navigator.sendBeacon(`${base}${url}`, body);
        return 'nothing';
      });
      add('event-source', (url) =>
        within((settle) => {
          const source = new EventSource(`${base}${url}`);
          source.onopen = () => settle('opened');
          source.onmessage = ({ data }) => settle(String(data));
          source.onerror = () => settle('nothing');
        }),
      );
      for (const tag of ['img', 'script', 'iframe'] as const) {
        add(tag, (url) =>
          within((settle) => {
            const element = document.createElement(tag);
            // A frame loads any response; its content cannot be read from here.
            element.onload = () => settle(tag === 'iframe' ? 'nothing' : 'loaded');
            element.onerror = () => settle('nothing');
            element.src = `${base}${url}`;
            document.body.append(element);
          }),
        );
      }
      add('form', (url) =>
        within((settle) => {
          const frame = document.createElement('iframe');
          frame.name = `form ${url}`;
          document.body.append(frame);
          const form = document.createElement('form');
          Object.assign(form, {
            action: `${base}${url}`,
            method: 'post',
            enctype: 'text/plain',
            target: frame.name,
          });
          const field = document.createElement('input');
          // A form sends name, "=" and value; this makes the result valid JSON.
          field.name = body.replace(/\}$/, ',"x":"');
          field.value = '"}';
          form.append(field);
          document.body.append(form);
          frame.onload = () => settle('nothing');
          form.submit();
        }),
      );
      for (const [number, names] of subprotocols.entries()) {
        add(`socket-${number}`, (url) =>
          within((settle) => {
            const socket = new WebSocket(`ws://${host}${url}`, [...names]);
            socket.onopen = () => settle('opened');
            socket.onmessage = ({ data }) => settle(String(data));
            socket.onerror = () => settle('nothing');
          }),
        );
      }
    }
    for (const [name, run] of tries) outcomes[name] = await run();
    return outcomes;
  }, attempt);
}
