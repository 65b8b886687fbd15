import type { Clock, Disposable, Logger } from '@tandem/core';
import { describeError } from '@tandem/core';
import type { DaemonError } from './daemonError.js';
import type { DaemonEvent, SessionClient } from './sessionClient.js';
import { isNetworkError, toDaemonError } from './toDaemonError.js';

/** Why a session's stream is over for good. */
export interface StreamEnd {
  /** The reason of `session_died`, or `stream_ended`, `daemon_error`. */
  readonly reason: string;
  /** The stream ended because the session was closed. */
  readonly isClosed?: boolean;
  readonly error?: DaemonError;
}

/** Why a session is opened again: the daemon does not know it any more, or has dropped events that we need. */
export type ReopenReason = 'restarted' | 'resync';

export interface EventPumpOptions {
  readonly session: SessionClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For how long a broken stream is tried again before it counts as ended, in milliseconds. */
  readonly reconnectForMs: number;
  /** Opens the session again where the daemon does not know it any more, or has lost events. */
  readonly reopen: (why: ReopenReason) => Promise<SessionClient>;
  /** Called in order, each event once. Must not throw or wait: it would hold up all that come after. */
  readonly onEvent: (event: DaemonEvent) => void;
  /** The stream is open; `session` is another one than before when it was opened again. */
  readonly onOpen: (session: SessionClient) => void;
  /** The stream is not open any more, and is being opened again. */
  readonly onBreak: (error: unknown) => void;
  /** Called at most once, and not after `dispose()`. */
  readonly onEnd: (end: StreamEnd) => void;
}

const firstDelayMs = 100;
const longestDelayMs = 3_000;
/** A stream that stays open for this long has recovered. One that ends earlier is reopened with growing delay. */
const steadyMs = 3_000;
/** A stream that has ended early this often counts as open only once it is steady. */
const earlyEndsShown = 1;

/**
 * Reads the stream of one session: drops duplicates, reopens the stream when it breaks, and reports once when it is over.
 * The owner disposes it; that ends the stream without a report.
 */
export class EventPump implements Disposable {
  readonly #options: EventPumpOptions;
  readonly #abort = new AbortController();
  #session: SessionClient;
  /** The session whose stream was reported as open. */
  #reported: SessionClient | undefined;
  /** The highest id that was delivered, in the present epoch. */
  #delivered = 0;
  /** Since when the stream has not been steady. */
  #brokenSince: number | undefined;
  #openedAt: number | undefined;
  #whenSteady: Disposable | undefined;
  #retries = 0;
  #earlyEnds = 0;
  #isReopened = false;

  constructor(options: EventPumpOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#delivered = options.session.lastEventId ?? 0;
  }

  get session(): SessionClient {
    return this.#session;
  }

  /** The last event that was delivered, from which another pump can go on. */
  get lastEventId(): number | undefined {
    return this.#delivered === 0 ? this.#session.lastEventId : this.#delivered;
  }

  start(): void {
    void this.#run();
  }

