import {
  type AgentConnection,
  type CompanionEvent,
  type CompanionStatus,
  type FoundCompanion,
  findCompanions,
  type ReviewDetails,
} from '@tandem/companion/control';
import { vi } from 'vitest';
import { Changes } from '../../e2e/src/changes.js';
import type { Sandbox } from '../../e2e/src/sandbox.js';

/** How long a companion may take to come up, with the window that it is in. */
const findLimit = 90_000;

/**
 * A companion as the `tandem` command sees it, from beside the editor: what happens in it, how agents connect, what a
 * review holds. Tests use it to know, not to act: a user acts in the window. The creator disposes it.
 */
export class CompanionWatch {
  readonly events: CompanionEvent[] = [];
  readonly #unclaimed: CompanionEvent[] = [];
  readonly #changes = new Changes();
  readonly #aborter = new AbortController();

  private constructor(readonly found: FoundCompanion) {}

  /**
   * Waits for a companion with that folder (`undefined`: without any), other than those that are known already, and
   * follows it.
   */
  static async find(
    sandbox: Sandbox,
    folder: string | undefined,
    known: readonly CompanionWatch[] = [],
    timeout = findLimit,
  ): Promise<CompanionWatch> {
    const isNew = ({ pid, workspaceFolders }: FoundCompanion): boolean =>
      workspaceFolders.includes(folder ?? '') !== (folder === undefined) &&
      known.every(({ found }) => found.pid !== pid);
    const look = async (): Promise<FoundCompanion | undefined> =>
      (await findCompanions(machineOf(sandbox))).find(isNew);
    // Not by its file alone: one that does not answer yet is there a moment later.
    const found = await vi.waitUntil(look, { timeout, interval: 200 }).catch((cause: unknown) => {
      throw new Error(`there is no companion for ${folder ?? 'no folder'}`, { cause });
    });
    const companion = new CompanionWatch(found);
    await companion.#follow();
    return companion;
  }

  get pid(): number {
    return this.found.pid;
  }

  status(): Promise<CompanionStatus> {
    return this.call('status', {});
  }

  /** How an agent of this kind connects. Holds the token. */
  async endpoint(kind: string): Promise<AgentConnection & { readonly discovery: readonly string[] }> {
    const connections = await this.call('connections', {});
    const one = connections.find(({ id }) => id === kind);
    if (one === undefined) throw new Error(`${kind} is not served`);
    return one;
  }

  review(id: string): Promise<ReviewDetails> {
    return this.call('review.show', { id });
  }

  get call(): FoundCompanion['client']['call'] {
    return this.found.client.call;
  }

  /** Resolves with the first such event that no earlier call has claimed. */
  waitForEvent<E extends CompanionEvent['event']>(
    event: E,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<Extract<CompanionEvent, { event: E }>> {
    type Wanted = Extract<CompanionEvent, { event: E }>;
    const matches = (one: CompanionEvent): one is Wanted =>
      one.event === event && Object.entries(fields).every(([key, value]) => Reflect.get(one, key) === value);
    return this.#changes.until(
      () => {
        const found = this.#unclaimed.find(matches);
        if (found !== undefined) this.#unclaimed.splice(this.#unclaimed.indexOf(found), 1);
        return found;
      },
      {
        what: `the event ${event} ${JSON.stringify(fields)} of the companion`,
        evidence: () => this.events.map((one) => `  ${JSON.stringify(one)}`).join('\n'),
      },
    );
  }

  /** Drops the events that nobody has claimed: they were of the test before. */
  forget(): void {
    this.#unclaimed.length = 0;
  }

  /** Waits for an agent to propose a change and gives the review's id. */
  async nextReview(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return (await this.waitForEvent('review.opened', fields)).id;
  }

  /** Waits for the outcome of a review: accepted, rejected or withdrawn. */
  async outcomeOf(id: string): Promise<string> {
    return (await this.waitForEvent('review.decided', { id })).outcome;
  }

  /** Whether a review has not ended yet. */
  async isPending(id: string): Promise<boolean> {
    return (await this.review(id)).state === 'pending';
  }

  dispose(): void {
    this.#aborter.abort();
  }

  #follow(): Promise<void> {
    return new Promise((resolve, reject) => {
      const hear = (event: CompanionEvent): void => {
        this.events.push(event);
        this.#unclaimed.push(event);
        this.#changes.notify();
      };
      this.found.client
        .followEvents(hear, { signal: this.#aborter.signal, onOpen: resolve })
        .then(() => this.#changes.fail(new Error('the companion has stopped')))
        .catch(reject);
    });
  }
}

/** What `findCompanions` must know of the sandbox: it reads no other companion's files. */
function machineOf(sandbox: Sandbox) {
  return {
    env: { ...sandbox.environment() },
    home: sandbox.home,
    platform: 'linux' as const,
    tmpdir: sandbox.temporary,
  };
}
