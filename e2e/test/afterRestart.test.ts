import { afterAll, beforeAll, describe, expect, it, type TestContext, TestRunner, vi } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import type { Agent } from '../src/agents/agent.js';
import { agents as all } from '../src/agents/all.js';
import { gemini } from '../src/agents/gemini.js';
import { type ConnectedAgent, Stage } from '../src/stage.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

/** The agents that this run tests: without the exhaustive tests, only one. */
const agents = all.filter((agent) => agent === gemini || TestRunner.matchesTags([exhaustive.tags]));

function testEach(
  agents: readonly Agent[],
  title: string,
  run: (agent: Agent, context: TestContext) => Promise<void>,
): void {
  for (const agent of agents) {
    it.for([agent])(title, { ...(agent !== gemini && exhaustive), timeout: 180_000 }, run);
  }
}

/** Claude Code is missing: when its connection breaks it asks in its terminal, and its review ends as interrupted. */
const agentsThatReconnect = all.filter(({ kind }) => kind !== 'claude');

/** A CLI may reconnect only after ten seconds, on a busy machine after thirty. */
const reconnectLimit = 75_000;

type Ending = 'kill' | 'stop';
type Sessions = Map<Agent, ConnectedAgent>;

/** All agents share a stage, so that they reconnect at the same time. */
let shared: Stage;
const sharedSessions: Sessions = new Map();
beforeAll(async () => {
  shared = await Stage.create();
  for (const agent of agents) sharedSessions.set(agent, await connect(shared, agent));
}, 180_000);
afterAll(() => shared.dispose());

/** Resolves when the CLI itself shows that it is connected: one whose first connection breaks earlier does not try again. */
async function connect(stage: Stage, agent: Agent): Promise<ConnectedAgent> {
  const connected = await stage.connect(agent);
  await stage.tandem.run('focus', await stage.put('open.txt', 'open\n'));
  await connected.running.waitForActiveFile('open.txt');
  return connected;
}

/**
 * The shared stage after its restart; in a retry a stage of the agent's own, restarted in the same way: the failed
 * attempt has used up events, and its agent may be at a question.
 */
async function restartedStage(
  agent: Agent,
  { task }: TestContext,
  restart: (stage: Stage, sessions: Sessions) => Promise<void>,
): Promise<{ stage: Stage; sessions: Sessions }> {
  if (!task.result?.retryCount) return { stage: shared, sessions: sharedSessions };
  const stage = await Stage.open();
  const sessions: Sessions = new Map([[agent, await connect(stage, agent)]]);
  await restart(stage, sessions);
  return { stage, sessions };
}

function sessionOf(agent: Agent, sessions: Sessions): ConnectedAgent {
  const found = sessions.get(agent);
  if (found === undefined) throw new Error(`${agent.name} was never connected`);
  return found;
}

/** The companion writes to its journal a moment after an event. */
async function waitForJournal(stage: Stage, text: string): Promise<void> {
  await vi.waitFor(async () => expect(await stage.journal()).toContain(text), { timeout: 10_000 });
}

async function restartIdle(stage: Stage, sessions: Sessions, ending: Ending): Promise<void> {
  for (const { session } of sessions.values()) await waitForJournal(stage, session);
  const urls = agents.map(({ kind }) => stage.tandem.endpoint(kind).url);
  await stage.restart(ending);
  expect(agents.map(({ kind }) => stage.tandem.endpoint(kind).url)).toEqual(urls);
}

/** The only input to the agents' terminals are the requests for edits. */
describe.each(['kill', 'stop'] as const)('after a %s of the companion and a restart', (ending) => {
  const restart = (stage: Stage, sessions: Sessions): Promise<void> => restartIdle(stage, sessions, ending);
  beforeAll(() => restart(shared, sharedSessions));

  testEach(all, '$name reconnects by itself', async (agent, context) => {
    const { stage, sessions } = await restartedStage(agent, context, restart);
    const { running, session: before } = sessionOf(agent, sessions);
    const name = `${agent.name} after ${ending}.txt`;
    // Claude Code opens a new session; the others keep theirs, which distinguishes the two versions of Qwen Code.
    const fields = { agent: agent.kind, ...(agent.kind !== 'claude' && { session: before }) };
    const event = await stage.tandem.waitForEvent('session.connected', fields, reconnectLimit);
    const session = String(event.session);
    sessions.set(agent, { running, session });
    const path = await stage.put(name, BEFORE);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await running.waitForApproval();
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read(name)).toBe(PROPOSED);
  });
});

describe('after a kill of the companion during a review, and a restart', () => {
  const nameOf = (agent: Agent): string => `${agent.name} pending.txt`;

  async function restartDuringReviews(stage: Stage, sessions: Sessions): Promise<void> {
    for (const [agent, { running, session }] of sessions) {
      if (!agentsThatReconnect.includes(agent)) continue;
      const path = await stage.put(nameOf(agent), BEFORE);
      const proposed = `TWO by ${agent.name}`;
      await running.propose(agent.replaceText(path, 'two', proposed));
      await stage.tandem.nextReview({ agent: agent.kind, session, path });
      await running.waitForApproval();
      await waitForJournal(stage, proposed);
    }
    await stage.restart('kill');
  }
  beforeAll(() => restartDuringReviews(shared, sharedSessions), 180_000);

  testEach(agentsThatReconnect, '$name receives the decision', async (agent, context) => {
    const { stage, sessions } = await restartedStage(agent, context, restartDuringReviews);
    const { running, session } = sessionOf(agent, sessions);
    const path = stage.path(nameOf(agent));
    const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await stage.tandem.accept(review, 'one\nTWO, typed\nthree\n');
    await running.waitUntilDone();
    expect(await stage.read(nameOf(agent))).toBe('one\nTWO, typed\nthree\n');
  });
});
