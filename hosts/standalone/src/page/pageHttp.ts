import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type RpcAnswer, rpcStatus } from '@tandem/rpc';
import { commandName } from '../output.js';

/** Headers of every answer: other sites may not read or frame it, and browsers do not guess its type. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** How long a page may still send a refused body. */
const drainMs = 5_000;

export const noToken = `The token is missing or wrong. Open the address that "${commandName} page" prints in the folder of this companion.`;

export function sendAnswer(response: ServerResponse, answer: RpcAnswer): void {
  sendJson(response, 'error' in answer ? rpcStatus[answer.error.code] : 200, answer);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(JSON.stringify(value));
  const request = response.req;
  response.writeHead(status, {
    ...commonHeaders,
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    // Otherwise Node reads the rest of the body as the next request.
    ...(!request.complete && { connection: 'close' }),
  });
  if (request.complete || request.headers.expect !== undefined) {
    response.end(body);
    return;
  }
  // A page that still sends when the socket closes sees a reset instead of the answer: discard the rest for a while.
  response.write(body);
  const limit = setTimeout(() => request.socket.destroy(), drainMs);
  request.once('close', () => clearTimeout(limit)).once('end', () => response.end());
  request.resume();
}

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
