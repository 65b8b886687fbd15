import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sizes, Timing } from './limits.js';
import type { McpToolCall } from './mcpEndpoint.js';
import { type Refusal, refuse } from './refusal.js';
import { readRequestBody } from './requestBody.js';
import { pathOf } from './requestGate.js';

/** Calls of small programs of ours, such as hooks: a JSON request that is answered with JSON, perhaps hours later. */
export interface CallEndpoint {
  /** Such as `/hook`. */
  readonly path: string;
  readonly token: string;
  /** Proves to a program that has not presented the token yet that we know it, too. `nonce`: in the header `tandem-nonce`. */
  prove?(nonce: string): string;
  /** Answers one call. `call.signal` aborts when the program disconnects. A rejection is answered with 500. */
  answer(request: unknown, call: McpToolCall): Promise<object>;
}

const nonceHeader = 'tandem-nonce';
/** In code units. */
const maxNonce = 64;

const onlyPost: Refusal = {
  status: 405,
  message: 'Method not allowed. Use POST.',
  headers: { allow: 'POST' },
};

/** A `CallEndpoint` that a listener serves. The listener has checked the token. */
export class ServedCalls {
  readonly #endpoint: CallEndpoint;
  readonly #open = new Set<ServerResponse>();

  constructor(endpoint: CallEndpoint) {
    this.#endpoint = endpoint;
  }

  get token(): string {
    return this.#endpoint.token;
  }

  get path(): string {
    return this.#endpoint.path;
  }

  /** Answers a request for a proof, which needs no token. Returns whether it is one. */
  proves({ method, url, headers }: IncomingMessage, response: ServerResponse): boolean {
    const nonce = headers[nonceHeader];
    const proof =
      method === 'GET' && pathOf(url) === this.path && typeof nonce === 'string' && nonce.length <= maxNonce
        ? this.#endpoint.prove?.(nonce)
        : undefined;
    if (proof === undefined) return false;
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(proof) });
    response.end(proof);
    return true;
  }

  /** No session: a call ends with its answer. */
  get sessionCount(): number {
    return 0;
  }

  /** Closes the connections of all unanswered calls, so that the programs can try again. */
  dispose(): void {
    for (const response of this.#open) response.destroy();
  }

  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    bounds: Pick<Timing, 'drainMs'> & Pick<Sizes, 'drainBytes' | 'bodyBytes'>,
  ): Promise<void> {
    if (request.method !== 'POST') return refuse(request, response, onlyPost, bounds);
    const body = await readRequestBody(request, response, bounds.bodyBytes);
    if (body.kind === 'gone') return;
    if (body.kind === 'refused') return refuse(request, response, body.refusal, bounds);
    const call = new AbortController();
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      call.abort();
    });
    const whenSent = (listener: () => void): void => void response.once('finish', listener);
    try {
      const answer = await this.#endpoint.answer(body.value, { signal: call.signal, whenSent });
      const bytes = Buffer.from(JSON.stringify(answer));
      if (response.destroyed) return;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
      response.end(bytes);
    } catch (error) {
      // The caller has disconnected.
      if (!response.destroyed) throw error;
    }
  }
}
