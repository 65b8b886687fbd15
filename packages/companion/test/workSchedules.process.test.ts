import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '@tandem/reviews';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { buildWorker } from '../../changes/test/support/builtWorker.js';
import type { CompanionStage } from './support/companionStage.js';
import { HookedAgent } from './support/hookedAgent.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();
let workerFile: string;
beforeAll(async () => {
  workerFile = await buildWorker();
});

/** Each line that somebody writes is between lines that nobody writes, so that no two changes are on the same lines. */
const writers = ['agent', 'user', 'program', 'agent', 'user', 'program'] as const;
type Writer = (typeof writers)[number];
const fixed = (at: number): string => `fixed ${at}\nalso ${at}`;

/** What a file should contain. */
class Model {
  readonly #lines = writers.map((_, at) => `line ${at}`);
  /** What an undo brings back: each line as it was at first, or when it was kept. */
  readonly #base = [...this.#lines];

  get text(): string {
    return this.#lines.map((line, at) => `${line}\n${fixed(at)}\n`).join('');
  }

  write(at: number, text: string): void {
    this.#lines[at] = text;
  }

  /** Whether the agent has changed a line of its own, and the user has not kept that. */
  waits(at: number): boolean {
    return writers[at] === 'agent' && this.#lines[at] !== this.#base[at];
  }

  keep(at: number): void {
    if (this.waits(at)) this.#base[at] = this.#lines[at] ?? '';
  }

  undo(at: number): void {
    if (this.waits(at)) this.#lines[at] = this.#base[at] ?? '';
  }
}

/** The lines of a text that are not as in another, by who writes them; `fixed` lines never differ. */
function writersOf(before: string, after: string): readonly (Writer | 'nobody')[] {
  const [one, other] = [before.split('\n'), after.split('\n')];
  return other.flatMap((line, at) =>
    line === one[at] ? [] : at % 3 === 0 ? (writers[at / 3] ?? []) : 'nobody',
  );
}

