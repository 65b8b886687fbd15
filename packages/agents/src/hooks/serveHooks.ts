import { lazily } from '@tandem/mcp';
import type { AgentDefinition, ProtocolHost } from '../agentProtocol.js';
import type { AgentSessions } from '../agentSessions.js';
import { HookModes } from './hookModes.js';
import type { RunningHooks } from './runningHooks.js';
import type { OnQuestion, ServedHooks, StreamOf } from './servedHooks.js';

/** Serves the hooks of an agent. Loads the code for it with the first call. */
export function serveHooks(
  agent: AgentDefinition,
  host: ProtocolHost,
  sessions: AgentSessions<unknown>,
  how: { readonly onQuestion?: OnQuestion; readonly streamOf?: StreamOf } = {},
): ServedHooks {
  let running: RunningHooks | undefined;
  const modes = new HookModes();
  const load = lazily(async () => {
    const [hooks, { RunningHooks }] = await Promise.all([agent.hooks?.(), import('./runningHooks.js')]);
    if (hooks !== undefined) running = new RunningHooks({ agent, hooks, modes, host, sessions, ...how });
  });
  return {
    async answer(request, call) {
      await load();
      return running?.answer(request, call) ?? {};
    },
    modeOf: (session) => modes.of(session),
    setMode: (session, mode) => modes.choose(session, mode),
    chosenModes: () => modes.chosen,
    restoreModes: (chosen) => modes.restore(chosen),
    isWaitingFor: (review) => running?.isWaitingFor(review) ?? false,
    leave: (session, text) => running?.leave(session, text) ?? false,
    hold: (review) => running?.hold(review),
    dispose: () => running?.dispose(),
  };
}