  dispose(): void {
    this.#abort.abort();
    this.#whenSteady?.dispose();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const end = await this.#read();
      if (signal.aborted) return;
      if (end !== undefined) {
        this.dispose();
        this.#options.onEnd(end);
        return;
      }
    }
  }

  /** One subscription, from its opening to its end. Gives an end if there is nothing to retry. */
  async #read(): Promise<StreamEnd | undefined> {
    const { signal } = this.#abort;
    let failure: unknown;
    let isStale = false;
    let isClosed = false;
    try {
      // The epoch is in the answer's header: a stream on which nothing happens is open all the same.
      const onEpoch = () => this.#opened();
      for await (const event of this.#session.events({ signal, onEpoch })) {
        if (signal.aborted) return undefined;
        this.#opened();
        isStale = event.type === 'state_resync_required';
        if (isStale) break;
        if (this.#isDuplicate(event)) continue;
        this.#options.onEvent(event);
        if (signal.aborted) return undefined;
        if (isOf(this.#session, event, 'session_died')) return { reason: reasonOf(event) };
        isClosed ||= isOf(this.#session, event, 'session_closed');
      }
    } catch (error) {
      failure = error;
    }
    if (signal.aborted) return undefined;
    this.#ended();
    // Opening it again would bring back a session that somebody has closed.
    if (isClosed) return { reason: 'stream_ended', isClosed };
    return isStale ? this.#reopen('resync') : this.#recover(failure);
  }

  #opened(): void {
    const { clock } = this.#options;
    if (this.#openedAt !== undefined || this.#abort.signal.aborted) return;
    this.#openedAt = clock.now();
    if (this.#earlyEnds <= earlyEndsShown) this.#reportOpen();
    else this.#whenSteady = clock.setTimeout(() => this.#reportOpen(), steadyMs);
  }

  #reportOpen(): void {
    if (this.#reported === this.#session) return;
    this.#reported = this.#session;
    this.#options.onOpen(this.#session);
  }

  #ended(): void {
    const now = this.#options.clock.now();
    const openedAt = this.#openedAt;
    this.#openedAt = undefined;
    this.#whenSteady?.dispose();
    if (openedAt !== undefined && now - openedAt >= steadyMs) {
      this.#brokenSince = undefined;
      this.#retries = 0;
      this.#earlyEnds = 0;
      this.#isReopened = false;
    } else if (openedAt !== undefined) this.#earlyEnds += 1;
    this.#brokenSince ??= now;
  }

  get #isOverdue(): boolean {
    const { clock, reconnectForMs } = this.#options;
    return this.#brokenSince !== undefined && clock.now() - this.#brokenSince >= reconnectForMs;
  }

  async #recover(failure: unknown): Promise<StreamEnd | undefined> {
    const { logger, onBreak } = this.#options;
    if (this.#reported !== undefined) {
      this.#reported = undefined;
      onBreak(failure);
    }
    if (failure !== undefined) {
      logger.debug('the event stream of the daemon broke', { error: describeError(failure) });
      const error = toDaemonError(failure, 'stream its events', 'its address');
      if (error.kind === 'session_not_found') return this.#reopen('restarted');
      if (!isTransient(failure)) return { reason: 'daemon_error', error };
    }
    if (this.#isOverdue) {
      if (failure === undefined) return { reason: 'stream_ended' };
      return { reason: 'daemon_error', error: toDaemonError(failure, 'be reached again', 'its address') };
    }
    await this.#wait();
    return undefined;
  }

  async #reopen(why: ReopenReason): Promise<StreamEnd | undefined> {
    // A session that is opened and not there when its events are asked for must not be asked for without end.
    if (this.#isReopened) {
      if (this.#isOverdue) return { reason: 'daemon_error' };
      await this.#wait();
      if (this.#abort.signal.aborted) return undefined;
    }
    this.#isReopened = true;
    try {
      const session = await this.#options.reopen(why);
      if (this.#abort.signal.aborted) {
        await session.detach().catch(() => {});
        return undefined;
      }
      this.#session = session;
      this.#delivered = session.lastEventId ?? 0;
    } catch (failure) {
      const error = toDaemonError(failure, 'open the session again', 'its address');
      if (!isTransient(failure) || this.#isOverdue) return { reason: 'daemon_error', error };
      await this.#wait();
    }
    return undefined;
  }

  /** The daemon delivers at least once: after a reconnect some come again. */
  #isDuplicate({ id }: DaemonEvent): boolean {
    if (id === undefined) return false;
    if (id <= this.#delivered) return true;
    this.#delivered = id;
    return false;
  }

  /** Waits before a retry: each time twice as long, half of it by chance, so that clients do not come back in step. */
  async #wait(): Promise<void> {
    const { signal } = this.#abort;
    const longest = Math.min(firstDelayMs * 2 ** this.#retries, longestDelayMs);
    this.#retries += 1;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        timer.dispose();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#options.clock.setTimeout(done, longest * (0.5 + Math.random() / 2));
      signal.addEventListener('abort', done);
    });
  }
}

function isTransient(failure: unknown): boolean {
  if (isNetworkError(failure)) return true;
  if (typeof failure !== 'object' || failure === null) return false;
  if ('kind' in failure && failure.kind === 'unreachable') return true;
  return 'status' in failure && typeof failure.status === 'number' && failure.status >= 500;
}

/** Whether an event says this of this session. One that names no session says it of none. */
function isOf({ sessionId }: SessionClient, { type, data }: DaemonEvent, wanted: string): boolean {
  if (type !== wanted || typeof data !== 'object' || data === null) return false;
  return 'sessionId' in data && data.sessionId === sessionId;
}

function reasonOf({ type, data }: DaemonEvent): string {
  if (typeof data !== 'object' || data === null) return type;
  return 'reason' in data && typeof data.reason === 'string' ? data.reason : type;
}
