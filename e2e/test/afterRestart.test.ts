import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../src/agents/agent.js';
import { agents } from '../src/agents/all.js';
import { type ConnectedAgent, Stage } from '../src/stage.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

/** The CLIs that wait on. Claude Code asks in its terminal when its connection breaks: nobody waits for its review any more. */
const patient = agents.filter(({ kind }) => kind !== 'claude');

/** A CLI asks for its companion again after ten seconds and more: all of them share one, and do so at the same time. */
let stage: Stage;
const connected = new Map<Agent, ConnectedAgent>();
beforeAll(async () => {
  stage = await Stage.create();
  for (const agent of agents) connected.set(agent, await stage.connect(agent));
}, 180_000);
afterAll(() => stage.dispose());

function of(agent: Agent): ConnectedAgent {
  const found = connected.get(agent);
  if (found === undefined) throw new Error(`${agent.name} was never connected`);
  return found;
}

/** The companion writes down what those that follow must know a moment after it has happened. */
async function waitForNote(text: string): Promise<void> {
  await vi.waitFor(async () => expect(await stage.journal()).toContain(text), { timeout: 10_000 });
}

/** Nobody types anything into an agent's terminal but the requests for edits. */
describe.each(['kill', 'stop'] as const)(
  'after a %s of the companion, and another one in its place',
  (end) => {
    beforeAll(async () => {
      for (const agent of agents) await waitForNote(of(agent).session);
      const urls = agents.map(({ kind }) => stage.tandem.endpoint(kind).url);
      await stage.restart(end);
      expect(agents.map(({ kind }) => stage.tandem.endpoint(kind).url)).toEqual(urls);
    });

    it.each(agents)('$name goes on by itself', async (agent) => {
      const { running, session: before } = of(agent);
      const name = `${agent.name} after ${end}.txt`;
      // Claude Code comes back as a session of its own; the others are told apart by theirs, which they keep.
      const fields = { agent: agent.kind, ...(agent.kind !== 'claude' && { session: before }) };
      const session = String((await stage.tandem.waitForEvent('session.connected', fields)).session);
      connected.set(agent, { running, session });
      const path = await stage.put(name, BEFORE);
      await running.propose(agent.replaceText(path, 'two', 'TWO'));
      const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
      await running.waitForApproval();
      await stage.tandem.run('review', 'accept', review);
      await running.waitUntilDone();
      expect(await stage.read(name)).toBe(PROPOSED);
    });
  },
);

describe('while a decision is waited for, after a kill of the companion and another one in its place', () => {
  const nameOf = (agent: Agent): string => `${agent.name} waits.txt`;

  beforeAll(async () => {
    for (const agent of patient) {
      const { running, session } = of(agent);
      const path = await stage.put(nameOf(agent), BEFORE);
      const proposed = `TWO by ${agent.name}`;
      await running.propose(agent.replaceText(path, 'two', proposed));
      await stage.tandem.nextReview({ agent: agent.kind, session, path });
      await running.waitForApproval();
      await waitForNote(proposed);
    }
    await stage.restart('kill');
  }, 180_000);

  it.each(patient)('$name hears the decision', async (agent) => {
    const { running, session } = of(agent);
    const path = stage.path(nameOf(agent));
    const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    const typed = await stage.sandbox.write(`${stage.sandbox.root}/typed`, 'one\nTWO, typed\nthree\n');
    await stage.tandem.run('review', 'accept', review, '--content-file', typed);
    await running.waitUntilDone();
    expect(await stage.read(nameOf(agent))).toBe('one\nTWO, typed\nthree\n');
  });
});
