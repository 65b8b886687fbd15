import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatBytes } from './limits.js';
import type { Refusal } from './refusal.js';
import { rpcCode } from './rpcError.js';

/** `gone`: the client disconnected. */
export type RequestBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'gone' };

/**
 * Reads and parses a body of at most `limit` bytes. Refuses a larger declared length before it reads anything.
 */
export async function readRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<RequestBody> {
  if (Number(request.headers['content-length']) > limit) return tooLarge(limit);
  if (request.headers.expect !== undefined) response.writeContinue();
  const bytes = await collect(request, limit);
  if (bytes === 'gone') return { kind: 'gone' };
  if (bytes === 'too large') return tooLarge(limit);
  return parse(bytes);
}

/**
 * With listeners: leaving a `for await` loop early destroys the socket, on which the 413 must be sent.
 */
function collect(request: IncomingMessage, limit: number): Promise<Buffer | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const settle = (outcome: Buffer | 'too large' | 'gone'): void => {
      request.off('data', take).off('end', end).off('close', gone).off('error', gone);
      // A later error of an aborted request must not be uncaught.
      request.on('error', () => {});
      resolve(outcome);
    };
    const take = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > limit) {
        request.pause();
        settle('too large');
      } else chunks.push(chunk);
    };
    const end = (): void => settle(Buffer.concat(chunks, received));
    const gone = (): void => settle('gone');
    request.on('data', take).on('end', end).on('close', gone).on('error', gone);
  });
}

function parse(bytes: Buffer): RequestBody {
  // Decoding other bytes would put replacement characters into a file.
  if (!isUtf8(bytes)) return parseError('The body is not UTF-8.');
  try {
    return { kind: 'json', value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return parseError('The body is not valid JSON.');
  }
}

function parseError(message: string): RequestBody {
  return {
    kind: 'refused',
    refusal: { status: 400, code: rpcCode.parseError, message: `Parse error: ${message}` },
  };
}

function tooLarge(limit: number): RequestBody {
  const message = `Payload too large: a request body may have at most ${formatBytes(limit)}.`;
  return { kind: 'refused', refusal: { status: 413, message } };
}
