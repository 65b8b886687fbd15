import { type Connection, createToken } from '@tandem/mcp';
import type { Review } from '@tandem/reviews';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { contextFor } from '../contextClients.js';
import { happensInTime } from '../happensInTime.js';
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
  const streamOf = (session: string): Connection | undefined => sessions.connectionOf(session)?.stream;
  const hooks = agent.hooks && serveHooks(agent, host, sessions, { streamOf });
  if (host.before !== undefined) {
    await endpoint.resume(host.before.sessions);
    for (const { session, path, content } of host.before.proposals) {
      sessions.connectionOf(session)?.resume(path, content);
    }
  }
  return {
    ...sessions.running(host, { url: `http://127.0.0.1:${host.listener.port}/mcp`, token }),
    ...(hooks && { hooks }),
    prompt: {
      whenTaken: async (review) => hooks?.isWaitingFor(review) || isTaken(review, host),
      stream: streamOf,
      ...(hooks && { hooks: { areUsed: true, ...hooks } }),
      ...(agent.screen && { screen: agent.screen }),
    },
    stop() {
      hooks?.dispose();
      endpoint.dispose();
      context.dispose();
      sessions.dispose();
    },
  };
}

/** After the decision was sent, the CLI needs less than 100 ms to show its prompt. It sends no sign of that. */
const promptDelayMs = 400;
const sentLimitMs = 3_000;

async function isTaken(review: Review, { reviews, clock }: ProtocolHost): Promise<boolean> {
  const isSent = await happensInTime(clock, sentLimitMs, reviews.onDidAnswer, (sent) => sent === review);
  if (isSent) await new Promise<void>((resolve) => clock.setTimeout(resolve, promptDelayMs));
  return isSent;
}
