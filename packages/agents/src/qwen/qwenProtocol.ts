import { type AgentIdentity, SharedContext } from '@tandem/core';
import { createToken } from '@tandem/mcp';
import type { AgentProtocol, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { qwenDiagnosis } from './diagnosis.js';
import { qwenDiscovery, qwenEnvironment } from './discovery.js';
import { QwenSession } from './qwenSession.js';
import { maxOpenFiles } from './wire.js';

const identity: AgentIdentity = { id: 'qwen', ignoreFiles: [{ name: '.qwenignore' }] };
const displayName = 'Qwen Code';

/** Qwen Code's companion interface: MCP over HTTP, two tools, three notifications. See PROTOCOL.md. */
export const qwenProtocol: AgentProtocol = {
  identity,
  displayName,
  diagnosis: qwenDiagnosis,
  async start(host: ProtocolHost): Promise<RunningProtocol> {
    const token = host.before?.token ?? createToken(32);
    const sessions = new AgentSessions<QwenSession>(host.logger);
    const context = new SharedContext({
      feed: host.feed,
      policy: host.policy,
      agent: identity,
      maxFiles: maxOpenFiles,
      isFollowed: () => sessions.connections.length > 0,
      clock: host.clock,
      logger: host.logger,
    });
    const contextListener = context.onDidChange((shared) => {
      for (const session of sessions.connections) session.sendContext(shared);
    });
    await context.refresh();
    const endpoint = host.listener.addHttpEndpoint({
      name: identity.id,
      token,
      serverInfo: { name: 'tandem', version: host.version },
      onSession(mcpSession) {
        const session = new QwenSession(mcpSession, {
          reviews: host.reviews,
          context,
          logger: host.logger,
          onStreamOpen: (id) => sessions.streamOpened(id),
          onStreamClose: (id) => sessions.streamClosed(id),
          onClosed: (id) => sessions.close(id),
        });
        sessions.open(
          {
            id: mcpSession.id,
            agent: identity.id,
            client: mcpSession.client,
            protocolVersion: mcpSession.protocolVersion,
            connectedAt: host.clock.now(),
          },
          session,
        );
        return session;
      },
    });
    if (host.before !== undefined) {
      await endpoint.resume(host.before.sessions);
      for (const { session, path, content } of host.before.proposals) {
        sessions.connectionOf(session)?.resume(path, content);
      }
    }
    const served = { editor: host.editor, machine: host.machine, port: host.listener.port, token };
    return {
      identity,
      displayName,
      url: `http://127.0.0.1:${host.listener.port}/mcp`,
      token,
      environment: () => qwenEnvironment(served),
      discovery: () => qwenDiscovery(served),
      sessions: () => sessions.all,
      onDidOpenSession: sessions.onDidOpen,
      onDidCloseSession: sessions.onDidClose,
      onDidOpenStream: sessions.onDidOpenStream,
      stop() {
        endpoint.dispose();
        contextListener.dispose();
        context.dispose();
        sessions.dispose();
      },
    };
  },
};
