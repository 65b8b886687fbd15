import { request } from 'node:http';
import { awakeLimit } from './awakeLimit.js';
import { type LocalAddress, requestOptions } from './localAddress.js';
import { requireOwnSocket } from './socketPath.js';

export type HttpAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly sessionId?: string; readonly text: string }
  /** Nothing listens there. */
  | { readonly kind: 'silent' }
  /** The answer is not HTTP, or too late; or the socket is not one of this user. */
  | { readonly kind: 'unresponsive' };

/** In code units; enough for the answer to `initialize`. */
const maxAnswer = 256 * 1024;

/** Sends one request to a program on this machine. Never rejects. Reads an event stream up to its first event. */
export function askHttp(options: {
  readonly address: LocalAddress;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
}): Promise<HttpAnswer> {
  const { address, method, path, headers, body, timeoutMs } = options;
  try {
    if ('socket' in address) requireOwnSocket(address.socket);
  } catch {
    return Promise.resolve({ kind: 'unresponsive' });
  }
  const to = requestOptions(address);
  const limit = awakeLimit(timeoutMs);
  const answer = new Promise<HttpAnswer>((resolve) => {
    const asking = request(
      {
        ...to,
        method,
        path,
        headers: { ...headers, ...to.headers },
        agent: false,
        signal: limit.signal,
      },
      (response) => {
        let text = '';
        const { statusCode: status = 0, headers: answered } = response;
        const sessionId = answered['mcp-session-id'];
        const settle = (): void =>
          resolve({
            kind: 'answer',
            status,
            text,
            ...(typeof sessionId === 'string' && { sessionId }),
          });
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > maxAnswer || text.includes('\n\n')) response.destroy();
        });
        response.on('error', settle).on('close', settle);
      },
    );
    asking.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: ['ECONNREFUSED', 'ENOENT'].includes(error.code ?? '') ? 'silent' : 'unresponsive' }),
    );
    asking.end(body);
  });
  return answer.finally(() => limit.dispose());
}
