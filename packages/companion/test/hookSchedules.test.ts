import { readFileSync, writeFileSync } from 'node:fs';
import type { Review } from '@tandem/reviews';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { settle } from '../../../test/settle.js';
import { callCompanion } from '../../agents/src/hooks/program/callCompanion.js';
import { injectedTarget } from '../../agents/src/hooks/program/findTarget.js';
import { CrashSite } from './support/crashSite.js';

/** One action of an agent, of the user, or of what ends companions. */
type Step =
  | { readonly do: 'call'; readonly session: number; readonly file: number; readonly isAwaited: boolean }
  | { readonly do: UserAction | 'end the hook'; readonly which: number }
  | { readonly do: 'kill' | 'restart' | 'a moment passes' };

type UserAction = 'accept' | 'correct' | 'type' | 'reject' | 'let go';

const which = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      session: fc.nat(2),
      file: fc.nat(1),
      isAwaited: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom<UserAction>('accept', 'correct', 'type', 'reject', 'let go'),
      which,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end the hook' as const), which }) },
  { weight: 3, arbitrary: fc.constant({ do: 'a moment passes' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'restart' as const) }),
  },
);

const behaviour =
  'each hook gets one answer, and allows only what the user accepted, over kills and restarts';

test(`${behaviour}`, () => runSchedules(25));

test(`${behaviour}: many schedules`, { ...exhaustive, timeout: 10 * 60_000 }, () => runSchedules(300));

function runSchedules(numRuns: number): Promise<void> {
  const schedule = fc.array(step, { minLength: 5, maxLength: 25 });
  return fc.assert(fc.asyncProperty(schedule, run), { numRuns });
}

/** Sessions of two agents: two of Claude Code, one of Gemini CLI. */
const agents = ['claude', 'claude', 'gemini'] as const;

/** A hook that waits, as the program of hooks does. */
class WaitingHook {
  /** What the agent would write for each answer: a text, or `undefined` if it was denied. */
  readonly answers: (string | undefined)[] = [];
  readonly done: Promise<void>;
  readonly #agent = new AbortController();
  hasEnded = false;

  constructor(
    readonly site: CrashSite,
    readonly path: string,
    readonly content: string,
    readonly session: number,
  ) {
    this.done = this.#wait();
  }

  /** Its agent ends it. */
  end(): void {
    this.hasEnded = true;
    this.#agent.abort();
  }

  async #wait(): Promise<void> {
    const { session, path, content, site } = this;
    const agent = agents[session] ?? 'claude';
    const { hooks = {} } = site.stage.companion.agents.connections().find(({ id }) => id === agent) ?? {};
    const target = injectedTarget(hooks);
    const event = { session_id: `s${session}`, cwd: '/', tool_input: { file_path: path, content } };
    const input =
      agent === 'gemini'
        ? { ...event, hook_event_name: 'BeforeTool', tool_name: 'write_file' }
        : { ...event, hook_event_name: 'PreToolUse', tool_name: 'Write' };
    const call = { agent, mode: 'before', pid: process.pid, isInteractive: false, input };
    try {
      const limits = { startLimitMs: 20_000, retryMs: 5, signal: this.#agent.signal };
      const { output } = Object(await callCompanion(target, call, limits));
      const text = writtenBy(agent, output, content);
      this.answers.push(text);
      if (text !== undefined) writeFileSync(path, text);
    } catch (error) {
      if (!this.hasEnded) throw error;
    }
  }
}

/** What an agent writes after this answer. */
// biome-ignore lint/suspicious/noExplicitAny: the form of each agent.
function writtenBy(agent: 'claude' | 'gemini', output: any, content: string): string | undefined {
  if (agent === 'gemini') {
    if (output?.decision === 'deny') return undefined;
    return output?.hookSpecificOutput?.tool_input.content ?? content;
  }
  const { permissionDecision, updatedInput } = output.hookSpecificOutput;
  return permissionDecision === 'allow' ? (updatedInput?.content ?? content) : undefined;
}

