import type { RunningProtocol } from '@tandem/agents';
import type { AwaitedSessions } from './awaitedSessions.js';
import type { AgentConnection, CompanionStatus } from './control/controlContract.js';
import type { DiscoveryKeeper } from './discoveryKeeper.js';
import type { LastHeard } from './lastHeard.js';

/** What is told of every agent that is served: who is connected, who was lost, where it finds us. Holds no tokens. */
export function describeAgents(
  protocols: readonly RunningProtocol[],
  known: {
    readonly heard: LastHeard;
    readonly awaited: AwaitedSessions | undefined;
    readonly discovery: DiscoveryKeeper | undefined;
  },
): CompanionStatus['agents'] {
  return protocols.map((protocol) => ({
    id: protocol.identity.id,
    displayName: protocol.displayName,
    url: protocol.url,
    takesMentions: protocol.mention !== undefined,
    ...known.awaited?.describe(protocol.identity.id),
    discovery: known.discovery?.report(protocol.discovery()) ?? [],
    sessions: protocol.sessions().map(({ agent: _agent, ...session }) => {
      const lastHeardAt = known.heard.of(session.id);
      return { ...session, ...(lastHeardAt !== undefined && { lastHeardAt }) };
    }),
  }));
}

/** How each agent connects, by files that stand. Holds tokens. */
export function describeConnections(
  protocols: readonly RunningProtocol[],
  discovery: DiscoveryKeeper | undefined,
): AgentConnection[] {
  return protocols.map((protocol) => ({
    id: protocol.identity.id,
    displayName: protocol.displayName,
    url: protocol.url,
    token: protocol.token,
    discovery: (discovery?.report(protocol.discovery()) ?? [])
      .filter(({ problem }) => problem === undefined)
      .map(({ file }) => file),
    env: { ...protocol.environment() },
  }));
}
