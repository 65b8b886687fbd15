import { type Disposable, silentLogger } from '@tandem/core';
import {
  type FileContent,
  type Outcome,
  onceDecided,
  type Proposal,
  ProposalError,
  type Review,
  Reviews,
} from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle } from '../../../../test/settle.js';

const agents: Readonly<Record<string, string>> = { s1: 'gemini', s2: 'gemini', s3: 'qwen', s4: 'claude' };
const original = 'one\ntwo\nthree\n';

/** One action of an agent, a closing session, the disk, the editor or the user. */
type Step =
  | { readonly do: 'propose'; readonly session: string; readonly path: string; readonly content: string }
  | { readonly do: 'take back'; readonly session: string; readonly path: string }
  | { readonly do: 'take all back' | 'disconnect'; readonly session: string }
  | { readonly do: 'read' | 'fail to read' | 'show' | 'fail to show'; readonly which: number }
  | { readonly do: 'accept' | 'reject' | 'drop a hunk'; readonly which: number }
  | { readonly do: 'edit' | 'accept edited'; readonly which: number; readonly text: string }
  | { readonly do: 'stop' | 'a moment passes' | 'the time limit passes' };

const session = fc.constantFrom(...Object.keys(agents));
const path = fc.constantFrom('/ws/a', '/ws/b');
const which = fc.nat({ max: 5 });
const text = fc.constantFrom('edited\n', 'one\nedited\nthree\n', 'one\ntwo\nthree\nfour\n');
const content = fc.constantFrom(
  'ONE\ntwo\nTHREE\n',
  'one\nTWO\nthree\n',
  'accept me at once\n',
  'reject me at once\n',
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('propose' as const), session, path, content }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('read' as const, 'show' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take back' as const), session, path }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('take all back' as const, 'disconnect' as const), session }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('fail to read' as const, 'fail to show' as const), which }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('accept' as const, 'reject' as const, 'drop a hunk' as const),
      which,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('edit' as const, 'accept edited' as const), which, text }),
  },
  { weight: 4, arbitrary: fc.constant({ do: 'a moment passes' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'the time limit passes' as const) }),
  },
);

describe('any actions in any order', () => {
  it('give every proposal one answer and every review one end, and lose no edit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const world = new World();
        for (const each of steps) {
          world.take(each);
          if (each.do === 'a moment passes') await settle();
          world.expectSane();
        }
        await world.finish();
        world.expectAllAnswered();
      }),
      { numRuns: 400 },
    );
  });
});

/** The answer to a proposal, as its protocol receives it. */
type Answer = { readonly outcome: Outcome; readonly review: Review } | { readonly error: unknown };

class World {
  readonly clock = new FakeClock();
  readonly reviews: Reviews;
  readonly answers: { readonly proposal: Proposal; readonly received: Answer[] }[] = [];
  /** The events of each review, and its text at the last change. */
  readonly events = new Map<Review, string[]>();
  readonly texts = new Map<Review, string>();
  /** How many decisions of each review returned success. */
  readonly decisions = new Map<Review, number>();
  readonly #reads: { resolve(content: FileContent): void; reject(error: Error): void }[] = [];
  readonly #shows: { resolve(view: Disposable): void; reject(error: Error): void }[] = [];
  /** The number of the latest proposal that became a review, by session and path. */
  readonly #newest = new Map<string, number>();
  readonly #over = new Set<string>();
  readonly failures: string[] = [];
  openViews = 0;
  hasStopped = false;

