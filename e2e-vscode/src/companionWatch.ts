import {
  type AgentConnection,
  type CompanionStatus,
  type FoundCompanion,
  findCompanions,
  type ReviewDetails,
  type StreamedEvent,
} from '@tandem/companion/control';
import { vi } from 'vitest';
import { Changes } from '../../e2e/src/changes.js';
import type { Sandbox } from '../../e2e/src/sandbox.js';

/** The limit for the start of a companion with its window. */
const findLimit = 90_000;

/**
 * Observes a companion as the `tandem` command does, from outside the editor: its events, how agents connect, the
 * content of reviews. Tests only read from it; user actions happen in the window. The creator disposes it.
 */
export class CompanionWatch {
  readonly events: StreamedEvent[] = [];
  readonly #unclaimed: StreamedEvent[] = [];
  readonly #changes = new Changes();
  readonly #aborter = new AbortController();

  private constructor(readonly found: FoundCompanion) {}

  /** Waits for a companion with that folder (`undefined`: without any) that is not known yet, and follows it. */
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
      (await findCompanions(sandbox.machine)).find(isNew);
    // Its file alone is not enough: a companion that does not answer yet is ready a moment later.
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

  /** How an agent of this kind connects. Contains the token. */
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

  /** Resolves with the first such event that no earlier call has returned. */
  waitForEvent<E extends StreamedEvent['event']>(
    event: E,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<Extract<StreamedEvent, { event: E }>> {
    type Wanted = Extract<StreamedEvent, { event: E }>;
    const matches = (one: StreamedEvent): one is Wanted =>
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

  /** Drops unclaimed events: they belong to the previous test. */
  forget(): void {
    this.#unclaimed.length = 0;
  }

  /** Waits until an agent proposes a change, and returns the id of the review. */
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
      const hear = (event: StreamedEvent): void => {
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
