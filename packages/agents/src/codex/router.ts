import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, renameSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  awakeTimeout,
  type Disposable,
  describeError,
  type Logger,
  type Path,
  pathParts,
} from '@tandem/core';
import { isOwn, openOwnFolder, removeQuietly, statOf } from '@tandem/mcp';
import { Peer } from './peer.js';
import {
  clientIdIn,
  failure,
  initialize,
  success,
  type WireMessage,
  type WireRequest,
  workspaceRootOf,
} from './wire.js';

/** Limits in milliseconds. Codex CLI 0.169 waits 5 s for the whole answer. */
const discoveryLimitMs = 500;
const answerLimitMs = 4_000;
const initializeLimitMs = 3_000;
/** How often an owner checks that the path is still its own socket, and how long the others wait after a failure. */
const checkIntervalMs = 500;
/** How long the clients of an owner wait when it has ended: it may disconnect them as soon as they connect. */
export const rejoinMs = 20;
const maxPeers = 256;

/** What a companion answers. */
export interface ContextProvider {
  /** How many parts the path of its folder has that contains this one; undefined if none does. */
  depthFor(workspaceRoot: Path): Promise<number | undefined>;
  /** The context for this folder. */
  answer(message: WireRequest, workspaceRoot: Path): Promise<object>;
}

/**
 * The place of one companion at the socket that all of a user share. The first one owns the socket and routes each question
 * to the companion with the innermost folder. The others connect to it, and when it ends, one of them takes over. They
 * are the same clients to a router of another program.
 */
export class SharedSocket implements Disposable {
  readonly #options: { readonly path: Path; readonly provider: ContextProvider; readonly logger: Logger };
  readonly #id = `tandem-${process.pid}-${randomBytes(4).toString('hex')}`;
  readonly #peers = new Set<Peer>();
  #server: Server | undefined;
  /** Of the path, while it is ours. */
  #identity: string | undefined;
  #timer: Disposable | undefined;
  #isDisposed = false;
  #problem: string | undefined;

  constructor(options: { readonly path: Path; readonly provider: ContextProvider; readonly logger: Logger }) {
    this.#options = options;
  }

  /** Resolves when the companion owns the socket, is connected to its owner, or has failed to for now. */
  async join(): Promise<void> {
    this.#timer?.dispose();
    try {
      while (!this.#isDisposed && !(await this.#connect()) && !(await this.#own())) {
        // Another companion was faster.
        await sleep(Math.random() * 20);
      }
    } catch (error) {
      this.#joinLater(checkIntervalMs, describeError(error));
    }
  }

