import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openTab } from './browser.js';
import { type Attempt, attack, hostileDocument } from './hostilePage.js';

/**
 * A foreign name resolves to this machine, as after DNS rebinding. The protection of newer browsers against such pages
 * is off, because older ones have none.
 */
export const unguardedBrowser: readonly string[] = [
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights,PrivateNetworkAccessRespectPreflightResults',
];

/** A listener of a companion, with the token of its legitimate clients. */
export type Target = Omit<Attempt, 'base' | 'host'> & { readonly port: number };

/** The subprotocols that the page itself offers, including its token. */
export async function liveProtocols(token: string): Promise<string[]> {
  const { liveProtocol, liveTokenPrefix } = await import('../../packages/page/src/wire/index.js');
  return [liveProtocol, `${liveTokenPrefix}${token}`];
}

/** The origin of the hostile page, and the address under which it calls the listener. */
interface Origin {
  readonly what: string;
  readonly address: (hostilePort: number, port: number) => string;
  readonly base: (port: number) => string;
  readonly host: (port: number) => string;
}

const ownAddress = (port: number): string => `127.0.0.1:${port}`;
export const origins: readonly Origin[] = [
  {
    what: 'of another site',
    address: (hostile) => `http://evil.test:${hostile}/`,
    base: (port) => `http://${ownAddress(port)}`,
    host: ownAddress,
  },
  {
    what: 'of another port of this machine',
    address: (hostile) => `http://127.0.0.1:${hostile}/`,
    base: (port) => `http://${ownAddress(port)}`,
    host: ownAddress,
  },
  {
    what: 'without an origin',
    address: (hostile) => `http://evil.test:${hostile}/sandboxed`,
    base: (port) => `http://localhost:${port}`,
    host: (port) => `localhost:${port}`,
  },
  {
    what: 'whose name was rebound to this machine',
    address: (_hostile, port) => `http://rebound.test:${port}/hostile.html`,
    base: () => '',
    host: (port) => `rebound.test:${port}`,
  },
];

/**
 * Attacks one listener from one origin, and expects that each attempt reached it, was refused, and returned nothing.
 */
export async function expectNothingGot(of: {
  readonly name: string;
  readonly target: Target;
  readonly origin: Origin;
  readonly hostilePort: number;
}): Promise<void> {
  const { name, origin, hostilePort } = of;
  const { port, ...target } = of.target;
  const { address, base, host } = origin;
  const tab = await openTab({ expectedFaults: /./ });
  const answers = await watchAnswers(tab, port);
  const start = address(hostilePort, port);
  // The document as loaded before the name was rebound; all its requests go to the listener. Other origins get no such
  // route, because Playwright would then answer their preflights itself.
  if (start.endsWith('/hostile.html')) {
    await tab.route(start, (route) => route.fulfill({ contentType: 'text/html', body: hostileDocument }));
  }
  await tab.goto(start);
  const outcomes = await attack(tab, { ...target, base: base(port), host: host(port) });
  const got = Object.entries(outcomes).filter(([, outcome]) => !/^(nothing|403 )/.test(outcome));
  expect(got, name).toEqual([]);
  // Each attempt reached the listener and was refused. Hidden frames send requests as well.
  const statuses = await answers();
  expect([...new Set(statuses.values())].sort(), `${name}: ${[...statuses].join(' ')}`).toSatisfy(
    (found: number[]) => found.length > 0 && found.every((status) => status === 401 || status === 403),
  );
  const tried = Object.keys(outcomes).map((outcome) => outcome.split(' ')[0] ?? '');
  const unanswered = tried.filter((each) => ![...statuses.keys()].some((key) => key.startsWith(each)));
  expect(unanswered, `${name}: never reached the listener`).toEqual([]);
  await tab.close();
}

/**
 * Records the listener's answer to each attempt by name, including preflights and handshakes, which a page cannot see.
 */
async function watchAnswers(tab: Page, port: number): Promise<() => Promise<ReadonlyMap<string, number>>> {
  const devtools = await tab.context().newCDPSession(tab);
  await devtools.send('Network.enable');
  const names = new Map<string, string>();
  const statuses = new Map<string, number>();
  const note = (id: string, url: string): void => {
    const asked = new URL(url);
    const name = asked.searchParams.get('try');
    if (asked.port === String(port) && name !== null) names.set(id, name);
  };
  // Responses are reported separately from their requests, and sometimes before them.
  const answered = new Map<string, number>();
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => note(requestId, request.url));
  devtools.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    answered.set(requestId, statusCode);
  });
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    answered.set(requestId, response.status);
  });
  tab.on('console', (message) => {
    const [, name, status] =
      /try=([\w-]+)' failed: .*Unexpected response code: (\d+)/.exec(message.text()) ?? [];
    if (name !== undefined) statuses.set(`${name} handshake`, Number(status));
  });
  return async () => {
    // When this later call returns, all earlier answers have been reported.
    await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
    for (const [id, name] of names) {
      const status = answered.get(id);
      if (status !== undefined) statuses.set(`${name} ${id}`, status);
    }
    return statuses;
  };
}
