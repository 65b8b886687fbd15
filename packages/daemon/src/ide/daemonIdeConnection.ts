import { type Clock, describeError, type Logger, silentLogger } from '@tandem/core';
import { DaemonError, toDaemonError } from '../connection/daemonError.js';
import { validateDaemonBaseUrl } from '../connection/daemonUrl.js';
import { describeEnd } from '../connection/describeEnd.js';
import { EventPump, type StreamEnd } from '../connection/eventPump.js';
import { PromptTurns } from '../connection/promptTurns.js';
import type { ContentBlock, DaemonEvent, SessionClient } from '../connection/sessionClient.js';
import { systemClock } from '../connection/systemClock.js';
import type {
  AskContext,
  AskUserQuestionRequest,
  DaemonIdeConnectionOptions,
  DaemonIdePromptResult,
  DaemonIdeSession,
  DaemonIdeSetModelResult,
  RequestPermissionRequest,
  SessionNotification,
} from './ideTypes.js';
import { missedRequests } from './missedRequests.js';
import { PermissionDesk } from './permissionDesk.js';
import { createSdkDaemonSessionFactory } from './sdkSessionFactory.js';

export interface DaemonIdeConnectionContext {
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** For how long a broken stream is tried again before the connection counts as ended. 15 s by default. */
  readonly reconnectForMs?: number;
}

/** One connection, from `connect()` to its end. */
interface Link {
  readonly pump: EventPump;
  readonly desk: PermissionDesk;
  readonly turns: PromptTurns;
  readonly key: string;
}

/**
 * The adapter between an editor and a daemon on the same machine (qwen-daemon-adapter.md): one session, its events by
 * callbacks. The owner disconnects it. Methods throw `DaemonError`.
 *
 * Beyond the document, what `qwen serve` 0.24.4 needs: a stream that breaks is opened again while the turn goes on, what
 * came twice is dropped, requests that were pending before we came are asked, and each end is told once.
 */
export class DaemonIdeConnection {
  /** What happened in the session. */
  onSessionUpdate: (data: SessionNotification) => void = ignore;
  /** The agent wants to use a tool. Without an `optionId` that is offered, the request is cancelled. */
  onPermissionRequest:
    | ((data: RequestPermissionRequest, context: AskContext) => Promise<{ optionId?: string }>)
    | undefined;
  /** The agent asks. `answers` by the position of each question, by its text or by its header. */
  onAskUserQuestion:
    | ((
        data: AskUserQuestionRequest,
        context: AskContext,
      ) => Promise<{ optionId: string; answers?: Record<string, string> }>)
    | undefined;
  /** A prompt of `sendPrompt()` has ended, by the daemon's reason or `error`. */
  onEndTurn: (reason?: string) => void = ignore;
  /** The connection has ended: once for each `connect()` that succeeded. The code is always null. */
  onDisconnected: (code: number | null, signal: string | null) => void = ignore;

  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #reconnectForMs: number;
  #link: Link | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #connecting: AbortController | undefined;
  #captured: { readonly lastEventId?: number; readonly eventEpoch?: string } = {};

  constructor({ logger, clock, reconnectForMs }: DaemonIdeConnectionContext = {}) {
    this.#logger = logger ?? silentLogger;
    this.#clock = clock ?? systemClock;
    this.#reconnectForMs = reconnectForMs ?? 15_000;
  }

  get isConnected(): boolean {
    return this.#link !== undefined;
  }

  get currentSessionId(): string | undefined {
    return this.#link?.pump.session.sessionId;
  }

  /** The last event that was delivered, of this connection or of the last one: where the next one can go on. */
  get lastEventId(): number | undefined {
    return this.#link?.pump.lastEventId ?? this.#captured.lastEventId;
  }

  /**
   * Connects. Calls wait for each other: the same one twice is one connection, another one takes the place of the first.
   *
   * @throws DaemonError `not_loopback`, `unreachable`, `unauthorized`, `workspace_mismatch`, `no_auth_configured`, `incompatible`
   */
  connect(options: DaemonIdeConnectionOptions): Promise<void> {
    return this.#exclusively(() => this.#connect(options));
  }

