import type { DaemonSessionClient, PermissionResponse } from '@qwen-code/sdk/daemon';
import { type Clock, describeError, type Logger, silentLogger, systemClock } from '@tandem/core';
import type { ChatProblem } from '../model/chatModel.js';
import { DaemonApi, type NewSessionOptions } from './daemonApi.js';
import { DaemonError } from './daemonError.js';
import { DaemonLink, leaveSession } from './daemonLink.js';
import { validateDaemonBaseUrl } from './daemonUrl.js';
import type {
  DaemonIdeConnectionOptions,
  DaemonIdeObserver,
  DaemonIdePromptResult,
  DaemonIdeSessionFactory,
  DaemonIdeSetModelResult,
  SessionNotification,
} from './ideTypes.js';
import type { PermissionHandlers } from './permissionRequests.js';
import type { ContentBlock, DaemonEvent, SessionClient } from './sessionClient.js';
import { toDaemonError } from './toDaemonError.js';

export interface DaemonIdeConnectionContext {
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** How long a broken stream is reopened before the connection counts as ended. 15 s by default. */
  readonly reconnectForMs?: number;
  /** Receives the whole session, in addition to the callbacks. */
  readonly observer?: DaemonIdeObserver;
}

/**
 * The adapter between an editor and a daemon on the same machine (qwen-daemon-adapter.md): one session, its events by
 * callbacks. The owner disconnects it. Methods throw `DaemonError`.
 *
 * Beyond the document, for `qwen serve` 0.24.4: a broken stream is reopened during a turn, duplicate events are dropped,
 * requests that were pending before the connection are asked, and each end is reported once.
 */
export class DaemonIdeConnection {
  onSessionUpdate: (data: SessionNotification) => void = ignore;
  /** The agent asks to use a tool. Without an offered `optionId` the request is cancelled. */
  onPermissionRequest: PermissionHandlers['onPermissionRequest'];
  /** The agent asks questions. `answers` by the index, the text or the header of each question. */
  onAskUserQuestion: PermissionHandlers['onAskUserQuestion'];
  /** A prompt of `sendPrompt()` ended, with the daemon's reason or `error`. */
  onEndTurn: (reason?: string) => void = ignore;
  /**
   * The connection ended: once for each successful `connect()`. The code is always null. `problem` is for the user; absent
   * after `disconnect()`.
   */
  onDisconnected: (code: number | null, signal: string | null, problem?: ChatProblem) => void = ignore;

  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #reconnectForMs: number;
  readonly #observer: DaemonIdeObserver | undefined;
  #link: DaemonLink | undefined;
  #key: readonly unknown[] = [];
  #origin = 'its address';
  #queue: Promise<unknown> = Promise.resolve();
  /** Ends every `connect()` that precedes a `disconnect()`. */
  #cancelConnect = new AbortController();
  #captured: { readonly lastEventId?: number; readonly eventEpoch?: string } = {};