const names = ['a.txt', 'b.txt', 'c.txt'] as const;
const place = fc.record({
  name: fc.constantFrom(...names),
  at: fc.constantFrom(0, 1),
  text: fc.string({ maxLength: 5 }),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('command' as const),
      writes: fc.array(place, { maxLength: 3 }),
      save: fc.option(place),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edit' as const), where: place }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('save' as const), where: place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('program' as const), where: place }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('prompt' as const, 'prompt' as const, 'stop' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), isRemoved: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('keepLine' as const, 'undoLine' as const), where: place }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('keepFile' as const), where: place }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Place = typeof place extends fc.Arbitrary<infer P> ? P : never;

/** One workspace with one agent, a user, and another program. */
class Run {
  readonly #models = new Map(names.map((name) => [name, new Model()] as const));
  readonly #site = createSite(Object.fromEntries(names.map((name) => [name, new Model().text])), {
    changes: { workerFile },
  });
  #stage: CompanionStage | undefined;
  #agent: HookedAgent | undefined;
  #created = 0;

  async restart(): Promise<void> {
    await this.#stage?.companion.stop();
    this.#stage = await this.#site.begin();
    this.#agent = new HookedAgent(this.#stage);
  }

  async do(todo: Step): Promise<void> {
    const agent = this.#agent as HookedAgent;
    switch (todo.do) {
      case 'command':
        return agent.run('./script', () => this.#runScript(todo));
      case 'edit':
        return this.#edit(agent, todo.where);
      case 'save':
        return this.#save(todo.where);
      case 'program':
        return this.#write('program', todo.where);
      case 'prompt':
        return void (await agent.prompt('next'));
      case 'stop':
        return void (await agent.stop());
      case 'undo':
        return this.undo();
      case 'restart':
        return this.restart();
      case 'create':
        return this.#create(agent, todo.isRemoved);
      case 'keepLine':
      case 'undoLine':
        return this.#decideLine(todo.do, todo.where);
      case 'keepFile':
        return this.#keepFile(todo.where);
    }
  }

  /** Undoes all that waits and is certainly the agent's. */
  async undo(): Promise<void> {
    const { changes, history } = (this.#stage as CompanionStage).companion;
    const sessions = new Set(history.entries.map(({ session }) => session));
    expect(sessions.size).toBeLessThan(2);
    if (changes.waitingPaths().size > 0)
      for (const session of sessions) await changes.restore({ session, waits: true });
    for (const model of this.#models.values()) for (const at of writers.keys()) model.undo(at);
    this.check();
  }

  /** Every file is as it should be, and only the agent's lines are called its own. */
  check(): void {
    for (const [name, model] of this.#models) expect(readFileSync(this.#path(name), 'utf8')).toBe(model.text);
    for (const { original, content, decided } of this.#stage?.companion.history.entries ?? []) {
      if (decided.how !== 'written' || decided.evidence?.kind === 'turn' || original.kind === 'missing')
        continue;
      for (const writer of decided.isRemoval ? [] : writersOf(textOf(original), content))
        expect(writer).toBe('agent');
    }
  }

  async #runScript({ writes, save }: Step & { readonly do: 'command' }): Promise<void> {
    for (const where of writes) this.#write('agent', where);
    // What is saved over an agent's change in one file in the same moment is not told apart.
    if (save !== null && writes.every(({ name }) => name !== save.name)) await this.#save(save);
  }

  async #edit(agent: HookedAgent, where: Place): Promise<void> {
    const path = this.#path(where.name);
    this.#model(where).write(this.#line('agent', where), this.#text('agent', where));
    await agent.edit(path, this.#model(where).text);
  }

  async #save(where: Place): Promise<void> {
    const { documents } = (this.#stage as CompanionStage).editor;
    const path = this.#path(where.name);
    this.#model(where).write(this.#line('user', where), this.#text('user', where));
    await documents.open(path);
    documents.type(path, this.#model(where).text);
    await documents.save(path);
    await documents.close(path);
  }

  #write(writer: Writer, where: Place): void {
    this.#model(where).write(this.#line(writer, where), this.#text(writer, where));
    writeFileSync(this.#path(where.name), this.#model(where).text);
  }

  /** A file of the agent alone, which is gone after an undo. */
  async #create(agent: HookedAgent, isRemoved: boolean): Promise<void> {
    this.#created += 1;
    const path = this.#path(`new-${this.#created}`);
    await agent.run('touch', () => writeFileSync(path, 'new\n'));
    if (isRemoved) await agent.run('rm', () => rmSync(path));
  }

  /** Keeps or undoes one line of the agent, as far as it waits. */
  async #decideLine(verb: 'keepLine' | 'undoLine', where: Place): Promise<void> {
    const { changes } = (this.#stage as CompanionStage).companion;
    const model = this.#model(where);
    const at = this.#line('agent', where);
    const lines = { first: 3 * at, last: 3 * at };
    const selection = { path: this.#path(where.name), waits: true, lines };
    const deciding = verb === 'keepLine' ? changes.keep(selection) : changes.restore(selection);
    if (!model.waits(at)) await expect(deciding).rejects.toThrow(/no change/);
    else {
      await deciding;
      if (verb === 'keepLine') model.keep(at);
      else model.undo(at);
    }
    this.check();
  }

  /** Keeps what certainly the agent has changed in a file. */
  async #keepFile(where: Place): Promise<void> {
    const { changes } = (this.#stage as CompanionStage).companion;
    const path = this.#path(where.name);
    if (changes.waitingPaths().has(path)) await changes.keep({ path, waits: true });
    for (const at of writers.keys()) this.#model(where).keep(at);
    this.check();
  }

  #model({ name }: Place): Model {
    return this.#models.get(name) as Model;
  }

  #line(writer: Writer, { at }: Place): number {
    return writers.indexOf(writer) + 3 * at;
  }

  #text(writer: Writer, { text }: Place): string {
    return `${writer} ${JSON.stringify(text)}`;
  }

  #path(name: string): string {
    return join(this.#site.folder, name);
  }
}

const behaviour = 'what is kept stays, what is undone was certainly the agent’s, and nothing else changes';

test(behaviour, { timeout: 60_000 }, () => runSchedules(40));

test(`${behaviour}: many schedules`, { ...exhaustive, timeout: 30 * 60_000 }, () => runSchedules(1_000));

async function runSchedules(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const run = new Run();
      await run.restart();
      await run.do({ do: 'prompt' });
      for (const todo of steps) await run.do(todo);
      run.check();
      await run.undo();
    }),
    { numRuns, ...(numRuns < 100 && { interruptAfterTimeLimit: 25_000 }) },
  );
}
