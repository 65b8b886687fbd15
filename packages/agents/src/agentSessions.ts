import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
} from '@tandem/core';
import type { AgentSession } from './agentProtocol.js';

/** The sessions of one running protocol, each with what it sends through. */
export class AgentSessions<Connection> implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #entries = new Map<string, { session: AgentSession; readonly connection: Connection }>();
  readonly #didOpen: Emitter<AgentSession>;
  readonly #didClose: Emitter<AgentSession>;
  readonly #didOpenStream: Emitter<string>;

  readonly onDidOpen: Event<AgentSession>;
  readonly onDidClose: Event<AgentSession>;
  readonly onDidOpenStream: Event<string>;

  constructor(logger: Logger) {
    const onError = logListenerError(logger, 'the sessions');
    this.#didOpen = this.#owned.add(new Emitter<AgentSession>(onError));
    this.#didClose = this.#owned.add(new Emitter<AgentSession>(onError));
    this.#didOpenStream = this.#owned.add(new Emitter<string>(onError));
    this.onDidOpen = this.#didOpen.event;
    this.onDidClose = this.#didClose.event;
    this.onDidOpenStream = this.#didOpenStream.event;
  }

  get all(): readonly AgentSession[] {
    return [...this.#entries.values()].map((entry) => entry.session);
  }

  get connections(): readonly Connection[] {
    return [...this.#entries.values()].map((entry) => entry.connection);
  }

  connectionOf(id: string): Connection | undefined {
    return this.#entries.get(id)?.connection;
  }

  open(session: AgentSession, connection: Connection): void {
    this.#entries.set(session.id, { session, connection });
    this.#didOpen.fire(session);
  }

  /** Notes the agent's process, which it tells after it connected. */
  setPid(id: string, pid: number): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.session = { ...entry.session, pid };
  }

  /** The client of a session hears from now on. */
  streamOpened(id: string): void {
    this.#setAway(id, false);
    this.#didOpenStream.fire(id);
  }

  /** The client of a session does not hear any more, or not for now. */
  streamClosed(id: string): void {
    this.#setAway(id, true);
  }

  close(id: string): void {
    this.#setAway(id, false);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#didClose.fire(entry.session);
  }

  dispose(): void {
    for (const id of [...this.#entries.keys()]) this.close(id);
    this.#owned.dispose();
  }

  #setAway(id: string, isAway: boolean): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { isAway: _before, ...session } = entry.session;
    entry.session = isAway ? { ...session, isAway } : session;
  }
}
