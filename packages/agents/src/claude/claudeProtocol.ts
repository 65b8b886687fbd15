import { type AgentIdentity, DisposableStore, type EditorContext, SharedContext } from '@tandem/core';
import { createToken } from '@tandem/mcp';
import type { AgentProtocol, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { ClaudeSession, hasSelection } from './claudeSession.js';
import { claudeDiagnosis } from './diagnosis.js';
import { claudeDiscovery, claudeEnvironment } from './discovery.js';
import { permissionDenyPatterns } from './permissionDenyPatterns.js';

const identity: AgentIdentity = {
  id: 'claude',
  ignoreFiles: [
    { name: '.claude/settings.json', patterns: permissionDenyPatterns },
    { name: '.claude/settings.local.json', patterns: permissionDenyPatterns },
  ],
};
const displayName = 'Claude Code';

/** Claude Code's IDE interface: MCP over WebSocket, a dozen tools, three notifications. See PROTOCOL.md. */
export const claudeProtocol: AgentProtocol = {
  identity,
  displayName,
  diagnosis: claudeDiagnosis,
  async start(host: ProtocolHost): Promise<RunningProtocol> {
    const { editor, policy, reviews, files, machine, clock, logger } = host;
    const token = host.before?.token ?? createToken(64);
    const owned = new DisposableStore();
    const sessions = new AgentSessions<ClaudeSession>(logger);
    const context = owned.add(
      new SharedContext({
        feed: host.feed,
        policy,
        agent: identity,
        // `selection_changed` names the active file alone; the tools that list files ask for all.
        maxFiles: 1,
        clock,
        logger,
      }),
    );
    const presentContext = async (): Promise<EditorContext> => {
      host.feed.flush();
      await context.refresh();
      return context.current;
    };
    const openFiles = (): Promise<EditorContext> => {
      host.feed.flush();
      return context.all();
    };
    let latestSelection: EditorContext | undefined;
    owned.add(
      context.onDidChange((shared) => {
        if (hasSelection(shared)) latestSelection = shared;
        for (const session of sessions.connections) session.sendContext(shared);
      }),
    );
    const { diagnostics } = editor;
    if (diagnostics !== undefined) {
      owned.add(
        diagnostics.onDidChange((paths) => {
          for (const session of sessions.connections) session.diagnosticsChanged(paths);
        }),
      );
    }
    await context.refresh();
    if (hasSelection(context.current)) latestSelection = context.current;
    owned.add(
      host.listener.addWebSocketEndpoint({
        name: identity.id,
        token,
        tokenHeader: 'x-claude-code-ide-authorization',
        // Not "Claude Code JetBrains Plugin": that name switches the CLI's automatic diagnostics off.
        serverInfo: { name: 'tandem', version: host.version },
        onSession(mcpSession) {
          const session = new ClaudeSession(mcpSession, {
            agent: identity,
            editor,
            reviews,
            policy,
            files,
            platform: machine.platform,
            context,
            presentContext,
            openFiles,
            latestSelection: () => latestSelection,
            clock,
            logger,
            onPid: (id, pid) => sessions.setPid(id, pid),
            onStreamOpen: (id) => sessions.streamOpened(id),
            onClosed: (id) => sessions.close(id),
          });
          sessions.open(
            {
              id: mcpSession.id,
              agent: identity.id,
              client: mcpSession.client,
              protocolVersion: mcpSession.protocolVersion,
              connectedAt: clock.now(),
            },
            session,
          );
          return session;
        },
      }),
    );
    const served = { editor, machine, port: host.listener.port, token };
    return {
      identity,
      displayName,
      url: `ws://127.0.0.1:${host.listener.port}/`,
      token,
      environment: () => claudeEnvironment(served),
      discovery: () => claudeDiscovery(served),
      sessions: () => sessions.all,
      onDidOpenSession: sessions.onDidOpen,
      onDidCloseSession: sessions.onDidClose,
      onDidOpenStream: sessions.onDidOpenStream,
      async mention(path, lines) {
        const told = await Promise.all(
          sessions.connections.map((session) => session.sendMention(path, lines)),
        );
        return told.filter((isTold) => isTold).length;
      },
      stop() {
        owned.dispose();
        sessions.dispose();
      },
    };
  },
};
