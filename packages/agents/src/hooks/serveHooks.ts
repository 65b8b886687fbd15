import { lazily } from '@tandem/mcp';
import type { AgentDefinition, ProtocolHost } from '../agentProtocol.js';
import type { AgentSessions } from '../agentSessions.js';
import type { RunningHooks } from './runningHooks.js';
import type { ChosenMode, OnQuestion, ServedHooks, StreamOf } from './servedHooks.js';

/** Serves the hooks of an agent. Loads the code for it with the first call. */
export function serveHooks(
  agent: AgentDefinition,
  host: ProtocolHost,
  sessions: AgentSessions<unknown>,
  how: { readonly onQuestion?: OnQuestion; readonly streamOf?: StreamOf } = {},
): ServedHooks {
  let running: RunningHooks | undefined;
  let left: readonly ChosenMode[] = [];
  const load = lazily(async () => {
    const [hooks, { RunningHooks }] = await Promise.all([agent.hooks?.(), import('./runningHooks.js')]);
    if (hooks !== undefined)
      running = new RunningHooks({ agent, hooks, chosen: left, host, sessions, ...how });
  });
  return {
    async answer(request, call) {
      await load();
      return running?.answer(request, call) ?? {};
    },
    modeOf: (session) => running?.modes.of(session),
    setMode: (session, mode) => running?.modes.choose(session, mode),
    chosenModes: () => running?.modes.chosen ?? left,
    restoreModes(chosen) {
      left = chosen;
    },
    isWaitingFor: (review) => running?.isWaitingFor(review) ?? false,
    leave: (session, text) => running?.leave(session, text) ?? false,
    hold: (review) => running?.hold(review),
    dispose: () => running?.dispose(),
  };
}
