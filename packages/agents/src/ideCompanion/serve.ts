import { createToken } from '@tandem/mcp';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { contextFor } from '../contextClients.js';
import { serveHooks } from '../hooks/serveHooks.js';
import { IdeCompanionSession } from './session.js';
import { encodeContext, maxOpenFiles } from './wire.js';

/** Serves the IDE companion protocol to one agent. */
export async function serveIdeCompanion(
  agent: AgentDefinition,
  host: ProtocolHost,
): Promise<RunningProtocol> {
  const token = host.before?.token ?? createToken(32);
  const sessions = new AgentSessions<IdeCompanionSession>(agent, host);
  const context = contextFor(agent, host, sessions, { maxFiles: maxOpenFiles, encode: encodeContext });
  const endpoint = host.listener.addHttpEndpoint({
    name: agent.identity.id,
    token,
    serverInfo: { name: 'tandem', version: host.version },
    onSession: (mcpSession) =>
      sessions.open(
        mcpSession,
        new IdeCompanionSession(mcpSession, {
          agent: agent.identity.id,
          reviews: host.reviews,
          context,
          logger: host.logger,
          sessions,
        }),
      ),
  });
  const hooks =
    agent.hooks &&
    serveHooks(agent, host, sessions, { streamOf: (session) => sessions.connectionOf(session)?.stream });
  if (host.before !== undefined) {
    await endpoint.resume(host.before.sessions);
    for (const { session, path, content } of host.before.proposals) {
      sessions.connectionOf(session)?.resume(path, content);
    }
  }
  return {
    ...sessions.running(host, { url: `http://127.0.0.1:${host.listener.port}/mcp`, token }),
    ...(hooks && {
      hooks,
      prompt: {
        whenTaken: async (review) => hooks.isWaitingFor(review),
        hooks: { areUsed: true, ...hooks },
      },
    }),
    stop() {
      hooks?.dispose();
      endpoint.dispose();
      context.dispose();
      sessions.dispose();
    },
  };
}
