import { type Clock, type Disposable, describeError, type Logger } from '@tandem/core';
import type { DaemonError } from './daemonError.js';
import type { DaemonEvent, SessionClient } from './sessionClient.js';
import { isNetworkError, toDaemonError } from './toDaemonError.js';

/** Why a session's stream ended for good. */
export interface StreamEnd {
  /** The reason of `session_died`, or `stream_ended`, `daemon_error`. */
  readonly reason: string;
  readonly isClosed?: boolean;
  readonly error?: DaemonError;
}

/** Why a session is reopened: the daemon no longer knows it, or has dropped events that we need. */
export type ReopenReason = 'restarted' | 'resync';

export interface EventPumpOptions {
  readonly session: SessionClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a broken stream is retried before it counts as ended, in milliseconds. */
  readonly reconnectForMs: number;
  readonly reopen: (why: ReopenReason) => Promise<SessionClient>;
  /** Called in order, once for each event. Must not throw or block: later events wait for it. */
  readonly onEvent: (event: DaemonEvent) => void;
  /** The stream is open. `session` is a new object after a reopen. */
  readonly onOpen: (session: SessionClient) => void;
  /** The stream broke and is being reopened. */
  readonly onBreak: (error: unknown) => void;
  /** Called at most once, and not after `dispose()`. */
  readonly onEnd: (end: StreamEnd) => void;
}

const firstDelayMs = 100;
const longestDelayMs = 3_000;
/** A stream that stays open this long has recovered. One that ends earlier is reopened with a growing delay. */
const steadyMs = 3_000;
/** The SDK does not report that a stream without epoch is open, before its first event. */
const silentMs = 2_000;
/** After more early ends than this, a stream counts as open only once it is steady. */
const earlyEndsShown = 1;

/**
 * Reads the stream of one session: drops duplicates, reopens a broken stream, and reports its end once. The owner disposes
 * it, which ends the stream without a report.
 */
export class EventPump implements Disposable {
  readonly #options: EventPumpOptions;
  readonly #abort = new AbortController();
  #session: SessionClient;
  #reported: SessionClient | undefined;
  /** The highest delivered id of the current epoch. */
  #delivered = 0;
  #brokenSince: number | undefined;
  #openedAt: number | undefined;
  #whenSteady: Disposable | undefined;
  #whenOpen: Disposable | undefined;
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

  /** The last delivered event, where another pump can resume. */
  get lastEventId(): number | undefined {
    return this.#delivered === 0 ? this.#session.lastEventId : this.#delivered;
  }

  start(): void {
    void this.#run();
  }

  dispose(): void {
    this.#abort.abort();
    this.#whenSteady?.dispose();
    this.#whenOpen?.dispose();
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

  /** One subscription. Returns an end if a retry is useless. */
  async #read(): Promise<StreamEnd | undefined> {
    const { signal } = this.#abort;
    let failure: unknown;
    let isStale = false;
    let isClosed = false;
    try {
      // The epoch is in the response header, so that a silent stream counts as open too.
      const onEpoch = () => this.#opened();
      // Only the first time: a daemon that hangs later has not recovered.
      if (this.#reported === undefined && this.#brokenSince === undefined) {
        this.#whenOpen = this.#options.clock.setTimeout(onEpoch, silentMs);
      }
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
    // A reopen would bring back the closed session.
    if (isClosed) return { reason: 'stream_ended', isClosed };
    return isStale ? this.#reopen('resync') : this.#recover(failure);
  }

  #opened(): void {
    const { clock } = this.#options;
    if (this.#openedAt !== undefined || this.#abort.signal.aborted) return;
    this.#openedAt = clock.now();
    this.#whenOpen?.dispose();
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
    this.#whenOpen?.dispose();
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
    // Do not loop if a session opens but its events are missing.
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

  /** The daemon delivers at least once: some events repeat after a reconnect. */
  #isDuplicate({ id }: DaemonEvent): boolean {
    if (id === undefined) return false;
    if (id <= this.#delivered) return true;
    this.#delivered = id;
    return false;
  }

  /** Waits before a retry: doubled each time, with jitter so that clients do not retry in step. */
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

/** Whether the event has this type and names this session. */
function isOf({ sessionId }: SessionClient, { type, data }: DaemonEvent, wanted: string): boolean {
  if (type !== wanted || typeof data !== 'object' || data === null) return false;
  return 'sessionId' in data && data.sessionId === sessionId;
}

function reasonOf({ type, data }: DaemonEvent): string {
  if (typeof data !== 'object' || data === null) return type;
  return 'reason' in data && typeof data.reason === 'string' ? data.reason : type;
}
