import { nameOfAgent } from '../agents/agents.js';
import type { ServedAgents } from '../agents/servedAgents.js';

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
    const key = keyOf(agent, id);
    if (!this.#numbers.has(key)) this.#number();
    const number = this.#numbers.get(key) ?? 1;
    return number === 1 ? nameOfAgent(agent) : `${nameOfAgent(agent)} ${number}`;
  }

  #number(): void {
    const connected = this.#agents.sessions
      .map(({ agent, id, connectedAt }) => ({ agent, key: keyOf(agent, id), connectedAt }))
      .sort((one, other) => one.connectedAt - other.connectedAt);
    const taken = new Set(connected.map(({ agent, key }) => `${agent} ${this.#numbers.get(key)}`));
    const last = new Map<string, number>();
    for (const { agent, key } of connected) {
      if (this.#numbers.has(key)) continue;
      let number = (last.get(agent) ?? 0) + 1;
      while (taken.has(`${agent} ${number}`)) number += 1;
      last.set(agent, number);
      this.#numbers.set(key, number);
    }
    const keys = new Set(connected.map(({ key }) => key));
    for (const key of this.#numbers.keys()) {
      if (this.#numbers.size <= mostRemembered) break;
      if (!keys.has(key)) this.#numbers.delete(key);
    }
  }
}

function keyOf(agent: string, session: string): string {
  return `${agent} ${session}`;
}