  /** Why it is not joined; undefined if it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#leave();
  }

  #joinLater(waitMs: number, problem?: string): void {
    if (this.#isDisposed) return;
    // Once: it is tried again until it succeeds.
    if (problem !== undefined && problem !== this.#problem) {
      this.#problem = problem;
      this.#options.logger.warn('Codex CLI cannot connect', { error: problem });
    }
    this.#timer = awakeTimeout(() => void this.join(), waitMs);
  }

  /** Whether another process owns the socket. Removes a socket at which no program listens. */
  async #connect(): Promise<boolean> {
    const { path } = this.#options;
    let before: string | undefined;
    if (!isPipe(path)) {
      openOwnFolder(dirname(path));
      const stats = statOf(path);
      if (stats !== undefined && !(stats.isSocket() && isOwn(stats)))
        throw new Error(`${path} is not a socket of your user. Remove it.`);
      before = identityOf(path);
      if (before === undefined) return false;
    }
    const socket = await connectTo(path);
    if (socket === undefined) {
      if (before !== undefined) removeStale(path, before, `${path}.${this.#id}`);
      return false;
    }
    this.#follow(socket);
    return true;
  }

  #follow(socket: Socket): void {
    if (this.#isDisposed) return void socket.destroy();
    const router: Peer = new Peer(socket, {
      isRouter: true,
      message: (message) => this.#serve(router, message),
      closed: () => {
        this.#peers.delete(router);
        if (router.clientId === undefined)
          this.#joinLater(checkIntervalMs, 'The program that owns the socket does not answer.');
        else this.#joinLater(rejoinMs);
      },
    });
    this.#peers.add(router);
    const request = { ...initialize, type: 'request', version: 0 };
    void router.ask(request, initializeLimitMs).then((answer) => {
      const clientId = clientIdIn(answer);
      if (clientId === undefined) return router.close();
      this.#problem = undefined;
      router.register(clientId);
    });
  }

  /** Answers the router. */
  #serve(router: Peer, message: WireMessage): Promise<void> | undefined {
    if (message.type === 'client-discovery-request') {
      return this.#depthFor(message.request).then((folderDepth) =>
        router.send({
          type: 'client-discovery-response',
          requestId: message.requestId,
          response: { canHandle: folderDepth !== undefined, ...(folderDepth && { folderDepth }) },
        }),
      );
    }
    if (message.type !== 'request') return undefined;
    return this.#answer(message, router.clientId ?? this.#id).then((answer) => router.send(answer));
  }

  async #depthFor(message: WireRequest): Promise<number | undefined> {
    const workspaceRoot = workspaceRootOf(message);
    return workspaceRoot === undefined ? undefined : this.#options.provider.depthFor(workspaceRoot);
  }

  async #answer(message: WireRequest, clientId: string): Promise<object> {
    const workspaceRoot = workspaceRootOf(message);
    if (workspaceRoot === undefined) return failure(message, 'no-handler-for-request');
    try {
      return success(message, clientId, {
        ideContext: await this.#options.provider.answer(message, workspaceRoot),
      });
    } catch (error) {
      this.#options.logger.warn('Codex CLI received no context', { error: describeError(error) });
      return failure(message, 'ide-context-failed');
    }
  }

  /**
   * Whether this process owns the socket now. It listens under a temporary name, which is then linked to the path: only one
   * of several can, and no one finds a socket that does not listen yet.
   */
  async #own(): Promise<boolean> {
    const { path } = this.#options;
    const temporary = isPipe(path) ? path : join(dirname(path), `.${this.#id}.sock`);
    const server = createServer((socket) => this.#accept(socket));
    try {
      await listen(server, temporary);
      if (!isPipe(path)) {
        chmodSync(temporary, 0o600);
        linkSync(temporary, path);
      }
    } catch (error) {
      server.close();
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EEXIST' || code === 'EADDRINUSE') return false;
      throw error;
    } finally {
      if (!isPipe(path)) removeQuietly(temporary);
    }
    this.#server = server;
    this.#problem = undefined;
    if (this.#isDisposed) this.#leave();
    else if (!isPipe(path)) this.#guard(identityOf(path));
    return true;
  }

  /** Joins again if the path is no longer this socket: another program removed or replaced it. */
  #guard(identity: string | undefined): void {
    const { path } = this.#options;
    this.#identity = identity;
    this.#timer = awakeTimeout(() => {
      if (identityOf(path) === identity) return this.#guard(identity);
      this.#leave();
      void this.join();
    }, checkIntervalMs);
  }

  #leave(): void {
    const { path } = this.#options;
    if (this.#server !== undefined && !isPipe(path) && identityOf(path) === this.#identity)
      removeQuietly(path);
    this.#server?.close();
    this.#server = undefined;
    for (const peer of this.#peers) peer.close();
  }

  #accept(socket: Socket): void {
    if (this.#peers.size >= maxPeers) return void socket.destroy();
    const peer: Peer = new Peer(socket, {
      isRouter: false,
      message: (message) => this.#route(message, peer),
      closed: () => this.#peers.delete(peer),
    });
    this.#peers.add(peer);
  }

  #route(message: WireMessage, from: Peer): Promise<void> | undefined {
    if (message.type === 'broadcast') {
      for (const peer of this.#registered(from)) peer.send(message);
      return undefined;
    }
    if (message.type !== 'request') return undefined;
    if (message.method === 'initialize') {
      const clientId = from.clientId ?? randomUUID();
      from.register(clientId);
      from.send(success(message, clientId, { clientId }));
      return undefined;
    }
    return this.#routed(message, from).then((answer) => from.send(answer));
  }

  /** The answer of the companion with the innermost folder. */
  async #routed(message: WireRequest, from: Peer): Promise<object> {
    const own = await this.#depthFor(message);
    const isInnermost = own !== undefined && own === pathParts(workspaceRootOf(message) ?? '').length;
    const others = isInnermost ? [] : await this.#discover(message, from);
    const [best] = others.toSorted((one, other) => other.depth - one.depth);
    if (best === undefined || best.depth < (own ?? 0)) {
      return own === undefined ? failure(message, 'no-client-found') : this.#answer(message, this.#id);
    }
    const answer = await best.peer.ask(message, answerLimitMs);
    return answer === undefined
      ? failure(message, 'request-timeout')
      : { ...answer, requestId: message.requestId };
  }

  /** The others that can answer. Only companions of ours report a depth. */
  async #discover(
    message: WireRequest,
    from: Peer,
  ): Promise<{ readonly peer: Peer; readonly depth: number }[]> {
    const asked = this.#registered(from).filter(
      ({ clientId }) => message.targetClientId === undefined || message.targetClientId === clientId,
    );
    const request = { type: 'client-discovery-request', request: message };
    const found = await Promise.all(
      asked.map(async (peer) => {
        const answer = await peer.ask(request, discoveryLimitMs);
        if (answer?.type !== 'client-discovery-response' || !answer.response.canHandle) return [];
        return [{ peer, depth: answer.response.folderDepth ?? 0 }];
      }),
    );
    return found.flat();
  }

  #registered(except: Peer): Peer[] {
    return [...this.#peers].filter((peer) => peer !== except && peer.clientId !== undefined);
  }
}

function isPipe(path: Path): boolean {
  return path.startsWith('\\\\');
}

/** Undefined if nothing is there. The number of a removed file may be used again, so the time counts, too. */
function identityOf(path: Path): string | undefined {
  const stats = statOf(path);
  return stats && `${stats.dev} ${stats.ino} ${stats.mtimeMs}`;
}

/** Undefined if nothing listens there. */
function connectTo(path: Path): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else reject(error);
    });
  });
}

/**
 * Removes the socket that refused a connection. Another companion may have replaced it meanwhile: then that one is put back,
 * and if this process ends before that, its owner notices.
 */
function removeStale(path: Path, identity: string, aside: Path): void {
  try {
    renameSync(path, aside);
    if (identityOf(aside) !== identity) linkSync(aside, path);
  } catch {
    // Another companion has removed it, or has already made a new one.
  } finally {
    removeQuietly(aside);
  }
}

function listen(server: Server, path: Path): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
