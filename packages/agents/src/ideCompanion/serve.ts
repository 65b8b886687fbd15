import { SharedContext } from '@tandem/core';
import { createToken } from '@tandem/mcp';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { IdeCompanionSession } from './session.js';
import { encodeContext, maxOpenFiles } from './wire.js';

/** Serves the IDE companion protocol to one agent. */
export async function serveIdeCompanion(
  agent: AgentDefinition,
  host: ProtocolHost,
): Promise<RunningProtocol> {
  const token = host.before?.token ?? createToken(32);
  const sessions = new AgentSessions<IdeCompanionSession>(agent, host);
  const context = new SharedContext({
    feed: host.feed,
    policy: host.policy,
    clock: host.clock,
    logger: host.logger,
    agent: agent.identity,
    maxFiles: maxOpenFiles,
    encode: encodeContext,
    isFollowed: () => sessions.connections.length > 0,
  });
  const contextListener = context.onDidChange(() => {
    for (const session of sessions.connections) session.sendContext();
  });
  await context.refresh();
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
  if (host.before !== undefined) {
    await endpoint.resume(host.before.sessions);
    for (const { session, path, content } of host.before.proposals) {
      sessions.connectionOf(session)?.resume(path, content);
    }
  }
  return {
    ...sessions.running(host, { url: `http://127.0.0.1:${host.listener.port}/mcp`, token }),
    stop() {
      endpoint.dispose();
      contextListener.dispose();
      context.dispose();
      sessions.dispose();
    },
  };
}
