import type { RunningProtocol } from '@tandem/agents';
import { type Clock, type Disposable, DisposableStore } from '@tandem/core';
import { agentIds, descriptorOf } from './agents.js';
import type { CompanionEvent } from './control/companionEvent.js';
import type { JournalContents } from './journal/journalContents.js';

/**
 * How long agents that the companion before had may take to come back, in milliseconds. The sessions that were taken over
 * wait for 20 s; what has not come by then does not come by itself.
 */
export const comeBackMs = 21_000;

/** Agents of one kind that are missing. */
export interface LostAgent {
  readonly agent: string;
  readonly displayName: string;
  readonly count: number;
  /** What a person types in the agent to connect it. */
  readonly connect: string;
}

interface Services {
  /** The sessions of the companion before. Those that had gone before it ended are not missed. */
  readonly awaited: JournalContents['sessions'];
  readonly protocols: readonly RunningProtocol[];
  readonly clock: Clock;
  readonly tell: (event: CompanionEvent) => void;
}

/**
 * Who of the agents that the companion before had comes back: over HTTP in the session that was taken over, over a
 * WebSocket in a new one. Tells once who does not, because only a person can help then, and when those have come all the
 * same. Whoever creates it disposes it.
 */
export class AwaitedSessions implements Disposable {
  readonly #services: Services;
  readonly #owned = new DisposableStore();
  readonly #missing: Map<string, Set<string>>;
  /** Sessions that have counted, or stand for nobody but themselves: a stream may open many times. */
  readonly #here: Set<string>;
  #isTold = false;

  constructor(services: Services) {
    this.#services = services;
    const { awaited, protocols, clock } = services;
    this.#missing = new Map(
      protocols.map(({ identity: { id } }) => [
        id,
        new Set(awaited.filter(({ agent, isAway }) => agent === id && !isAway).map((session) => session.id)),
      ]),
    );
    this.#here = new Set(awaited.filter(({ isAway }) => isAway).map(({ id }) => id));
    if (awaited.length === 0) return;
    for (const protocol of protocols) {
      this.#owned.add(protocol.onDidOpenStream((session) => this.#came(protocol, session)));
    }
    this.#owned.add(clock.setTimeout(() => this.#tell(), comeBackMs));
  }

  /** Those that have not come back in time, as far as they have not come since. */
  get lost(): readonly LostAgent[] {
    if (!this.#isTold) return [];
    return this.#services.protocols.flatMap(({ identity, displayName }) => {
      const count = this.#missing.get(identity.id)?.size ?? 0;
      const id = agentIds.find((each) => each === identity.id);
      if (count === 0 || id === undefined) return [];
      return [{ agent: id, displayName, count, connect: descriptorOf(id).connect }];
    });
  }

  /** As the status says it of one agent. */
  describe(agent: string): { readonly lost?: { readonly count: number; readonly connect: string } } {
    const found = this.lost.find((each) => each.agent === agent);
    return found === undefined ? {} : { lost: { count: found.count, connect: found.connect } };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** A session that nobody awaited stands for one of those that are missing: the agent began anew. */
  #came({ identity: { id: agent }, displayName }: RunningProtocol, session: string): void {
    const missing = this.#missing.get(agent);
    const [any] = missing ?? [];
    if (missing === undefined || any === undefined || this.#here.has(session)) return;
    this.#here.add(session);
    if (!missing.delete(session)) missing.delete(any);
    if (!this.#isTold) return;
    this.#services.tell({ event: 'session.returned', agent, displayName, count: missing.size });
  }

  #tell(): void {
    this.#isTold = true;
    for (const lost of this.lost) this.#services.tell({ event: 'session.lost', ...lost });
  }
}