  /** Lets go of the session, which goes on in the daemon, and clears the callbacks. Ends a `connect()` under way. */
  disconnect(): Promise<void> {
    this.#connecting?.abort(new DaemonError('session_ended', 'The connection was given up.'));
    return this.#exclusively(async () => {
      await this.#drop('disconnected');
      this.onSessionUpdate = ignore;
      this.onPermissionRequest = undefined;
      this.onAskUserQuestion = undefined;
      this.onEndTurn = ignore;
      this.onDisconnected = ignore;
    });
  }

  /** Sends a prompt and resolves at the end of its turn, however often the stream breaks meanwhile. */
  async sendPrompt(prompt: string | ContentBlock[]): Promise<DaemonIdePromptResult> {
    const link = this.#connected();
    const blocks: ContentBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    try {
      const { stopReason } = await link.turns.run(link.pump.session, blocks);
      this.#call('onEndTurn', () => this.onEndTurn(stopReason));
      return { stopReason };
    } catch (error) {
      const isGivenUp = this.#link !== link && error instanceof DaemonError && error.kind === 'session_ended';
      if (!isGivenUp) this.#call('onEndTurn', () => this.onEndTurn('error'));
      throw toDaemonError(error, 'take the prompt', 'its address');
    }
  }

  /** Stops the turn. Without a connection there is nothing to stop. */
  async cancelSession(): Promise<void> {
    await this.#link?.pump.session.cancel().catch((error: unknown) => {
      throw toDaemonError(error, 'stop the turn', 'its address');
    });
  }

  /** Switches the model, for this session and as the default in the user's settings. */
  async setModel(modelId: string): Promise<DaemonIdeSetModelResult> {
    // The daemon's own answer repeats a part of the provider's key.
    await this.#connected()
      .pump.session.setModel(modelId)
      .catch((error: unknown) => {
        throw toDaemonError(error, 'switch the model', 'its address');
      });
    return { modelId };
  }

  async #connect(options: DaemonIdeConnectionOptions): Promise<void> {
    const { sessionFactory = createSdkDaemonSessionFactory(), ...request } = options;
    validateDaemonBaseUrl(request.baseUrl);
    const key = JSON.stringify([
      request.baseUrl,
      request.token,
      request.workspaceCwd,
      request.modelServiceId,
    ]);
    if (this.#link?.key === key) return;
    await this.#drop('disconnected');
    const abort = new AbortController();
    this.#connecting = abort;
    try {
      const session = await sessionFactory(
        { ...request, ...this.#epochOf(request.lastEventId) },
        abort.signal,
      );
      if (abort.signal.aborted) await session.client.detach().catch(ignore);
      abort.signal.throwIfAborted();
      await this.#follow(session, key);
    } finally {
      if (this.#connecting === abort) this.#connecting = undefined;
    }
  }

  /** A cursor that this connection has told itself holds in the epoch that it comes from. */
  #epochOf(lastEventId: number | undefined): { eventEpoch?: string } {
    const { eventEpoch } = this.#captured;
    const isOurs = lastEventId !== undefined && lastEventId === this.#captured.lastEventId;
    return isOurs && eventEpoch !== undefined ? { eventEpoch } : {};
  }

  /** Resolves once the stream is open. */
  #follow({ client, reopen }: DaemonIdeSession, key: string): Promise<void> {
    const turns = new PromptTurns();
    const desk = new PermissionDesk(() => this, this.#logger);
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const pump = new EventPump({
        session: client,
        clock: this.#clock,
        logger: this.#logger,
        reconnectForMs: this.#reconnectForMs,
        reopen: async (why) => {
          const session = await reopen();
          // The daemon that ran the turn is gone, or it has ended among the events that were lost.
          if (why === 'restarted' || !session.hasActivePrompt) {
            turns.fail(new DaemonError('daemon_stopped', 'The daemon lost the turn. Ask again.'));
          }
          return session;
        },
        onEvent: (event) => this.#dispatch(event, link),
        onOpen: (session) => {
          isOpen = true;
          resolve();
          void this.#askMissed(session, desk);
        },
        onBreak: (error) => {
          this.#logger.info('the connection to the daemon broke', { error: describeError(error) });
        },
        onEnd: (end) => {
          if (isOpen) this.#end(link, end);
          else {
            this.#link = undefined;
            reject(end.error ?? new DaemonError('session_ended', describeEnd(end).message));
          }
        },
      });
      const link: Link = { pump, desk, turns, key };
      this.#link = link;
      pump.start();
    });
  }

  #dispatch(event: DaemonEvent, { desk, turns, pump }: Link): void {
    turns.hear(event);
    desk.hear(event, pump.session);
    if (event.type === 'session_update' && isNotification(event.data)) {
      const { data } = event;
      this.#call('onSessionUpdate', () => this.onSessionUpdate(data));
    } else this.#logger.debug('an event of the daemon', { type: event.type, id: event.id });
  }

  /** An attach begins with what happens from now on: what is pending stands in the session's status alone. */
  async #askMissed(session: SessionClient, desk: PermissionDesk): Promise<void> {
    try {
      const status = await session.status();
      if (this.#link?.desk !== desk) return;
      for (const request of missedRequests(status)) desk.ask(request, session);
    } catch (error) {
      this.#logger.debug('the session could not be asked what is pending', { error: describeError(error) });
    }
  }

  #end(link: Link, end: StreamEnd): void {
    if (this.#link !== link) return;
    this.#capture(link);
    this.#link = undefined;
    link.desk.close();
    const { kind, message } = describeEnd(end);
    link.turns.fail(new DaemonError(kind === 'session_ended' ? 'request_failed' : kind, message));
    this.#call('onDisconnected', () => this.onDisconnected(null, end.reason));
  }

  async #drop(reason: string): Promise<void> {
    const link = this.#link;
    if (link === undefined) return;
    this.#capture(link);
    this.#link = undefined;
    link.pump.dispose();
    link.desk.close();
    link.turns.fail(new DaemonError('session_ended', 'The connection was closed during the turn.'));
    this.#call('onDisconnected', () => this.onDisconnected(null, reason));
    await link.pump.session.detach().catch((error: unknown) => {
      this.#logger.debug('the session could not be left', { error: describeError(error) });
    });
  }

  #capture({ pump }: Link): void {
    const { lastEventId } = pump;
    const { eventEpoch } = pump.session;
    this.#captured = {
      ...(lastEventId !== undefined && { lastEventId }),
      ...(eventEpoch !== undefined && { eventEpoch }),
    };
  }

  #connected(): Link {
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
