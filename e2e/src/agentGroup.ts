import { afterAll, beforeEach, onTestFinished } from 'vitest';
import type { Agent, ContextAgent } from './agents/agent.js';
import type { AgentStart } from './runningAgent.js';
import { type ConnectedAgent, Stage, type StageOptions } from './stage.js';

/** What each test of a group gets: a companion, and one agent that is connected to it. */
export interface AgentGroup<Kind extends ContextAgent = Agent> extends ConnectedAgent<Kind> {
  readonly stage: Stage;
}

export interface AgentGroupOptions extends StageOptions {
  /** Runs before the agent is started. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** How to start the agent, if not by typing its name in a shell. */
  readonly start?: (stage: Stage) => AgentStart;
}

/** The limit of a whole test: starting a CLI takes seconds of processor time, and much longer on a busy machine. */
const startLimit = 90_000;

/**
 * One companion and one agent for all tests of a group, as a user gives one agent several tasks. Each test begins at an
 * idle prompt and works on its own files. After a failed test, companion and agent are replaced. If either ends by
 * itself, the next test fails with that error.
 */
export function useAgentGroup<Kind extends ContextAgent>(
  agent: Kind,
  options: AgentGroupOptions = {},
): {
  readonly current: AgentGroup<Kind>;
  /** For a test that breaks one of them: the next test gets new ones. */
  discard(): Promise<void>;
} {
  let group: AgentGroup<Kind> | undefined;
  beforeEach(async () => {
    // Registered first, so it runs last: other failure hooks still see this agent.
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await discard();
    });
    group ??= await openGroup(agent, options);
    await group.running.waitUntilIdle();
  }, startLimit);
  afterAll(() => discard());
  async function discard(): Promise<void> {
    const ended = group;
    group = undefined;
    await ended?.stage.dispose();
  }
  return {
    get current() {
      if (group === undefined) throw new Error('The agent is used outside of the tests of its group.');
      return group;
    },
    discard,
  };
}

async function openGroup<Kind extends ContextAgent>(
  agent: Kind,
  { before, start, ...options }: AgentGroupOptions,
): Promise<AgentGroup<Kind>> {
  const stage = await Stage.create(options);
  try {
    await before?.(stage);
    return { stage, ...(await stage.connect(agent, start?.(stage))) };
  } catch (error) {
    await stage.dispose();
    throw error;
  }
}
