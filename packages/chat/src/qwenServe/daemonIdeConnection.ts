import type { DaemonSessionClient, PermissionResponse } from '@qwen-code/sdk/daemon';
import { type Clock, describeError, type Logger, silentLogger, systemClock } from '@tandem/core';
import type { ChatProblem } from '../model/chatModel.js';
import { DaemonApi, type NewSessionOptions } from './daemonApi.js';
import { DaemonError } from './daemonError.js';
import { DaemonLink, leaveSession } from './daemonLink.js';
import { validateDaemonBaseUrl } from './daemonUrl.js';
import type {
  ContentBlock,
  DaemonIdeConnectionOptions,
  DaemonIdeObserver,
  DaemonIdePromptResult,
  DaemonIdeSession,
  DaemonIdeSessionFactory,
  DaemonIdeSessionFactoryOptions,
  DaemonIdeSetModelResult,
  SessionNotification,
} from './ideTypes.js';
import { leaveOpen, type PermissionHandlers } from './permissionRequests.js';
import { type DaemonEvent, type SessionClient, toSessionClient } from './sessionClient.js';
import { toDaemonError } from './toDaemonError.js';

export interface DaemonIdeConnectionContext {
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** How long a broken stream is reopened before the connection counts as ended. 15 s by default. */
  readonly reconnectForMs?: number;
  /** Receives the whole session, in addition to the callbacks. */
  readonly observer?: DaemonIdeObserver;
  /**
   * Whether `disconnect()` also detaches from the session. The daemon closes an idle session without clients, and then a
   * later `connect()` cannot resume it. False by default.
   */
  readonly detaches?: boolean;
}

/** What a disconnected connection knows of its session. */
interface LeftSession {
  readonly sessionId: string;
  readonly lastEventId: number | undefined;
  readonly eventEpoch: string | undefined;
  /** Its registration, if it is still attached. */
  readonly clientId: string | undefined;
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
  onPermissionRequest: PermissionHandlers['onPermissionRequest'] = leaveOpen;
  /** The agent asks questions. `answers` by the index, the text or the header of each question. */
  onAskUserQuestion: PermissionHandlers['onAskUserQuestion'] = leaveOpen;
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
  readonly #detaches: boolean;
  #link: DaemonLink | undefined;
  #key: readonly unknown[] = [];
  #origin = 'its address';
  #queue: Promise<unknown> = Promise.resolve();
  /** Ends every `connect()` that precedes a `disconnect()`. */
  #cancelConnect = new AbortController();
  #left: LeftSession | undefined;

  constructor({ logger, clock, reconnectForMs, observer, detaches }: DaemonIdeConnectionContext = {}) {
    this.#logger = logger ?? silentLogger;
    this.#clock = clock ?? systemClock;
    this.#reconnectForMs = reconnectForMs ?? 15_000;
    this.#observer = observer;
    this.#detaches = detaches ?? false;
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
    return this.#link?.lastEventId ?? this.#left?.lastEventId;
  }

  /**
   * Connects. Calls are serialised. The same options again keep the connection; different options, including another
   * `lastEventId`, replace it. It is kept if the new one cannot be opened.
   *
   * @throws DaemonError `not_loopback`, `unreachable`, `unauthorized`, `workspace_mismatch`, `no_auth_configured`,
   * `incompatible`, `session_ended` after a `disconnect()`, or `request_failed` for a `lastEventId` that is not an event's id
   */
  connect(options: DaemonIdeConnectionOptions): Promise<void> {
    const { signal } = this.#cancelConnect;
    return this.#exclusively(() => this.#connect(options, signal));
  }

  /**
   * Ends the stream and clears the callbacks, at once. Cancels a running `connect()`. The session continues in the daemon,
   * and a `connect()` with `lastEventId` continues there.
   */
  disconnect(): Promise<void> {
    this.#cancelConnect.abort(new DaemonError('session_ended', 'The connection was cancelled.'));
    this.#cancelConnect = new AbortController();
    const dropped = this.#drop(this.#detaches);
    this.onSessionUpdate = ignore;
    this.onPermissionRequest = leaveOpen;
    this.onAskUserQuestion = leaveOpen;
    this.onEndTurn = ignore;
    this.onDisconnected = ignore;
    return this.#exclusively(() => dropped);
  }

