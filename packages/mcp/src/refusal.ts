import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { awakeTimeout } from '@tandem/core';
import type { Sizes, Timing } from './limits.js';
import { rpcCode, rpcErrorBody } from './rpcError.js';

/** An HTTP error response. Its body is a JSON-RPC error, which MCP clients show to users. */
export interface Refusal {
  readonly status: number;
  /** JSON-RPC error code. Default: -32000, because JSON-RPC defines none. */
  readonly code?: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Refuses a request, even while its body is still arriving.
 *
 * If the socket were closed now, the kernel would answer unread bytes with a reset, and the client would not see the answer.
 * So the answer is sent, then the rest of the body is discarded up to a bound, then the response ends.
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  bounds: Pick<Timing, 'drainMs'> & Pick<Sizes, 'drainBytes'>,
): void {
  if (response.headersSent || response.destroyed) return;
  const body = rpcErrorBody(refusal.code ?? rpcCode.refused, refusal.message);
  const bodyIsPending = !request.complete && hasBody(request);
  response.writeHead(refusal.status, {
    ...refusal.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(bodyIsPending ? { connection: 'close' } : {}),
  });
  // A client that waits for `100 Continue` has sent no body.
  if (!bodyIsPending || request.headers.expect !== undefined) {
    response.end(body);
    return;
  }
  response.write(body);
  drain(request, bounds, () => response.end());
}

/** Refuses an upgrade request, for which Node has no `ServerResponse`, and closes the socket. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const body = rpcErrorBody(refusal.code ?? rpcCode.refused, refusal.message);
  const headers: Record<string, string> = {
    ...refusal.headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const reason = STATUS_CODES[refusal.status] ?? '';
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${refusal.status} ${reason}\r\n${head.join('')}\r\n${body}`);
}

export const shuttingDown: Refusal = { status: 503, message: 'The companion is shutting down.' };
export const tooManySessions: Refusal = {
  status: 503,
  message: 'Too many agents are connected to this companion. Close some of them, then connect again.',
  headers: { 'retry-after': '1' },
};

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
}

function drain(
  request: IncomingMessage,
  bounds: Pick<Timing, 'drainMs'> & Pick<Sizes, 'drainBytes'>,
  done: () => void,
): void {
  let drained = 0;
  const stop = (): void => {
    limit.dispose();
    request.off('data', count).off('end', finish).off('close', finish);
  };
  const finish = (): void => {
    stop();
    done();
  };
  const giveUp = (): void => {
    stop();
    request.socket.destroy();
  };
  const count = (chunk: Buffer): void => {
    drained += chunk.length;
    if (drained > bounds.drainBytes) giveUp();
  };
  const limit = awakeTimeout(giveUp, bounds.drainMs);
  request.on('data', count).on('end', finish).on('close', finish);
  request.resume();
}
