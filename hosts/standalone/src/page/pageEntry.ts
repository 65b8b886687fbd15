import type { IncomingMessage, ServerResponse } from 'node:http';
import { createToken } from '@tandem/companion/loopback';
import { commonHeaders } from './pageAnswer.js';

/** A browser needs time to start. */
const validMs = 60_000;

/**
 * The entry for a browser that a program opens: an address that works once and redirects to the one with the key. So
 * the key is on no command line, where other users of the machine could read it.
 */
export class PageEntry {
  readonly #codes = new Map<string, number>();

  /** Creates a new path. */
  path(): string {
    const now = Date.now();
    for (const [code, until] of this.#codes) if (until < now) this.#codes.delete(code);
    const code = createToken(32);
    this.#codes.set(code, now + validMs);
    return `/open/${code}`;
  }

  /** Answers a request for such a path; returns `false` for any other path. */
  serve(request: IncomingMessage, response: ServerResponse, path: string, key: string): boolean {
    const [, code] = /^\/open\/([\w-]+)$/.exec(path) ?? [];
    if (code === undefined || request.method !== 'GET') return false;
    const until = this.#codes.get(code);
    this.#codes.delete(code);
    if (until !== undefined && until >= Date.now()) {
      response.writeHead(303, {
        ...commonHeaders,
        location: `/#key=${key}`,
        'cache-control': 'no-store',
      });
      response.end();
    } else {
      response.writeHead(401, { ...commonHeaders, 'content-type': 'text/plain; charset=utf-8' });
      response.end('This address is no longer valid. "tandem page" prints another one.\n');
    }
    return true;
  }
}