  /** Resolves when no `connect()` or `disconnect()` is running. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  /**
   * Sends a prompt, after a running `connect()`, and resolves at the end of its turn, even if the stream breaks meanwhile.
   * `onAccepted` receives the ids of the prompt and its session, unless the daemon accepts no prompts before their end.
   */
  async sendPrompt(
    prompt: string | ContentBlock[],
    { onAccepted = ignore }: { readonly onAccepted?: (promptId: string, sessionId: string) => void } = {},
  ): Promise<DaemonIdePromptResult> {
    await this.settled();
    const link = this.#link;
    const blocks: ContentBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    try {
      const { session, turns } = this.#connected();
      const { promptId, end } = await turns.submit(session, blocks);
      if (promptId !== undefined) onAccepted(promptId, session.sessionId);
      const { stopReason } = await end;
      this.#call('onEndTurn', () => this.onEndTurn(stopReason));
      return { stopReason };
    } catch (error) {
      if (link?.isLeft !== true) this.#call('onEndTurn', () => this.onEndTurn('error'));
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
    const { sessionFactory: _given, ...request } = options;
    const { origin } = validateDaemonBaseUrl(request.baseUrl);
    const { token, workspaceCwd, modelServiceId, lastEventId } = request;
    requireEventId(lastEventId);
    const key = [origin, token, workspaceCwd, modelServiceId, lastEventId, options.sessionFactory];
    if (this.#link !== undefined && key.every((part, index) => part === this.#key[index])) return;
    const session = await this.#openSession(
      { ...request, baseUrl: origin, ...this.#registrationFor(lastEventId) },
      options.sessionFactory ?? createSdkDaemonSessionFactory(),
      signal,
    );
    await this.#drop(true);
    if (lastEventId !== undefined && session.client.lastEventId !== lastEventId) {
      this.#logger.warn('the daemon no longer has the session of lastEventId, so a new one starts', {
        sessionId: session.client.sessionId,
      });
    }
    const link = new DaemonLink({
      session,
      clock: this.#clock,
      logger: this.#logger,
      reconnectForMs: this.#reconnectForMs,
      handlers: () => this,
      observer: this.#observer,
      onEvent: (event) => this.#dispatch(event),
      onEnd: (reason, { kind, message }) => {
        if (this.#forget(link, true)) {
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
      this.#forget(link, true);
      link.close();
      await this.#leave(link.session);
      throw error;
    }
  }

  /** Does not wait for a factory after a `disconnect()`: a session that it opens later is left. */
  async #openSession(
    request: DaemonIdeSessionFactoryOptions,
    sessionFactory: DaemonIdeSessionFactory,
    signal: AbortSignal,
  ): Promise<DaemonIdeSession> {
    const open = async (): Promise<DaemonIdeSession> => {
      const opened = await sessionFactory(request, signal);
      if ('reopen' in opened) return opened;
      return { client: toSessionClient(opened), reopen: async () => (await open()).client };
    };
    const opening = open();
    return new Promise((resolve, reject) => {
      const cancel = (): void => reject(signal.reason);
      signal.addEventListener('abort', cancel);
      void opening
        .then((session) => {
          const { clientId } = session.client;
          const isKept = clientId !== undefined && clientId === request.clientId;
          if (!signal.aborted) resolve(session);
          else if (!isKept) void this.#leave(session.client);
        }, reject)
        .finally(() => signal.removeEventListener('abort', cancel));
    });
  }

  /** A cursor that this connection reported is valid in the session and the epoch that it comes from. */
  #registrationFor(
    lastEventId: number | undefined,
  ): Pick<DaemonIdeSessionFactoryOptions, 'eventEpoch' | 'clientId'> {
    const left = this.#left;
    if (left === undefined || lastEventId === undefined || lastEventId !== left.lastEventId) return {};
    const { eventEpoch, clientId } = left;
    return { ...(eventEpoch !== undefined && { eventEpoch }), ...(clientId !== undefined && { clientId }) };
  }

  #leave(session: SessionClient): Promise<void> {
    return leaveSession(session, { clock: this.#clock, logger: this.#logger });
  }

  #dispatch(event: DaemonEvent): void {
    if (event.type === 'session_update' && isNotification(event.data)) {
      const { data } = event;
      this.#call('onSessionUpdate', () => this.onSessionUpdate(data));
    } else this.#logger.debug('an event of the daemon', { type: event.type, id: event.id });
  }

  /** Ends the link at once. Resolves when it has also left the session, if it detaches. */
  async #drop(detaches: boolean): Promise<void> {
    const link = this.#link;
    if (link === undefined || !this.#forget(link, detaches)) return;
    link.close();
    this.#call('onDisconnected', () => this.onDisconnected(null, 'disconnected'));
    if (detaches) await this.#leave(link.session);
  }

  /** Returns whether this was the current link. */
  #forget(link: DaemonLink, detaches: boolean): boolean {
    if (this.#link !== link) return false;
    this.#link = undefined;
    const { lastEventId } = link;
    const { sessionId, eventEpoch, clientId } = link.session;
    this.#left = { sessionId, lastEventId, eventEpoch, clientId: detaches ? undefined : clientId };
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

/** @throws DaemonError `request_failed`, before a session is opened for it */
function requireEventId(lastEventId: number | undefined): void {
  if (lastEventId === undefined || (Number.isSafeInteger(lastEventId) && lastEventId >= 0)) return;
  const message = `lastEventId is ${lastEventId}, but an event has a whole number from 0. Use the lastEventId of an earlier connection.`;
  throw new DaemonError('request_failed', message);
}

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
