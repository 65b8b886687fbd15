import { nameOfAgent } from './agents.js';
import type { ServedAgents } from './servedAgents.js';

/** How many closed sessions keep their names, for the reviews they left. */
const mostRemembered = 200;

/**
 * The display name of each session: its agent, with a number from the second session on. A session keeps its name; the
 * number of a closed session is free again.
 */
export class SessionNames {
  readonly #agents: Pick<ServedAgents, 'sessions'>;
  readonly #numbers = new Map<string, number>();

  constructor(agents: Pick<ServedAgents, 'sessions'>) {
    this.#agents = agents;
  }

  /** The name of a session of an agent, connected or closed. */
  of(agent: string, id: string): string {
    this.#number();
    const number = this.#numbers.get(keyOf(agent, id)) ?? 1;
    return number === 1 ? nameOfAgent(agent) : `${nameOfAgent(agent)} ${number}`;
  }

  #number(): void {
    const connected = this.#agents.sessions
      .map(({ agent, id, connectedAt }) => ({ agent, key: keyOf(agent, id), connectedAt }))
      .sort((one, other) => one.connectedAt - other.connectedAt);
    for (const { agent, key } of connected) {
      if (this.#numbers.has(key)) continue;
      const siblings = connected.filter((other) => other.agent === agent);
      const taken = new Set(siblings.map((other) => this.#numbers.get(other.key)));
      let number = 1;
      while (taken.has(number)) number += 1;
      this.#numbers.set(key, number);
    }
    for (const key of this.#numbers.keys()) {
      if (this.#numbers.size <= mostRemembered) break;
      if (!connected.some((session) => session.key === key)) this.#numbers.delete(key);
    }
  }
}

function keyOf(agent: string, session: string): string {
  return `${agent} ${session}`;
}
