import { createServer, Socket } from 'node:net';
import { awakeTimeout, type Disposable, describeError, type Logger, type Path } from '@tandem/core';
import { claimSocket, connectToSocket, DiscoveryError } from '@tandem/mcp';
import { Peer } from './peer.js';
import { Router } from './router.js';
import {
  clientIdIn,
  discoveryAnswer,
  failure,
  initialize,
  type Nearness,
  success,
  type WireMessage,
  type WireRequest,
  workspaceRootOf,
} from './wire.js';

/** How often an owner checks that the path is still its own socket, and how long the others wait after a failure. */
const checkIntervalMs = 500;
/** How long the clients of an owner wait when it has ended: it may disconnect them as soon as they connect. */
export const rejoinMs = 20;
const initializeLimitMs = 3_000;
/** A router passes on the requests of many clients. */
const maxUnanswered = 1_000;

/** What a companion answers. */
export interface ContextProvider {
  /** How well it can answer for this folder; undefined if it cannot. */
  nearnessOf(workspaceRoot: Path): Promise<Nearness | undefined>;
  /** The context for this folder. */
  answer(message: WireRequest, workspaceRoot: Path): Promise<object>;
}

/**
 * One companion at the socket that all of a user share: a client of the router of its owner. The first companion owns it and
 * runs the router; when it ends, another takes over. The owner may also be another program.
 */
export class SharedSocket implements Disposable {
  readonly #options: { readonly path: Path; readonly provider: ContextProvider; readonly logger: Logger };
  #stopRouter: (() => void) | undefined;
  #router: Peer | undefined;
  #timer: Disposable | undefined;
  #isDisposed = false;
  #problem: string | undefined;

  constructor(options: { readonly path: Path; readonly provider: ContextProvider; readonly logger: Logger }) {
    this.#options = options;
  }

  /** Resolves when the companion has joined, or has failed to for now. Another owner may take longer to answer. */
  async join(): Promise<void> {
    const { path } = this.#options;
    const router = new Router();
    try {
      const claim = await claimSocket(
        path,
        createServer((socket) => router.accept(socket)),
      );
      if (claim instanceof Socket) return void this.#follow(claim);
      this.#stopRouter?.();
      const check = setInterval(() => claim.isInPlace() || this.#stopRouter?.(), checkIntervalMs).unref();
      this.#stopRouter = () => {
        clearInterval(check);
        claim.release();
        router.close();
      };
      if (this.#isDisposed) return this.#stopRouter();
      const own = await connectToSocket(path);
      // Undefined: another program has removed it.
      if (own === undefined) this.#joinLater(rejoinMs);
      else await this.#follow(own);
    } catch (error) {
      if (error instanceof DiscoveryError && error.fault === 'path-too-long')
        this.#report(`${error.message} Set CODEX_HOME to it, then restart Codex CLI and Tandem.`);
      else this.#joinLater(checkIntervalMs, describeError(error));
    }
  }

  /** Why it has not joined; undefined if it has. */
  get problem(): string | undefined {
    return this.#problem;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#router?.close();
    this.#stopRouter?.();
  }

  #joinLater(waitMs: number, problem?: string): void {
    if (this.#isDisposed) return;
    if (problem !== undefined) this.#report(problem);
    this.#timer = awakeTimeout(() => void this.join(), waitMs);
  }

  /** Logs a problem once: it is tried again until it succeeds. */
  #report(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.logger.warn('Codex CLI cannot be served', { error: problem });
  }

  /** Becomes a client of the router. Resolves when it is one. */
  async #follow(socket: Socket): Promise<void> {
    const router: Peer = new Peer(socket, (message) => this.#serve(message, router), maxUnanswered);
    this.#router = router;
    if (this.#isDisposed) return router.close();
    socket.once('close', () => {
      if (router.clientId !== undefined) this.#joinLater(rejoinMs);
      else
        this.#joinLater(
          checkIntervalMs,
          'Another program owns the socket and does not answer. To find it, run: tandem doctor',
        );
    });
    const clientId = clientIdIn(await router.ask(initialize, initializeLimitMs));
    if (clientId === undefined) return router.close();
    this.#problem = undefined;
    router.register(clientId);
  }

  #serve(message: WireMessage, router: Peer): Promise<void> | undefined {
    if (message.type === 'client-discovery-request')
      return this.#nearnessOf(message.request).then((nearness) =>
        router.send(discoveryAnswer(message.requestId, nearness)),
      );
    if (message.type !== 'request') return undefined;
    return this.#answer(message, router.clientId ?? '').then((answer) => router.send(answer));
  }

  async #nearnessOf(message: WireRequest): Promise<Nearness | undefined> {
    const workspaceRoot = workspaceRootOf(message);
    return workspaceRoot === undefined ? undefined : this.#options.provider.nearnessOf(workspaceRoot);
  }

  async #answer(message: WireRequest, clientId: string): Promise<object> {
    const workspaceRoot = workspaceRootOf(message);
    if (workspaceRoot === undefined) return failure(message, 'no-handler-for-request');
    try {
      const ideContext = await this.#options.provider.answer(message, workspaceRoot);
      return success(message, clientId, { ideContext });
    } catch (error) {
      this.#options.logger.warn('Codex CLI received no context', { error: describeError(error) });
      return failure(message, 'ide-context-failed');
    }
  }
}