  constructor({ logger, clock, reconnectForMs, observer }: DaemonIdeConnectionContext = {}) {
    this.#logger = logger ?? silentLogger;
    this.#clock = clock ?? systemClock;
    this.#reconnectForMs = reconnectForMs ?? 15_000;
    this.#observer = observer;
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  get currentSessionId(): string | undefined {
    return this.session?.sessionId;
  }

  get session(): SessionClient | undefined {
    return this.#link?.session;
  }

  /** The last delivered event of this connection or the previous one, where the next one can resume. */
  get lastEventId(): number | undefined {
    return this.#link?.lastEventId ?? this.#captured.lastEventId;
  }

  /**
   * Connects. Calls are serialised. The same options again keep the connection; different options, including another
   * `lastEventId`, replace it. It is kept if the new one cannot be opened.
   *
   * @throws DaemonError `not_loopback`, `unreachable`, `unauthorized`, `workspace_mismatch`, `no_auth_configured`, `incompatible`
   */
  connect(options: DaemonIdeConnectionOptions): Promise<void> {
    const { signal } = this.#cancelConnect;
    return this.#exclusively(() => this.#connect(options, signal));
  }

  /** Detaches from the session, which continues in the daemon, and clears the callbacks. Cancels a running `connect()`. */
  disconnect(): Promise<void> {
    this.#cancelConnect.abort(new DaemonError('session_ended', 'The connection was cancelled.'));
    this.#cancelConnect = new AbortController();
    return this.#exclusively(async () => {
      await this.#drop();
      this.onSessionUpdate = ignore;
      this.onPermissionRequest = undefined;
      this.onAskUserQuestion = undefined;
      this.onEndTurn = ignore;
      this.onDisconnected = ignore;
    });
  }

  /** Resolves when no `connect()` or `disconnect()` is running. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  /**
   * Sends a prompt, after a running `connect()`, and resolves at the end of its turn, even if the stream breaks meanwhile.
   * `onAccepted` receives the ids of the prompt and its session.
   */
  async sendPrompt(
    prompt: string | ContentBlock[],
    { onAccepted = ignore }: { readonly onAccepted?: (promptId: string, sessionId: string) => void } = {},
  ): Promise<DaemonIdePromptResult> {
    await this.settled();
    const link = this.#connected();
    const blocks: ContentBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    try {
      const { promptId, end } = await link.turns.submit(link.session, blocks);
      onAccepted(promptId, link.session.sessionId);
      const { stopReason } = await end;
      this.#call('onEndTurn', () => this.onEndTurn(stopReason));
      return { stopReason };
    } catch (error) {
      if (!link.isLeft) this.#call('onEndTurn', () => this.onEndTurn('error'));
      throw toDaemonError(error, 'take the prompt', this.#origin);
    }
  }

  /** Stops the turn. Does nothing without a connection. */
  async cancelSession(): Promise<void> {
    if (this.#link === undefined) await this.settled();
    if (this.#link !== undefined) await this.#ask('stop the turn', ({ session }) => session.cancel());
  }

  /** Switches the model, for this session and as the default in the user's settings. */
  async setModel(modelId: string): Promise<DaemonIdeSetModelResult> {
    // The daemon's response contains a part of the provider's key.
    await this.#ask('switch the model', ({ session }) => session.setModel(modelId));
    return { modelId };
  }

  /**
   * Answers a request whose handler resolved to nothing. `elsewhere`: another client was first, or the request is no longer
   * pending. If it throws, the request is still pending.
   */
  answer(requestId: string, response: PermissionResponse): Promise<'answered' | 'elsewhere'> {
    return this.#ask('take the answer', ({ requests }) => requests.answer(requestId, response));
  }

  async #connect(options: DaemonIdeConnectionOptions, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { sessionFactory = createSdkDaemonSessionFactory(), ...request } = options;
    const { origin } = validateDaemonBaseUrl(request.baseUrl);
    const { token, workspaceCwd, modelServiceId, lastEventId } = request;
    const key = [origin, token, workspaceCwd, modelServiceId, lastEventId, options.sessionFactory];
    if (this.#link !== undefined && key.every((part, index) => part === this.#key[index])) return;
    const session = await sessionFactory({ ...request, ...this.#epochOf(lastEventId) }, signal);
    if (!signal.aborted) await this.#drop();
    if (signal.aborted) await leaveSession(session.client, { clock: this.#clock, logger: this.#logger });
    signal.throwIfAborted();
    const link = new DaemonLink({
      session,
      clock: this.#clock,
      logger: this.#logger,
      reconnectForMs: this.#reconnectForMs,
      handlers: () => this,
      observer: this.#observer,
      onEvent: (event) => this.#dispatch(event),
      onEnd: (reason, { kind, message }) => {
        if (this.#forget(link)) {
          this.#call('onDisconnected', () => this.onDisconnected(null, reason, { kind, message }));
        }
      },
    });
    this.#link = link;
    this.#key = key;
    this.#origin = origin;
    try {
      await link.open(signal);
    } catch (error) {
      this.#forget(link);
      await link.leave();
      throw error;
    }
  }

  /** A cursor that this connection reported is valid in the epoch that it comes from. */
  #epochOf(lastEventId: number | undefined): { eventEpoch?: string } {
    const { eventEpoch } = this.#captured;
    const isOurs = lastEventId !== undefined && lastEventId === this.#captured.lastEventId;
    return isOurs && eventEpoch !== undefined ? { eventEpoch } : {};
  }

  #dispatch(event: DaemonEvent): void {
    if (event.type === 'session_update' && isNotification(event.data)) {
      const { data } = event;
      this.#call('onSessionUpdate', () => this.onSessionUpdate(data));
    } else this.#logger.debug('an event of the daemon', { type: event.type, id: event.id });
  }

  async #drop(): Promise<void> {
    const link = this.#link;
    if (link === undefined || !this.#forget(link)) return;
    const left = link.leave();
    this.#call('onDisconnected', () => this.onDisconnected(null, 'disconnected'));
    await left;
  }

  /** Returns whether this was the current link. */
  #forget(link: DaemonLink): boolean {
    if (this.#link !== link) return false;
    this.#link = undefined;
    const { lastEventId } = link;
    const { eventEpoch } = link.session;
    this.#captured = {
      ...(lastEventId !== undefined && { lastEventId }),
      ...(eventEpoch !== undefined && { eventEpoch }),
    };
    return true;
  }

  /** While one session replaces another, the request goes to the new one. */
  async #ask<T>(what: string, request: (link: DaemonLink) => Promise<T>): Promise<T> {
    if (this.#link === undefined) await this.settled();
    try {
      return await request(this.#connected());
    } catch (error) {
      throw toDaemonError(error, what, this.#origin);
    }
  }

  #connected(): DaemonLink {
    if (this.#link !== undefined) return this.#link;
    throw new DaemonError('unreachable', 'Not connected to a daemon. Connect first.');
  }

  /** A callback that throws must not end the stream. */
  #call(name: string, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#logger.error(`${name} failed`, { error: describeError(error) });
    }
  }

  #exclusively(task: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(task);
    this.#queue = done.catch(ignore);
    return done;
  }
}

function isNotification(data: unknown): data is SessionNotification {
  if (typeof data !== 'object' || data === null || !('update' in data)) return false;
  return typeof data.update === 'object' && data.update !== null && 'sessionUpdate' in data.update;
}

function ignore(): void {}

/** Chooses the session to open. */
export type OpenSession = (api: DaemonApi, options: NewSessionOptions) => Promise<DaemonSessionClient>;

/** Opens sessions with `@qwen-code/sdk`: the daemon's shared one, unless `open` chooses another. */
export function createSdkDaemonSessionFactory(
  open: OpenSession = (api, options) => api.createSession(options),
): DaemonIdeSessionFactory {
  return async ({ baseUrl, token, ...request }, signal) => {
    const api = await DaemonApi.open(token === undefined ? { baseUrl } : { baseUrl, token }, signal);
    const client = await open(api, request);
    return { client, reopen: () => api.loadSession(client.sessionId, client.workspaceCwd) };
  };
}
