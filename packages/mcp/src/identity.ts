import type { ServerResponse } from 'node:http';
import { askHttp } from './askHttp.js';
import type { LocalAddress } from './localAddress.js';

/** When this process started, in Unix milliseconds. */
export const processStartedAt = Math.round(performance.timeOrigin);

/** Answers `GET /identity`, by which other companions and `doctor` distinguish a live companion from a stale file. */
export function answerIdentity(response: ServerResponse, identity: Readonly<Record<string, unknown>>): void {
  const body = JSON.stringify(identity);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
}

/** Asks a companion for its identity. Undefined if none answers in time or accepts the token. */
export async function askIdentity(options: {
  readonly address: LocalAddress;
  readonly token: string;
  /** Of the `Authorization` header. Default: `Bearer`. */
  readonly scheme?: string;
  readonly timeoutMs: number;
}): Promise<Record<string, unknown> | undefined> {
  const { address, token, scheme = 'Bearer', timeoutMs } = options;
  const headers = { authorization: `${scheme} ${token}` };
  const answer = await askHttp({ address, method: 'GET', path: '/identity', headers, timeoutMs });
  return answer.kind === 'answer' && answer.status === 200 ? parseObject(answer.text) : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
