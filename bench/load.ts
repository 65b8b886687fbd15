import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectHttpAgent, connectWebSocketAgent, type LoadedAgent } from './loadedAgent.js';
import { compare, describe, format, type Samples, timed } from './measure.js';
import { createScratch } from './scratch.js';
import { ServerProcess } from './serverProcess.js';
import type { CompanionReady } from './servers/companion.js';
import { lastLine } from './servers/lastLine.js';
import type { MemoryUse } from './servers/measureMemory.js';

/**
 * A companion under load, in its own process: sessions of every agent, an editor that fires events all the time, and
 * proposals that are all accepted. Exits with 1 if something was lost or memory grew.
 */
const { values } = parseArgs({
  options: { soak: { type: 'boolean' }, minutes: { type: 'string' }, sessions: { type: 'string' } },
});
const minutes = Number(values.minutes ?? (values.soak ? 60 : 1));
const sessions = Number(values.sessions ?? 100);
/** The number in each minute. */
const proposals = 1_000;
const eventsPerSecond = 10_000;
/** The limit of memory use at the end, relative to memory use after the first fifth. */
const mostGrowth = 1.15;

const scratch = createScratch();
const problems: string[] = [];
writeFileSync(join(scratch.workspace, 'open.ts'), '');
const companion = await ServerProcess.start<CompanionReady>('loadedCompanion', scratch);
try {
  await run();
} finally {
  await companion.stop();
  scratch.remove();
}
for (const problem of problems) console.log(`FAIL  ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function run(): Promise<void> {
  const agents = await connectAll();
  console.log(`${agents.length} sessions, ${minutes} minutes, ${eventsPerSecond} editor events a second`);
  const idle = await latencyAtRest(agents);
  await companion.ask('events', `${eventsPerSecond}`);
  const loaded = await underLoad(agents);
  const { moves } = await companion.ask<{ readonly moves: number }>('rest');
  await untilAll(agents, (agent) => agent.received.last.includes(`"line":${lineOf(agent)}`));
  report(agents, idle, loaded, moves);
  for (const agent of agents) agent.close();
}

async function connectAll(): Promise<LoadedAgent[]> {
  const agents: LoadedAgent[] = [];
  for (const [agent, target] of Object.entries(companion.ready.agents)) {
    const connect = target.url.startsWith('ws') ? connectWebSocketAgent : connectHttpAgent;
    for (let count = 0; count < sessions; count += 1) agents.push(await connect(agent, target));
  }
  return agents;
}

/** Positions are 1-based for two agents and 0-based for the third. */
function lineOf({ agent }: LoadedAgent): number {
  return agent === 'claude' ? lastLine : lastLine + 1;
}

interface Measured {
  readonly answers: number[];
  readonly proposals: number[];
}

async function latencyAtRest(agents: readonly LoadedAgent[]): Promise<Measured> {
  const measured: Measured = { answers: [], proposals: [] };
  for (let round = 0; round < 200; round += 1) {
    const agent = agents[(round * 7) % agents.length];
    if (agent === undefined) continue;
    measured.answers.push(await timed(() => agent.ask()));
    if (round % 2 === 0) measured.proposals.push(await timed(() => propose(agent, `rest ${round}`)));
  }
  return measured;
}

function propose(agent: LoadedAgent, name: string): Promise<void> {
  const path = join(scratch.workspace, `${name.replaceAll(' ', '-')}.txt`);
  return agent.propose(path, `the change ${name} and no other`);
}

/** Proposes at a constant rate, from each session in turn, and measures memory ten times. */
async function underLoad(
  agents: readonly LoadedAgent[],
): Promise<Measured & { readonly memory: MemoryUse[] }> {
  const measured = { answers: [] as number[], proposals: [] as number[], memory: [] as MemoryUse[] };
  const total = Math.ceil(proposals * minutes);
  const startedAt = performance.now();
  const running: Promise<unknown>[] = [];
  for (let count = 0; count < total; count += 1) {
    const due = startedAt + (count / total) * minutes * 60_000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const [proposer, asker] = [agents[count % agents.length], agents[(count + 1) % agents.length]];
    if (proposer === undefined || asker === undefined) continue;
    const proposing = timed(() => propose(proposer, `load ${count}`)).then(
      (taken) => measured.proposals.push(taken),
      (error: unknown) => problems.push(`a proposal was lost: ${error}`),
    );
    running.push(proposing);
    // Each session waits for one answer at a time, as real clients do.
    if (count % 5 === 0) {
      await proposing;
      measured.answers.push(await timed(() => asker.ask()));
    }
    if (count % Math.ceil(total / 10) === 0) measured.memory.push(await companion.ask<MemoryUse>('memory'));
  }
  await Promise.all(running);
  measured.memory.push(await companion.ask<MemoryUse>('memory'));
  return measured;
}

async function untilAll(
  agents: readonly LoadedAgent[],
  holds: (agent: LoadedAgent) => boolean,
): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!agents.every(holds) && performance.now() < limit) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const left = agents.filter((agent) => !holds(agent)).length;
  if (left > 0) problems.push(`${left} sessions did not receive the final cursor position`);
}

function report(
  agents: readonly LoadedAgent[],
  idle: Measured,
  loaded: Measured & { readonly memory: MemoryUse[] },
  moves: number,
): void {
  const samples = (name: string, taken: number[]): Samples => ({ name, values: taken });
  const answers = [
    samples('an answer at rest', idle.answers),
    samples('an answer under load', loaded.answers),
  ];
  const decisions = [
    samples('a proposal and its answer at rest', idle.proposals),
    samples('a proposal and its answer under load', loaded.proposals),
  ];
  for (const [rest, load] of [answers, decisions]) {
    if (rest === undefined || load === undefined) continue;
    console.log(describe(rest));
    console.log(describe(load));
    console.log(compare(load, rest));
  }
  const expected = Math.ceil(proposals * minutes);
  console.log(
    `  ${loaded.proposals.length} of ${expected} proposals were answered, each with its own content`,
  );
  const updates = agents.reduce((total, agent) => total + agent.received.updates, 0);
  console.log(
    `  ${moves} moves of the cursor became ${format(updates / agents.length)} updates for each session`,
  );
  const heap = loaded.memory.map((use) => use.heap / 1024 / 1024);
  console.log(`  heap in use, MiB: ${heap.map(format).join(', ')}`);
  const early = Math.max(...heap.slice(1, 3));
  const growth = (heap.at(-1) ?? 0) / early;
  console.log(`  at the end ${format(growth)} times that after the first fifth  aim: at most ${mostGrowth}`);
  if (growth > mostGrowth) problems.push(`memory grew to ${format(growth)} times what it was`);
  if (moves < 0.9 * eventsPerSecond * minutes * 60) problems.push(`only ${moves} editor events were made`);
  const silent = agents.filter(({ received }) => received.updates < minutes * 60).length;
  if (silent > 0) problems.push(`${silent} sessions received the context less than once per second`);
}
