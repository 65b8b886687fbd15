import type { PermissionResponse } from '@qwen-code/sdk/daemon';
import { type Clock, describeError, type Logger, silentLogger } from '@tandem/core';
import { DaemonError } from '../connection/daemonError.js';
import { validateDaemonBaseUrl } from '../connection/daemonUrl.js';
import type { ContentBlock, DaemonEvent, SessionClient } from '../connection/sessionClient.js';
import { systemClock } from '../connection/systemClock.js';
import { toDaemonError } from '../connection/toDaemonError.js';
import type { ChatProblem } from '../model/chatModel.js';
import { DaemonLink, leaveSession } from './daemonLink.js';
import type {
  DaemonIdeConnectionOptions,
  DaemonIdeObserver,
  DaemonIdePromptResult,
  DaemonIdeSetModelResult,
  SessionNotification,
} from './ideTypes.js';
import type { PermissionHandlers } from './permissionDesk.js';
import { createSdkDaemonSessionFactory } from './sdkSessionFactory.js';

export interface DaemonIdeConnectionContext {
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** For how long a stream that breaks or ends is reopened before the connection counts as ended. 15 s by default. */
  readonly reconnectForMs?: number;
  /** Sees the whole session, beside the callbacks. */
  readonly observer?: DaemonIdeObserver;
}

/**
 * The adapter between an editor and a daemon on the same machine (qwen-daemon-adapter.md): one session, its events by
 * callbacks. The owner disconnects it. Methods throw `DaemonError`.
 *
 * Beyond the document, what `qwen serve` 0.24.4 needs: a stream that breaks is reopened while the turn goes on, duplicates
 * are dropped, requests that were pending before we came are asked, and each end is reported once. An `observer` sees
 * every event, and `answer()` answers for a host whose handlers resolve to nothing.
 */
export class DaemonIdeConnection {
  /** What happened in the session. */
  onSessionUpdate: (data: SessionNotification) => void = ignore;
  /** The agent wants to use a tool. Without an `optionId` that is offered, the request is cancelled. */
  onPermissionRequest: PermissionHandlers['onPermissionRequest'];
  /** The agent asks. `answers` by the position of each question, by its text or by its header. */
  onAskUserQuestion: PermissionHandlers['onAskUserQuestion'];
  /** A prompt of `sendPrompt()` has ended, by the daemon's reason or `error`. */
  onEndTurn: (reason?: string) => void = ignore;
  /**
   * The connection has ended: once for each `connect()` that succeeded. The code is always null. `problem` says why to a
   * user; absent where we disconnected.
   */
  onDisconnected: (code: number | null, signal: string | null, problem?: ChatProblem) => void = ignore;

  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #reconnectForMs: number;
  readonly #observer: DaemonIdeObserver | undefined;
  #link: DaemonLink | undefined;
  /** The options that the link was opened with. */
  #key: readonly unknown[] = [];
  #origin = 'its address';
  #queue: Promise<unknown> = Promise.resolve();
  /** Ends every `connect()` that was called before a `disconnect()`. */
  #giveUp = new AbortController();
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

  /** The session that is followed. */
  get session(): SessionClient | undefined {
    return this.#link?.session;
  }

  /** The last event that was delivered, of this connection or of the last one: where the next one can go on. */
  get lastEventId(): number | undefined {
    return this.#link?.lastEventId ?? this.#captured.lastEventId;
  }

  /**
   * Connects. Calls wait for each other. The same options twice are one connection; any other option, also another
   * `lastEventId`, replaces the connection, which is kept when the new one cannot be opened.
   *
   * @throws DaemonError `not_loopback`, `unreachable`, `unauthorized`, `workspace_mismatch`, `no_auth_configured`, `incompatible`
   */
  connect(options: DaemonIdeConnectionOptions): Promise<void> {
    const { signal } = this.#giveUp;
    return this.#exclusively(() => this.#connect(options, signal));
  }

  /** Leaves the session, which goes on in the daemon, and clears the callbacks. Ends a `connect()` under way. */
  disconnect(): Promise<void> {
    this.#giveUp.abort(new DaemonError('session_ended', 'The connection was given up.'));
    this.#giveUp = new AbortController();
    return this.#exclusively(async () => {
      await this.#drop();
      this.onSessionUpdate = ignore;
      this.onPermissionRequest = undefined;
      this.onAskUserQuestion = undefined;
      this.onEndTurn = ignore;
      this.onDisconnected = ignore;
    });
  }

  /** Resolves when no `connect()` or `disconnect()` is under way. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  /**
   * Sends a prompt, to the session of a `connect()` under way if there is one, and resolves at the end of its turn, however
   * often the stream breaks meanwhile. `onAccepted` receives the id that the daemon gave it, and its session's.
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

  /** Stops the turn. Without a connection there is nothing to stop. */
  async cancelSession(): Promise<void> {
    if (this.#link === undefined) await this.settled();
    if (this.#link !== undefined) await this.#ask('stop the turn', ({ session }) => session.cancel());
  }

  /** Switches the model, for this session and as the default in the user's settings. */
  async setModel(modelId: string): Promise<DaemonIdeSetModelResult> {
    // The daemon's own answer repeats a part of the provider's key.
    await this.#ask('switch the model', ({ session }) => session.setModel(modelId));
    return { modelId };
  }

  /**
   * Answers a request whose handler resolved to nothing. Gives `elsewhere` when somebody else was first, or it is not
   * pending any more. When it throws, the request is still pending.
   */
  answer(requestId: string, response: PermissionResponse): Promise<'answered' | 'elsewhere'> {
    return this.#ask('take the answer', ({ desk }) => desk.answer(requestId, response));
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
      // What never was open has no end to report.
      this.#forget(link);
      await link.leave();
      throw error;
    }
  }

  /** A cursor that this connection has reported itself holds in the epoch that it comes from. */
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

  /** Says whether this was the link. */
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

  /** Between two sessions there is none for a moment: what is asked then is meant for the next one. */
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

  /** A host's callback that throws must not end the stream. */
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
