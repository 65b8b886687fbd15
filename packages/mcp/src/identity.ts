import { request, type ServerResponse } from 'node:http';
import { awakeLimit } from './awakeTimeout.js';

/** When this process started, in Unix milliseconds. */
export const processStartedAt = Math.round(performance.timeOrigin);

/** Answers `GET /identity`, by which another companion and `doctor` tell a live companion from a stale file. */
export function answerIdentity(response: ServerResponse, identity: Readonly<Record<string, unknown>>): void {
  const body = JSON.stringify(identity);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
}

/** Enough for what `/identity` answers; anything longer is not one of us. */
const maxAnswer = 64 * 1024;

/**
 * Asks the companion behind a port who it is. Undefined when nobody answers in time, or somebody who does not
 * know the token.
 */
export function askIdentity(options: {
  readonly port: number;
  readonly token: string;
  readonly timeoutMs: number;
}): Promise<Record<string, unknown> | undefined> {
  const { port, token, timeoutMs } = options;
  const limit = awakeLimit(timeoutMs);
  const answer = new Promise<Record<string, unknown> | undefined>((resolve) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        path: '/identity',
        headers: { authorization: `Bearer ${token}`, host: `127.0.0.1:${port}` },
        agent: false,
        signal: limit.signal,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > maxAnswer) response.destroy();
        });
        response.on('error', () => resolve(undefined));
        response.on('close', () => resolve(response.statusCode === 200 ? parseObject(text) : undefined));
      },
    );
    asking.on('error', () => resolve(undefined));
    asking.end();
  });
  return answer.finally(() => limit.dispose());
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
