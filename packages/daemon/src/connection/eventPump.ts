import type { Clock, Disposable, Logger } from '@tandem/core';
import { describeError } from '@tandem/core';
import { type DaemonError, isNetworkError, toDaemonError } from './daemonError.js';
import type { DaemonEvent, SessionClient } from './sessionClient.js';

/** Why a session's stream is over for good. */
export interface StreamEnd {
  /** `session_died`'s and `session_closed`'s own reason, or `stream_ended`, `daemon_error`. */
  readonly reason: string;
  readonly error?: DaemonError;
}

export interface EventPumpOptions {
  readonly session: SessionClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For how long a broken stream is tried again before it counts as ended, in milliseconds. */
  readonly reconnectForMs: number;
  /** Opens the session again where the daemon does not know it any more, or has lost events. It decides what is shown of its past. */
  readonly reopen: (why: 'restarted' | 'resync', old: SessionClient) => Promise<SessionClient>;
  /** Called in order, each event once. Must not throw or wait: it would hold up all that come after. */
  readonly onEvent: (event: DaemonEvent) => void;
  /** The stream is open; `session` is another one than before when it was opened again. */
  readonly onOpen: (session: SessionClient) => void;
  readonly onBreak: (error: unknown) => void;
  /** Called at most once, and not after `dispose()`. */
  readonly onEnd: (end: StreamEnd) => void;
}

const firstDelayMs = 100;
const longestDelayMs = 3_000;

/**
 * Reads the stream of one session: drops what came twice, opens it again when it breaks, and says once when it is over.
 * The owner disposes it; that ends the stream and tells nobody.
 */
export class EventPump implements Disposable {
  readonly #options: EventPumpOptions;
  readonly #abort = new AbortController();
  #session: SessionClient;
  #isOpenTo: SessionClient | undefined;
  /** The highest id that was delivered, in the present epoch. */
  #delivered = 0;
  #brokenSince: number | undefined;
  #delayMs = firstDelayMs;
  #reopened = false;

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

  /** One subscription, from its opening to its end. Gives an end if there is nothing to try again. */
  async #read(): Promise<StreamEnd | undefined> {
    const { signal } = this.#abort;
    let failure: unknown;
    try {
      // The epoch is in the answer's header: a stream on which nothing happens is open all the same.
      const onEpoch = () => this.#healed();
      for await (const event of this.#session.events({ signal, onEpoch })) {
        if (signal.aborted) return undefined;
        this.#healed();
        if (event.type === 'state_resync_required') return await this.#reopen('resync');
        if (this.#isDuplicate(event)) continue;
        this.#options.onEvent(event);
        if (signal.aborted) return undefined;
        const reason = endingReason(event, this.#session.sessionId);
        if (reason !== undefined) return { reason };
      }
    } catch (error) {
      failure = error;
    }
    if (signal.aborted) return undefined;
    return this.#recover(failure);
  }

  async #recover(failure: unknown): Promise<StreamEnd | undefined> {
    const { clock, reconnectForMs, logger, onBreak } = this.#options;
    if (this.#brokenSince === undefined) {
      this.#brokenSince = clock.now();
      onBreak(failure);
    }
    if (failure !== undefined) {
      logger.debug('the event stream of the daemon broke', { error: describeError(failure) });
      const error = toDaemonError(failure, 'stream its events', 'its address');
      if (error.kind === 'session_not_found') return this.#reopen('restarted');
      if (!isTransient(failure)) return { reason: 'daemon_error', error };
    }
    if (clock.now() - this.#brokenSince >= reconnectForMs) {
      if (failure === undefined) return { reason: 'stream_ended' };
      return { reason: 'daemon_error', error: toDaemonError(failure, 'be reached again', 'its address') };
    }
    await this.#wait();
    return undefined;
  }

  async #reopen(why: 'restarted' | 'resync'): Promise<StreamEnd | undefined> {
    const { clock, reconnectForMs } = this.#options;
    this.#brokenSince ??= clock.now();
    // A session that is opened and not there when its events are asked for must not be asked for without end.
    if (this.#reopened) await this.#wait();
    if (this.#abort.signal.aborted) return undefined;
    if (this.#reopened && clock.now() - this.#brokenSince >= reconnectForMs)
      return { reason: 'daemon_error' };
    this.#reopened = true;
    try {
      const session = await this.#options.reopen(why, this.#session);
      if (this.#abort.signal.aborted) {
        await session.detach().catch(() => {});
        return undefined;
      }
      this.#session = session;
      this.#delivered = session.lastEventId ?? 0;
      return undefined;
    } catch (failure) {
      if (isTransient(failure)) {
        this.#brokenSince ??= this.#options.clock.now();
        await this.#wait();
        return undefined;
      }
      return {
        reason: 'daemon_error',
        error: toDaemonError(failure, 'open the session again', 'its address'),
      };
    }
  }

  #healed(): void {
    if (this.#abort.signal.aborted) return;
    if (this.#isOpenTo === this.#session && this.#brokenSince === undefined) return;
    this.#isOpenTo = this.#session;
    this.#brokenSince = undefined;
    this.#reopened = false;
    this.#delayMs = firstDelayMs;
    this.#options.onOpen(this.#session);
  }

  /** The daemon delivers at least once: after a reconnect some come again. */
  #isDuplicate({ id }: DaemonEvent): boolean {
    if (id === undefined) return false;
    if (id <= this.#delivered) return true;
    this.#delivered = id;
    return false;
  }

  async #wait(): Promise<void> {
    const { signal } = this.#abort;
    const delay = this.#delayMs;
    this.#delayMs = Math.min(delay * 2, longestDelayMs);
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimeout(resolve, delay);
      signal.addEventListener('abort', () => {
        timer.dispose();
        resolve();
      });
    });
  }
}

function isTransient(failure: unknown): boolean {
  if (isNetworkError(failure)) return true;
  if (typeof failure !== 'object' || failure === null) return false;
  if ('kind' in failure && failure.kind === 'unreachable') return true;
  return 'status' in failure && typeof failure.status === 'number' && failure.status >= 500;
}

/** Why a session is over, if this event says that it is. */
function endingReason({ type, data }: DaemonEvent, sessionId: string): string | undefined {
  if (type !== 'session_died' && type !== 'session_closed') return undefined;
  if (typeof data !== 'object' || data === null) return undefined;
  if ('sessionId' in data && data.sessionId !== sessionId) return undefined;
  return 'reason' in data && typeof data.reason === 'string' ? data.reason : type;
}
