import { createServer, Socket } from 'node:net';
import { awakeTimeout, type Disposable, describeError, type Logger, type Path } from '@tandem/core';
import {
  claimSocket,
  connectToSocket,
  DiscoveryError,
  noteSocketOwner,
  type SocketOwner,
  socketIdentity,
  socketOwner,
  startHeartbeat,
} from '@tandem/mcp';
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
/**
 * How often a client asks whether the companion that owns the socket still answers, and how long that may take: less than
 * `frameLimitMs`, and longer than Codex CLI waits, so that a busy owner is not replaced.
 */
const heartbeat = { pingIntervalMs: 2_000, pingTimeoutMs: 8_000 };
/** How long it may take if the process of the owner is stopped. Programs that limit the CPU stop a process for less. */
const stoppedLimitMs = 1_000;
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
 * runs the router; when it ends, is stopped or hangs, another takes over, of which it becomes a client when it continues. The
 * owner may also be another program, which keeps the socket as long as it runs.
 */
export class SharedSocket implements Disposable {
  readonly #options: { readonly path: Path; readonly provider: ContextProvider; readonly logger: Logger };
  #stopRouter: (() => void) | undefined;
  #router: Peer | undefined;
  #timer: Disposable | undefined;
  #isDisposed = false;
  /** The `socketIdentity` of the socket of a companion that did not answer: it may be replaced once. */
  #silent: string | undefined;
  #problem: string | undefined;

  constructor(options: { readonly path: Path; readonly provider: ContextProvider; readonly logger: Logger }) {
    this.#options = options;
  }

  /** Resolves when the companion has joined, or has failed to for now. Another owner may take longer to answer. */
  async join(): Promise<void> {
    const { path } = this.#options;
    const router = new Router();
    const silent = this.#silent;
    this.#silent = undefined;
    try {
      const server = createServer((socket) => router.accept(socket));
      const claim = await claimSocket(path, server, silent);
      if (claim instanceof Socket) return void this.#follow(claim, { isOwn: false });
      this.#stopRouter?.();
      const removeNote = noteSocketOwner(path, claim.identity);
      const check = setInterval(() => claim.isInPlace() || this.#stopRouter?.(), checkIntervalMs).unref();
      this.#stopRouter = () => {
        clearInterval(check);
        removeNote();
        claim.release();
        router.close();
      };
      if (this.#isDisposed) return this.#stopRouter();
      const own = await connectToSocket(path);
      // Undefined: another program has removed it.
      if (own === undefined) this.#joinLater(rejoinMs);
      else await this.#follow(own, { isOwn: true });
    } catch (error) {
      if (error instanceof DiscoveryError && error.fault === 'path-too-long')
        this.#report(`${error.message} Set CODEX_HOME to it, then restart Codex CLI and Tandem.`);
      else {
        // Its owner has been stopped for so long that it has not accepted the connections of others.
        const owner = socketOwner(path);
        if (owner?.isStopped) this.#silent = owner.socket;
        this.#joinLater(checkIntervalMs, describeError(error));
      }
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
  async #follow(socket: Socket, { isOwn }: { readonly isOwn: boolean }): Promise<void> {
    const { path } = this.#options;
    const identity = socketIdentity(path);
    const router: Peer = new Peer(socket, (message) => this.#serve(message, router), maxUnanswered);
    this.#router = router;
    if (this.#isDisposed) return router.close();
    let pings: ReturnType<typeof startHeartbeat> | undefined;
    socket.once('close', () => {
      pings?.stop();
      if (router.clientId !== undefined || this.#silent !== undefined) this.#joinLater(rejoinMs);
      else this.#joinLater(checkIntervalMs, describeSilence(path, socketOwner(path)));
    });
    /** Registers, or asks again, which changes nothing. Undefined if nothing answers, or if the socket is replaced. */
    const register = async (limitMs: number): Promise<string | undefined> => {
      const answer = clientIdIn(
        await untilStopped(router.ask(initialize, limitMs), () => {
          return socketIdentity(path) !== identity || socketOwner(path)?.isStopped === true;
        }),
      );
      // One that disconnects its clients is not silent.
      if (answer === undefined && !socket.destroyed && socketOwner(path)?.socket === identity)
        this.#silent = identity;
      return answer;
    };
    const isCompanion = socketOwner(path) !== undefined;
    const clientId = await register(isCompanion ? heartbeat.pingTimeoutMs : initializeLimitMs);
    if (clientId === undefined || socket.destroyed) return router.close();
    this.#problem = undefined;
    router.register(clientId);
    if (isOwn) return;
    const answers = async (limitMs: number): Promise<boolean> => {
      if (socketIdentity(path) !== identity) return false;
      // Another program may not expect to be asked twice.
      return socketOwner(path) === undefined || (await register(limitMs)) !== undefined;
    };
    pings = startHeartbeat(answers, heartbeat, () => router.close());
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

/** Waits for an answer, but for no longer than `stoppedLimitMs` once `isStopped` holds. */
async function untilStopped<T>(answer: Promise<T>, isStopped: () => boolean): Promise<T | undefined> {
  let timer: Disposable | undefined;
  const stopped = new Promise<undefined>((resolve) => {
    const check = (): void => {
      if (isStopped()) resolve(undefined);
      else timer = awakeTimeout(check, stoppedLimitMs);
    };
    timer = awakeTimeout(check, stoppedLimitMs);
  });
  try {
    return await Promise.race([answer, stopped]);
  } finally {
    timer?.dispose();
  }
}

function describeSilence(path: Path, owner: SocketOwner | undefined): string {
  const who = owner === undefined ? 'Another program' : `Process ${owner.pid}`;
  return `${who} owns ${path} and does not answer. End it, or let it continue.`;
}
