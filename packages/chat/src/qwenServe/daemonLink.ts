import { type Clock, describeError, type Logger, withTimeout } from '@tandem/core';
import { DaemonError } from './daemonError.js';
import { EventPump, type ReopenReason, type StreamEnd } from './eventPump.js';
import type { DaemonIdeObserver, DaemonIdeSession } from './ideTypes.js';
import { type PermissionHandlers, PermissionRequests, pendingRequests } from './permissionRequests.js';
import { PromptTurns } from './promptTurns.js';
import type { DaemonEvent, SessionClient } from './sessionClient.js';

/** The longest wait, in milliseconds, for a daemon that does not answer a detach. */
const leaveLimitMs = 1_000;

export interface DaemonLinkOptions {
  readonly session: DaemonIdeSession;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a broken stream is reopened before the link counts as ended. */
  readonly reconnectForMs: number;
  readonly handlers: () => PermissionHandlers;
  readonly observer: DaemonIdeObserver | undefined;
  readonly onEvent: (event: DaemonEvent) => void;
  /** Called at most once, after the link was open, and not after `close()`. */
  readonly onEnd: (reason: string, error: DaemonError) => void;
}

/** The connection to one session: its stream, its requests and the turns of our prompts. */
export class DaemonLink {
  readonly turns = new PromptTurns();
  readonly requests: PermissionRequests;
  readonly #options: DaemonLinkOptions;
  readonly #pump: EventPump;
  #opening: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  #isOpen = false;
  #isOver = false;
  #isLeft = false;

  constructor(options: DaemonLinkOptions) {
    this.#options = options;
    const { session, clock, logger, reconnectForMs, handlers } = options;
    this.requests = new PermissionRequests(handlers, () => this.session, logger);
    this.#pump = new EventPump({
      session: session.client,
      clock,
      logger,
      reconnectForMs,
      reopen: (why) => this.#reopen(why),
      onEvent: (event) => this.#handle(event),
      onOpen: (open) => void this.#opened(open),
      onBreak: (error) => {
        logger.info('the connection to the daemon broke', { error: describeError(error) });
        options.observer?.onBreak();
      },
      onEnd: (end) => this.#end(end),
    });
  }

  get session(): SessionClient {
    return this.#pump.session;
  }

  get lastEventId(): number | undefined {
    return this.#pump.lastEventId;
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Resolves once the stream is open and the observer has seen it. Rejects with the end or the signal's reason. */
  async open(signal: AbortSignal): Promise<void> {
    this.#options.observer?.onSession(this.session);
    let cancel = (): void => {};
    const opening = new Promise<void>((resolve, reject) => {
      this.#opening = { resolve, reject };
      cancel = () => reject(signal.reason);
    });
    signal.addEventListener('abort', cancel);
    this.#pump.start();
    try {
      await opening;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Ends the stream. Pending turns reject. The session continues in the daemon. */
  close(): void {
    this.#isLeft = true;
    this.#pump.dispose();
    this.#close(new DaemonError('session_ended', 'The connection was closed during the turn.'));
  }

  #handle(event: DaemonEvent): void {
    this.#options.observer?.onEvent(event);
    this.turns.handle(event);
    this.requests.handle(event);
    this.#options.onEvent(event);
  }

  async #reopen(why: ReopenReason): Promise<SessionClient> {
    const session = await this.#options.session.reopen();
    if (this.#isOver) return session;
    // Its daemon is gone, or it ended during the lost events.
    if (why === 'restarted' || !session.hasActivePrompt) {
      this.turns.fail(new DaemonError('daemon_stopped', 'The daemon lost the turn. Send the prompt again.'));
    }
    if (why === 'restarted') this.requests.close();
    this.#options.observer?.onSession(session, why);
    return session;
  }

  async #opened(session: SessionClient): Promise<void> {
    void this.#askPending(session);
    await this.#options.observer?.onOpen(session);
    this.#isOpen = true;
    this.#opening?.resolve();
  }

  /** The events after an attach omit requests that are already pending. */
  async #askPending(session: SessionClient): Promise<void> {
    try {
      const status = await session.status();
      if (this.#isOver) return;
      for (const request of pendingRequests(status)) this.requests.ask(request);
    } catch (error) {
      const { logger } = this.#options;
      logger.debug('the pending requests could not be read', { error: describeError(error) });
    }
  }

  #end(end: StreamEnd): void {
    const error = describeEnd(end);
    this.#close(error);
    if (this.#isOpen) this.#options.onEnd(end.reason, error);
  }

  #close(error: DaemonError): void {
    this.#isOver = true;
    this.requests.close();
    this.turns.close(error);
    this.#opening?.reject(error);
  }
}

/** Detaches from a session. A failure has no consequence: the session continues anyway. */
export async function leaveSession(
  session: SessionClient,
  { clock, logger }: Pick<DaemonLinkOptions, 'clock' | 'logger'>,
): Promise<void> {
  try {
    await withTimeout(clock, leaveLimitMs, session.detach(), 'The daemon');
  } catch (error) {
    logger.debug('the session could not be left', { error: describeError(error) });
  }
}

/** The end of a session's stream, for the user. */
function describeEnd({ reason, error, isClosed = false }: StreamEnd): DaemonError {
  if (error !== undefined) return error;
  if (isClosed) {
    return new DaemonError('session_ended', 'The chat was closed. Open another one or start a new one.');
  }
  switch (reason) {
    case 'daemon_shutdown':
      return new DaemonError('daemon_stopped', 'The daemon was stopped. Start it again, then connect.');
    case 'channel_closed': {
      const message = "The chat's agent process ended. Open the chat again to continue.";
      return new DaemonError('session_ended', message);
    }
    case 'daemon_error':
      return new DaemonError('session_not_found', 'The daemon no longer has this chat. Start a new one.');
    case 'stream_ended': {
      const message =
        'The daemon keeps closing the connection. A running turn continues there. Connect again.';
      return new DaemonError('unreachable', message);
    }
    default:
      return new DaemonError('session_ended', `The session ended: ${reason}.`);
  }
}