  constructor() {
    this.reviews = new Reviews({
      clock: this.clock,
      // A check that fails in a listener must fail the test.
      logger: {
        ...silentLogger,
        error: (message, fields) => this.failures.push(`${message}: ${fields?.error}`),
      },
      folders: () => ['/ws'],
      readFile: () => new Promise((resolve, reject) => this.#reads.push({ resolve, reject })),
      show: () => new Promise((resolve, reject) => this.#shows.push({ resolve, reject })),
    });
    this.reviews.onDidOpen((review) => {
      if (review.proposal.content.startsWith('accept me')) this.#count(review, review.accept());
      if (review.proposal.content.startsWith('reject me')) this.#count(review, review.reject());
    });
    this.reviews.onDidOpen((review) => {
      this.events.set(review, ['opened']);
      const at = this.answers.findIndex(({ proposal }) => proposal === review.proposal);
      const place = `${review.proposal.session} ${review.proposal.path}`;
      expect(at, 'an older proposal never takes the place of a newer one').toBeGreaterThan(
        this.#newest.get(place) ?? -1,
      );
      this.#newest.set(place, at);
      // Includes edits that were carried over from an interrupted review.
      this.texts.set(review, review.content);
    });
    this.reviews.onDidDecide((review) => this.events.get(review)?.push(review.state));
  }

  take(action: Step): void {
    if (action.do === 'propose') this.#propose({ ...action, agent: agents[action.session] ?? '' });
    else if (action.do === 'take back') this.reviews.withdraw(action.session, action.path, 'agent');
    else if (action.do === 'take all back') this.reviews.withdrawSession(action.session, 'agent');
    else if (action.do === 'disconnect') this.#disconnect(action.session);
    else if (action.do === 'stop') this.#stop();
    else if (action.do === 'the time limit passes') this.clock.advance(60_000);
    else if (action.do === 'read')
      takeOne(this.#reads, action.which)?.resolve({ kind: 'text', text: original });
    else if (action.do === 'fail to read') takeOne(this.#reads, action.which)?.reject(new Error('no disk'));
    else if (action.do === 'show') this.#show(action.which);
    else if (action.do === 'fail to show') takeOne(this.#shows, action.which)?.reject(new Error('no window'));
    else if ('which' in action) this.#decide(action);
  }

  /** Checks the invariants after every step. */
  expectSane(): void {
    expect(this.failures).toEqual([]);
    const places = this.reviews.pending.map(({ proposal }) => `${proposal.session} ${proposal.path}`);
    expect(new Set(places).size, `one pending review for a session and path: ${places.join(', ')}`).toBe(
      places.length,
    );
    for (const review of this.reviews.pending) {
      expect(review.state).toBe('pending');
      expect(this.#over.has(review.proposal.session), 'a pending review of a session that is over').toBe(
        false,
      );
    }
    if (this.hasStopped) expect(this.reviews.pending).toEqual([]);
    for (const review of this.events.keys()) expect(review.content).toBe(this.texts.get(review));
  }

  /** Completes all pending operations, and ends all sessions. */
  async finish(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      while (this.#reads.length > 0) this.take({ do: 'read', which: 0 });
      await settle();
      while (this.#shows.length > 0) this.take({ do: 'show', which: 0 });
      await settle();
    }
    for (const each of Object.keys(agents)) this.take({ do: 'disconnect', session: each });
    await settle();
    this.expectSane();
  }

  expectAllAnswered(): void {
    expect(this.reviews.pending).toEqual([]);
    expect(this.openViews).toBe(0);
    expect(this.clock.pendingTimers).toBe(0);
    for (const [review, events] of this.events) {
      const end = review.outcome;
      expect(end).toBeDefined();
      // A companion that stops no longer reports the reviews that it ends.
      if (!this.hasStopped) expect(events).toEqual(['opened', end?.kind]);
      expect(events.length).toBeLessThanOrEqual(2);
      expect(this.decisions.get(review) ?? 0).toBe(end?.kind === 'withdrawn' ? 0 : 1);
      if (end?.kind === 'accepted') expect(end.content).toBe(this.texts.get(review));
    }
    const answered = new Set<Review>();
    for (const { proposal, received } of this.answers) {
      expect(received, `answers to ${JSON.stringify(proposal)}`).toHaveLength(1);
      for (const answer of received) {
        if ('error' in answer) {
          expect(answer.error).toBeInstanceOf(ProposalError);
          continue;
        }
        expect(answer.review.proposal).toBe(proposal);
        expect(answer.review.outcome).toBe(answer.outcome);
        expect(answered.has(answer.review), 'one review answers one proposal').toBe(false);
        answered.add(answer.review);
      }
    }
    for (const review of this.events.keys()) {
      const wasRefused = review.outcome?.kind === 'withdrawn' && review.outcome.reason === 'not-shown';
      expect(answered.has(review) !== wasRefused, 'a review answers, or was never shown').toBe(true);
    }
  }

  #propose(proposal: Proposal): void {
    const received: Answer[] = [];
    this.answers.push({ proposal, received });
    this.reviews.propose(proposal).then(
      (review) => onceDecided(review, (outcome) => received.push({ outcome, review })),
      (error: unknown) => received.push({ error }),
    );
  }

  #disconnect(session: string): void {
    this.#over.add(session);
    this.reviews.withdrawSession(session, 'disconnected');
  }

  #stop(): void {
    this.hasStopped = true;
    this.reviews.dispose();
  }

  #show(index: number): void {
    const show = takeOne(this.#shows, index);
    if (show === undefined) return;
    this.openViews++;
    show.resolve({
      dispose: () => {
        this.openViews--;
      },
    });
  }

  #decide(action: Extract<Step, { which: number }>): void {
    // Includes ended reviews: an outdated page still has its buttons.
    const known = [...this.events.keys()].slice(-6);
    const review = known[action.which % Math.max(1, known.length)];
    if (review === undefined) return;
    const wasPending = review.state === 'pending';
    try {
      if (action.do === 'accept') this.#count(review, review.accept());
      if (action.do === 'reject') this.#count(review, review.reject());
      if (action.do === 'drop a hunk') review.dropHunk(0);
      if (action.do === 'edit') review.edit(action.text);
      if (action.do === 'accept edited') this.#count(review, review.accept(action.text));
    } catch {
      // Refused: already decided, or a hunk whose lines were edited.
    }
    if (!wasPending) return;
    if (action.do === 'edit' || action.do === 'accept edited') {
      expect(review.content).toBe(action.text);
      this.texts.set(review, action.text);
    }
    if (action.do === 'drop a hunk') this.texts.set(review, review.content);
  }

  #count(review: Review, counts: boolean): void {
    if (counts) this.decisions.set(review, (this.decisions.get(review) ?? 0) + 1);
  }
}

function takeOne<T>(from: T[], index: number): T | undefined {
  return from.splice(index % Math.max(1, from.length), 1)[0];
}
