import type { ServerResponse } from 'node:http';
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
