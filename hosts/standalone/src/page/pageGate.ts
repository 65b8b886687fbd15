import type { IncomingHttpHeaders } from 'node:http';

/**
 * The names under which a browser may call us, with any port: an SSH tunnel may bring another one here. Any other
 * name is a web page that rebound its own name to 127.0.0.1.
 */
const loopbackHost = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

/**
 * Why a request must be refused with 403 before anything else about it is looked at, or undefined when it may go
 * on. A page of ours sends our own origin; what another page makes a browser send carries the other's.
 */
export function findForeignPage(headers: IncomingHttpHeaders): string | undefined {
  const host = hostOf(headers);
  if (host === undefined) {
    return 'The Host header must be 127.0.0.1, localhost or [::1], with any port.';
  }
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) {
    return 'Requests from other web pages are refused.';
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return 'Requests from other web pages are refused: open the address in a tab of its own.';
  }
  return undefined;
}

/** The host that a request is for, if it is this machine's own. */
export function hostOf(headers: IncomingHttpHeaders): string | undefined {
  const host = headers.host?.trim().toLowerCase();
  return host !== undefined && loopbackHost.test(host) ? host : undefined;
}