/** Companions, hooks and a user. */
class World {
  readonly #hooks: WaitingHook[] = [];
  /** For each proposed text the last decision of the user: the accepted text, or `undefined`. */
  readonly #decisions = new Map<string, string | undefined>();
  readonly #files: readonly string[];

  constructor(readonly site: CrashSite) {
    this.#files = ['a.txt', 'b.txt'].map((name) => site.write(name, 'one\ntwo\n'));
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'call') return this.#call(step.session, step.file, step.isAwaited);
    if (!('which' in step)) return this.#pass(step.do);
    if (step.do === 'end the hook') return this.#hooks[step.which]?.end();
    const review = this.site.stage.companion.reviews.pending[step.which];
    if (review !== undefined) this.#decide(review, step.do);
  }

  #pass(what: 'kill' | 'restart' | 'a moment passes'): Promise<void> {
    if (what === 'a moment passes') return settle();
    return what === 'kill' ? this.site.crash() : this.site.restart();
  }

  /** The user decides on whatever is shown, until each hook has its answer. */
  async finish(): Promise<void> {
    const { reviews } = this.site.stage.companion;
    const deciding = reviews.onDidOpen((review) =>
      setImmediate(() => this.#decide(review, Number(review.id) % 2 === 0 ? 'accept' : 'reject')),
    );
    for (const review of reviews.pending) this.#decide(review, 'correct');
    await Promise.all(this.#hooks.map(({ done }) => done));
    deciding.dispose();
    expect(reviews.pending).toEqual([]);
  }

  expectAnswers(): void {
    for (const hook of this.#hooks) {
      const { answers, content, hasEnded } = hook;
      expect(answers.length).toBeLessThanOrEqual(1);
      if (!hasEnded) expect(answers).toHaveLength(1);
      if (answers.length === 0) continue;
      const [written] = answers;
      if (written !== undefined) expect(written).toBe(this.#decisions.get(content));
      // Otherwise only another call of the session for this file denies it.
      else expect(this.#isRejected(content) || this.#hasRival(hook)).toBe(true);
    }
    for (const path of this.#files) {
      const text = readFileSync(path, 'utf8');
      expect(['one\ntwo\n', ...this.#decisions.values()]).toContain(text);
    }
  }

  #isRejected(content: string): boolean {
    return this.#decisions.has(content) && this.#decisions.get(content) === undefined;
  }

  #hasRival(hook: WaitingHook): boolean {
    return this.#hooks.some(
      (other) => other !== hook && other.session === hook.session && other.path === hook.path,
    );
  }

  async #call(session: number, file: number, isAwaited: boolean): Promise<void> {
    const content = `one\ntwo\nby hook ${this.#hooks.length}\n`;
    const path = this.#files[file] ?? '';
    const { stage } = this.site;
    const shown = stage.editor.whenShown(({ proposal }) => proposal.content === content);
    const hook = new WaitingHook(this.site, path, content, session);
    this.#hooks.push(hook);
    if (isAwaited) await Promise.race([shown, hook.done]);
  }

  #decide(review: Review, how: UserAction): void {
    if (review.state !== 'pending') return;
    if (how === 'correct' || how === 'type') review.edit(`${review.content}typed\n`);
    if (how === 'type') return;
    if (how === 'let go') review.withdraw('let-go');
    else if (how === 'reject') review.reject();
    else review.accept();
    this.#decisions.set(review.proposal.content, acceptedIn(review));
  }
}

function acceptedIn({ outcome }: Review): string | undefined {
  return outcome?.kind === 'accepted' ? outcome.content : undefined;
}

async function run(steps: readonly Step[]): Promise<void> {
  const site = await CrashSite.open();
  try {
    const world = new World(site);
    for (const each of steps) await world.take(each);
    await world.finish();
    world.expectAnswers();
  } finally {
    await site.end();
    site.dispose();
  }
}
