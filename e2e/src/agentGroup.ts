import { afterAll, beforeEach, onTestFinished } from 'vitest';
import type { Agent } from './agents/agent.js';
import { type ConnectedAgent, Stage, type StageOptions } from './stage.js';

/** What each test of a group starts with: a companion, and one agent that is connected to it. */
export interface AgentGroup extends ConnectedAgent {
  readonly stage: Stage;
}

export interface AgentGroupOptions extends StageOptions {
  /** Runs before the agent is started. */
  readonly before?: (stage: Stage) => Promise<void>;
}

/** As long as a whole test may take: a CLI takes seconds of a core to start, of a busy core many. */
const startLimit = 90_000;

/**
 * One companion and one agent for all tests of a group, as a user asks one agent for several things. Each
 * test begins at an idle prompt and works on files of its own. A failed test's companion and agent are discarded: the next one
 * begins with new ones. If either ends by itself, the next test fails with that.
 */
export function useAgentGroup(
  agent: Agent,
  options: AgentGroupOptions = {},
): {
  readonly current: AgentGroup;
  /** For a test that breaks one of them: the next begins with others. */
  discard(): Promise<void>;
} {
  let group: AgentGroup | undefined;
  beforeEach(async () => {
    // Registered first, it runs last: other failure hooks see the agent as it was.
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

async function openGroup(agent: Agent, { before, ...options }: AgentGroupOptions): Promise<AgentGroup> {
  const stage = await Stage.create(options);
  try {
    await before?.(stage);
    return { stage, ...(await stage.connect(agent)) };
  } catch (error) {
    await stage.dispose();
    throw error;
  }
}
