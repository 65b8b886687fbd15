import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { hookPath } from './program/callCompanion.js';
import { serveHooks } from './serveHooks.js';

/** Serves an agent that has no interface for editors. Its sessions are those that its hooks report. */
export function serveHookedOnly(agent: AgentDefinition, host: ProtocolHost): RunningProtocol {
  const sessions = new AgentSessions<undefined>(agent, host);
  const hooks = serveHooks(agent, host, sessions);
  return {
    ...sessions.running(host, { url: `http://127.0.0.1:${host.listener.port}${hookPath}` }),
    hooks,
    prompt: {
      whenTaken: async (review) => hooks.isWaitingFor(review),
      hooks: { areUsed: true, ...hooks },
    },
    stop() {
      hooks.dispose();
      sessions.dispose();
    },
  };
}
