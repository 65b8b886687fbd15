import {
  type Clock,
  type Disposable,
  Emitter,
  type Logger,
  logListenerError,
  truncateToBytes,
} from '@tandem/core';
import type { McpSession } from '@tandem/mcp';
import type { AgentDefinition, AgentSession, ProtocolHost, RunningProtocol } from './agentProtocol.js';

/** How many bytes of a title are shown. The CLIs' own have about 50 bytes and the name of a file. */
const maxTitleBytes = 512;

/** The title of a diff or a session for the user: the agent's name for it. Many messages have it. */
export function titleOf(name: string): string {
  return truncateToBytes(name, maxTitleBytes);
}

/** The sessions of one running protocol, each with the connection that serves it. */
export class AgentSessions<Connection> implements Disposable {
  readonly #agent: AgentDefinition;
  readonly #clock: Clock;
  readonly #entries = new Map<
    string,
    { session: AgentSession; readonly connection: Connection | undefined }
  >();
  readonly #didOpen: Emitter<AgentSession>;
  readonly #didClose: Emitter<AgentSession>;
  readonly #didOpenStream: Emitter<string>;

  constructor(agent: AgentDefinition, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    const onError = logListenerError(logger, 'the sessions');
    this.#agent = agent;
    this.#clock = clock;
    this.#didOpen = new Emitter<AgentSession>(onError);
    this.#didClose = new Emitter<AgentSession>(onError);
    this.#didOpenStream = new Emitter<string>(onError);
  }

  get connections(): readonly Connection[] {
    return [...this.#entries.values()].flatMap(({ connection }) => connection ?? []);
  }

  get sessions(): readonly AgentSession[] {
    return [...this.#entries.values()].map((entry) => entry.session);
  }

  connectionOf(id: string): Connection | undefined {
    return this.#entries.get(id)?.connection;
  }

  open(
    { id, client, protocolVersion }: Pick<McpSession, 'id' | 'client' | 'protocolVersion'>,
    connection: Connection,
  ): Connection {
    const agent = this.#agent.identity.id;
    const session = { id, agent, client, protocolVersion, connectedAt: this.#clock.now() };
    this.#entries.set(id, { session, connection });
    this.#didOpen.fire(session);
    return connection;
  }

  /** Records what the agent reports after it has connected: its process, or the title of its conversation. */
  describe(id: string, facts: Pick<AgentSession, 'pid' | 'title' | 'isHooked'>): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.session = { ...entry.session, ...facts };
  }

  /** Called when the client of a session can be notified. */
  streamOpened(id: string): void {
    this.#setAway(id, false);
    this.#didOpenStream.fire(id);
  }

  /** Called when the client of a session can no longer be notified, at least for now. */
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

  /** The running protocol of these sessions; the protocol adds `stop`. */
  running(
    host: ProtocolHost,
    endpoint: Pick<RunningProtocol, 'url' | 'token'>,
  ): Omit<RunningProtocol, 'stop'> {
    const { descriptor, identity, discovery } = this.#agent;
    const { listener, editor, machine } = host;
    const served = { editor, machine, port: listener.port, url: endpoint.url, token: endpoint.token ?? '' };
    return {
      identity,
      displayName: descriptor.displayName,
      ...endpoint,
      environment: (isAnnounced = true) => discovery.environment({ ...served, isAnnounced }),
      discovery: () => discovery.files({ ...served, startFolders: host.startFolders?.() ?? [] }),
      sessions: () => this.sessions,
      onDidOpenSession: this.#didOpen.event,
      onDidCloseSession: this.#didClose.event,
      onDidOpenStream: this.#didOpenStream.event,
    };
  }

  dispose(): void {
    for (const id of [...this.#entries.keys()]) this.close(id);
    for (const emitter of [this.#didOpen, this.#didClose, this.#didOpenStream]) emitter.dispose();
  }

  #setAway(id: string, isAway: boolean): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { isAway: _before, ...session } = entry.session;
    entry.session = isAway ? { ...session, isAway } : session;
  }
}
