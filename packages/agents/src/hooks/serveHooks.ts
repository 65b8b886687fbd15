import { lazily } from '@tandem/mcp';
import type { AgentDefinition, ProtocolHost } from '../agentProtocol.js';
import type { AgentSessions } from '../agentSessions.js';
import type { RunningHooks } from './runningHooks.js';
import type { OnQuestion, ServedHooks } from './servedHooks.js';

/** Serves the hooks of an agent. Loads the code for it with the first call. */
export function serveHooks(
  agent: AgentDefinition,
  host: ProtocolHost,
  sessions: AgentSessions<unknown>,
  onQuestion?: OnQuestion,
): ServedHooks {
  let running: RunningHooks | undefined;
  const load = lazily(async () => {
    const [hooks, { RunningHooks }] = await Promise.all([agent.hooks?.(), import('./runningHooks.js')]);
    if (hooks !== undefined) running = new RunningHooks({ agent, hooks, host, sessions, onQuestion });
  });
  return {
    async answer(request, call) {
      await load();
      return running?.answer(request, call) ?? {};
    },
    isWaitingFor: (review) => running?.isWaitingFor(review) ?? false,
    hold: (review) => running?.hold(review),
    dispose: () => running?.dispose(),
  };
}
