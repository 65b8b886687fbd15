import type { IncomingHttpHeaders } from 'node:http';

/**
 * The host names that a browser may use, with any port: an SSH tunnel may have another port. Any other name means that
 * a web page rebound its own name to 127.0.0.1.
 */
const loopbackHost = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

/**
 * Why a request must be refused with 403 before any other check; `undefined` if it may proceed. Our own page sends our
 * origin; a request that another page causes carries the origin of that page.
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

/** The host of a request, if it is this machine. */
export function hostOf(headers: IncomingHttpHeaders): string | undefined {
  const host = headers.host?.trim().toLowerCase();
  return host !== undefined && loopbackHost.test(host) ? host : undefined;
}
