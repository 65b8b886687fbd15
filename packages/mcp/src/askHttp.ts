import { request } from 'node:http';
import { awakeLimit } from './awakeLimit.js';

export type HttpAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly sessionId?: string; readonly text: string }
  /** Nothing listens on the port. */
  | { readonly kind: 'silent' }
  /** The answer is not HTTP, or too late. */
  | { readonly kind: 'unresponsive' };

/** In code units; enough for the answer to `initialize`. */
const maxAnswer = 256 * 1024;

/** Sends one request to a port of this machine. Never rejects. Reads an event stream up to its first event. */
export function askHttp(options: {
  readonly port: number;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
}): Promise<HttpAnswer> {
  const { port, method, path, headers, body, timeoutMs } = options;
  const limit = awakeLimit(timeoutMs);
  const answer = new Promise<HttpAnswer>((resolve) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, host: `127.0.0.1:${port}` },
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
      resolve({ kind: error.code === 'ECONNREFUSED' ? 'silent' : 'unresponsive' }),
    );
    asking.end(body);
  });
  return answer.finally(() => limit.dispose());
}
