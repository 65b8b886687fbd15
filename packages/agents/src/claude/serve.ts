import { DisposableStore, type EditorContext, SharedContext } from '@tandem/core';
import { createToken } from '@tandem/mcp';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { tokenHeader } from '../claudeIde/lockFile.js';
import { encodeSelection } from '../claudeIde/messages.js';
import { ClaudeSession, hasSelection } from './session.js';
import { notationOn } from './wire.js';

/** Serves Claude Code. */
export async function serveClaude(agent: AgentDefinition, host: ProtocolHost): Promise<RunningProtocol> {
  const { editor, feed, policy, reviews, files, machine, clock, logger } = host;
  const token = host.before?.token ?? createToken(64);
  const owned = new DisposableStore();
  const sessions = new AgentSessions<ClaudeSession>(agent, host);
  const context = owned.add(
    new SharedContext({
      feed,
      policy,
      agent: agent.identity,
      // `selection_changed` contains only the active file; the tools that list files request all.
      maxFiles: 1,
      encode: (shared) => encodeSelection(shared, notationOn(machine.platform)),
      clock,
      logger,
    }),
  );
  let latestSelection: EditorContext | undefined;
  owned.add(
    context.onDidChange(() => {
      if (hasSelection(context.current)) latestSelection = context.current;
      for (const session of sessions.connections) session.sendContext();
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
  const services = {
    agent: agent.identity,
    editor,
    reviews,
    policy,
    files,
    platform: machine.platform,
    clock,
    logger,
    context,
    sessions,
    sharedContext: async () => {
      feed.flush();
      await context.refresh();
      return context.current;
    },
    openFiles: () => {
      feed.flush();
      return context.all();
    },
    latestSelection: () => latestSelection,
  };
  owned.add(
    host.listener.addWebSocketEndpoint({
      name: agent.identity.id,
      token,
      tokenHeader,
      // Not "Claude Code JetBrains Plugin": with that name, the CLI disables automatic diagnostics.
      serverInfo: { name: 'tandem', version: host.version },
      onSession: (mcpSession) => sessions.open(mcpSession, new ClaudeSession(mcpSession, services)),
    }),
  );
  return {
    ...sessions.running(host, { url: `ws://127.0.0.1:${host.listener.port}/`, token }),
    async mention(path, lines) {
      const sent = await Promise.all(sessions.connections.map((session) => session.sendMention(path, lines)));
      return sent.filter(Boolean).length;
    },
    stop() {
      owned.dispose();
      sessions.dispose();
    },
  };
}
