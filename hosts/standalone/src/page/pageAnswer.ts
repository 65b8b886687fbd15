import type { ServerResponse } from 'node:http';
import { type PageFailureCode, pageFailureStatus } from '@tandem/page/wire';
import { commandName } from '../output.js';

type FailureCode = Exclude<PageFailureCode, 'unreachable'>;

/** A request of the page that cannot be fulfilled. The message is for the person. */
export class PageFailure extends Error {
  override readonly name = 'PageFailure';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** What stands in every answer: nothing is kept, guessed, framed or read by another page. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** How long a page may go on sending what is not wanted. */
const drainMs = 5_000;

export const noToken = `The token is missing or wrong. Open the address that "${commandName} page" prints in the folder of this companion.`;

export function sendResult(response: ServerResponse, result: unknown): void {
  sendJson(response, 200, { result });
}

export function sendFailure(response: ServerResponse, code: FailureCode, message: string): void {
  sendJson(response, pageFailureStatus[code], { error: { code, message } });
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
    // The rest of a body that was not read would be taken for the next request.
    ...(!request.complete && { connection: 'close' }),
  });
  if (request.complete || request.headers.expect !== undefined) {
    response.end(body);
    return;
  }
  // Were the socket closed on a page that still sends, it would see a reset in place of the answer. What still comes is
  // thrown away for a while.
  response.write(body);
  const limit = setTimeout(() => request.socket.destroy(), drainMs);
  request.once('close', () => clearTimeout(limit)).once('end', () => response.end());
  request.resume();
}
