import type { IncomingMessage, ServerResponse } from 'node:http';
import { bearerToken, readRequestBody } from '@tandem/companion/loopback';
import { describeError } from '@tandem/core';
import { connectionHeader, hostNonce, hostProof, hostProofPath } from '@tandem/page/connection';
import { type Dispatcher, internalError, RpcError, toFailure } from '@tandem/rpc';
import { commandName } from '../output.js';
import type { LiveConnection } from './liveConnection.js';
import type { PageAssets } from './pageAssets.js';
import { commonHeaders, findForeignPage, noToken, sendAnswer, sendJson } from './pageHttp.js';
import type { PageSecrets } from './pageSecrets.js';
import type { PageServices } from './pageServices.js';

/** A request can contain the whole text that a user edited. */
const maxBodyBytes = 128 * 1024 * 1024;

export interface PageRequestsOptions {
  readonly secrets: PageSecrets;
  readonly assets: PageAssets;
  readonly services: PageServices;
  /** The connections of the open pages, by their ids. */
  readonly connections: ReadonlyMap<string, LiveConnection>;
  /** The client of this request has presented a token. */
  readonly vouchFor: (request: IncomingMessage) => void;
}

/** Answers the requests of pages: files, calls, and what a browser needs to open the page. */
export class PageRequests {
  readonly #of: PageRequestsOptions;
  #dispatch: Dispatcher<LiveConnection | undefined> | undefined;

  constructor(of: PageRequestsOptions) {
    this.#of = of;
  }

  /** Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#serve(request, response);
    } catch (error) {
      const isExpected = error instanceof RpcError;
      if (!isExpected) this.#of.services.logger.error('the page failed', { error: describeError(error) });
      sendAnswer(response, toFailure(isExpected ? error : internalError()));
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const foreign = findForeignPage(request.headers);
    if (foreign !== undefined) throw new RpcError('forbidden', foreign);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const [, code] = /^\/open\/([\w-]+)$/.exec(path) ?? [];
    if (code !== undefined && request.method === 'GET') return this.#open(code, response);
    if (path === hostProofPath) return this.#prove(request, response);
    const [, method] = /^\/api\/(.*)$/.exec(path) ?? [];
    if (method === undefined) return this.#of.assets.serve(request, response, path);
    if (!this.#of.secrets.accepts(bearerToken(request.headers.authorization))) {
      throw new RpcError('unauthorized', noToken);
    }
    this.#of.vouchFor(request);
    await this.#answer(request, response, method);
  }

  /** Redirects a browser to the address with the key. */
  #open(code: string, response: ServerResponse): void {
    const { secrets } = this.#of;
    if (secrets.redeem(code)) {
      const location = `/#key=${secrets.key}`;
      response.writeHead(303, { ...commonHeaders, location, 'cache-control': 'no-store' });
      response.end();
    } else {
      response.writeHead(401, { ...commonHeaders, 'content-type': 'text/plain; charset=utf-8' });
      response.end(`This address is no longer valid. "${commandName} page" prints another one.\n`);
    }
  }

  /** Proves to a page that the server knows its secret, before the page sends it. */
  async #prove(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('nonce') ?? '';
    if (request.method !== 'GET' || !hostNonce.test(nonce)) {
      throw new RpcError('bad-params', 'Ask by GET, with a nonce of 22 to 86 letters and digits.');
    }
    const proofs = await Promise.all(this.#of.secrets.all.map((secret) => hostProof(secret, nonce)));
    sendJson(response, 200, { proofs });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, method: string): Promise<void> {
    if (request.method !== 'POST') {
      throw new RpcError('unknown-method', `This companion does not know ${request.method} ${method}.`);
    }
    // Loaded with the first call, so that the start is faster.
    const { createPageDispatcher } = await import('./pageCalls.js');
    this.#dispatch ??= createPageDispatcher(this.#of.services);
    const body = await readRequestBody(request, response, maxBodyBytes);
    if (body.kind === 'gone') return;
    if (body.kind === 'refused') {
      const { status, message } = body.refusal;
      throw new RpcError(status === 413 ? 'too-large' : 'bad-params', message);
    }
    const named = request.headers[connectionHeader];
    const connection = typeof named === 'string' ? this.#of.connections.get(named) : undefined;
    sendAnswer(response, await this.#dispatch(method, body.value, connection));
  }
}
