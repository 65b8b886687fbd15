import { type Clock, describeError, inTime, type Logger } from '@tandem/core';
import { DaemonError } from '../connection/daemonError.js';
import { describeEnd } from '../connection/describeEnd.js';
import { EventPump, type ReopenReason, type StreamEnd } from '../connection/eventPump.js';
import { PromptTurns } from '../connection/promptTurns.js';
import type { DaemonEvent, SessionClient } from '../connection/sessionClient.js';
import type { DaemonIdeObserver, DaemonIdeSession } from './ideTypes.js';
import { missedRequests } from './missedRequests.js';
import { PermissionDesk, type PermissionHandlers } from './permissionDesk.js';

/** Nobody who leaves waits longer than this, in milliseconds, for a daemon that hangs. */
const leaveLimitMs = 1_000;

export interface DaemonLinkOptions {
  readonly session: DaemonIdeSession;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For how long a stream that breaks or ends is reopened before the link counts as ended. */
  readonly reconnectForMs: number;
  readonly handlers: () => PermissionHandlers;
  readonly observer: DaemonIdeObserver | undefined;
  readonly onEvent: (event: DaemonEvent) => void;
  /** Called once at most, after the link was open, and not after `leave()`. */
  readonly onEnd: (reason: string, error: DaemonError) => void;
}

/** One session that is followed, from its opening to its end: its stream, its requests and the turns of our prompts. */
export class DaemonLink {
  readonly turns = new PromptTurns();
  readonly desk: PermissionDesk;
  readonly #options: DaemonLinkOptions;
  readonly #pump: EventPump;
  #opening: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  #isOpen = false;
  #isOver = false;
  #isLeft = false;

  constructor(options: DaemonLinkOptions) {
    this.#options = options;
    const { session, clock, logger, reconnectForMs, handlers } = options;
    this.desk = new PermissionDesk(handlers, () => this.session, logger);
    this.#pump = new EventPump({
      session: session.client,
      clock,
      logger,
      reconnectForMs,
      reopen: (why) => this.#reopen(why),
      onEvent: (event) => this.#hear(event),
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

  /** Whether it ended because we left. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Resolves once the stream is open and the observer has seen it. Rejects with why it ended, or with the signal's reason. */
  async open(signal: AbortSignal): Promise<void> {
    this.#options.observer?.onSession(this.session);
    let giveUp = (): void => {};
    const opening = new Promise<void>((resolve, reject) => {
      this.#opening = { resolve, reject };
      giveUp = () => reject(signal.reason);
    });
    signal.addEventListener('abort', giveUp);
    this.#pump.start();
    try {
      await opening;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Leaves the session, which goes on in the daemon. What waits for a turn fails. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    this.#pump.dispose();
    this.#close(new DaemonError('session_ended', 'The connection was closed during the turn.'));
    await leaveSession(this.session, this.#options);
  }

  #hear(event: DaemonEvent): void {
    this.#options.observer?.onEvent(event);
    this.turns.hear(event);
    this.desk.hear(event);
    this.#options.onEvent(event);
  }

  async #reopen(why: ReopenReason): Promise<SessionClient> {
    const session = await this.#options.session.reopen();
    if (this.#isOver) return session;
    // The daemon that ran the turn is gone, or it has ended among the events that were lost.
    if (why === 'restarted' || !session.hasActivePrompt) {
      this.turns.fail(new DaemonError('daemon_stopped', 'The daemon lost the turn. Send the prompt again.'));
    }
    if (why === 'restarted') this.desk.close();
    this.#options.observer?.onSession(session, why);
    return session;
  }

  async #opened(session: SessionClient): Promise<void> {
    void this.#askMissed(session);
    await this.#options.observer?.onOpen(session);
    this.#isOpen = true;
    this.#opening?.resolve();
  }

  /** An attach begins with what happens from now on: what is pending stands in the session's status alone. */
  async #askMissed(session: SessionClient): Promise<void> {
    try {
      const status = await session.status();
      if (this.#isOver) return;
      for (const request of missedRequests(status)) this.desk.ask(request);
    } catch (error) {
      const { logger } = this.#options;
      logger.debug('the session could not be asked what is pending', { error: describeError(error) });
    }
  }

  #end(end: StreamEnd): void {
    const error = describeEnd(end);
    this.#close(error);
    if (this.#isOpen) this.#options.onEnd(end.reason, error);
  }

  #close(error: DaemonError): void {
    this.#isOver = true;
    this.desk.close();
    this.turns.close(error);
    this.#opening?.reject(error);
  }
}

/** Tells the daemon that we follow a session no more. It goes on there, so that a failure is of no consequence. */
export async function leaveSession(
  session: SessionClient,
  { clock, logger }: Pick<DaemonLinkOptions, 'clock' | 'logger'>,
): Promise<void> {
  try {
    await inTime(clock, leaveLimitMs, session.detach(), 'The daemon');
  } catch (error) {
    logger.debug('the session could not be left', { error: describeError(error) });
  }
}
