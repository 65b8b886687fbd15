import type { Disposable } from '@tandem/core';
import { findPeerProcess, isAlive } from '@tandem/mcp';
import type { AgentDefinition, AgentSession, ProtocolHost } from '../agentProtocol.js';
import type { AgentSessions } from '../agentSessions.js';
import type { StreamOf } from './servedHooks.js';

/** How often the processes of agents without a connection are checked, in milliseconds. */
const checkMs = 5_000;

interface Services {
  readonly agent: AgentDefinition;
  readonly host: ProtocolHost;
  readonly sessions: AgentSessions<unknown>;
  readonly streamOf?: StreamOf | undefined;
}

/** The sessions of an agent that its hooks belong to. */
export class HookedSessions implements Disposable {
  readonly #of: Services;
  /** The process of each session that has no connection. */
  readonly #unconnected = new Map<string, number>();
  #check: Disposable | undefined;

  constructor(services: Services) {
    this.#of = services;
  }

  /** The session that the process has opened by its IDE protocol. */
  async connectionOf(process: number): Promise<AgentSession | undefined> {
    const { sessions, streamOf } = this.#of;
    for (const session of sessions.sessions.filter(({ id }) => !this.#unconnected.has(id))) {
      const stream = streamOf?.(session.id);
      const pid = session.pid ?? (stream && (await findPeerProcess(stream)));
      if (pid === process) return session;
      if (pid !== undefined) sessions.describe(session.id, { pid });
    }
    return undefined;
  }

  /** The session of an agent that has no connection. It ends when its process ends, or with its last event. */
  open(id: string, pid: number): void {
    if (this.#unconnected.has(id)) return;
    this.#unconnected.set(id, pid);
    const { agent, sessions } = this.#of;
    const client = { name: agent.descriptor.displayName, version: '' };
    sessions.open({ id, client, protocolVersion: '' }, undefined);
    sessions.describe(id, { pid, isHooked: true });
    this.#check ??= this.#checkLater();
  }

  /** Ends a session that has no connection. */
  close(id: string): void {
    if (!this.#unconnected.delete(id)) return;
    // Not "disconnected", after which no session may have this id: a conversation that the user resumes has the same.
    this.#of.host.reviews.withdrawSession(id, 'agent');
    this.#of.sessions.close(id);
  }

  dispose(): void {
    this.#check?.dispose();
  }

  #checkLater(): Disposable {
    return this.#of.host.clock.setTimeout(() => {
      for (const [id, pid] of this.#unconnected) if (!isAlive(pid)) this.close(id);
      this.#check = this.#unconnected.size === 0 ? undefined : this.#checkLater();
    }, checkMs);
  }
}
