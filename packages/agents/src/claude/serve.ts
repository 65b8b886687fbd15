import { DisposableStore, type EditorContext, Emitter, logListenerError } from '@tandem/core';
import { createToken } from '@tandem/mcp';
import type { Review } from '@tandem/reviews';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { tokenHeader } from '../claudeIde/lockFile.js';
import { encodeSelection } from '../claudeIde/messages.js';
import { contextFor, mentionIn } from '../contextClients.js';
import { happensInTime } from '../happensInTime.js';
import { serveHooks } from '../hooks/serveHooks.js';
import { ClaudeSession, hasSelection } from './session.js';
import { WaitingHooks } from './waitingHooks.js';
import { notationOn } from './wire.js';

const closeLimitMs = 3_000;

interface ClosedTab {
  readonly session: string;
  readonly title: string | undefined;
}

/** Serves Claude Code. */
export async function serveClaude(agent: AgentDefinition, host: ProtocolHost): Promise<RunningProtocol> {
  const { editor, policy, reviews, files, machine, clock, logger } = host;
  const token = host.before?.token ?? createToken(64);
  const owned = new DisposableStore();
  const sessions = new AgentSessions<ClaudeSession>(agent, host);
  const context = owned.add(
    contextFor(agent, host, sessions, {
      // `selection_changed` contains only the active file; the tools that list files request all.
      maxFiles: 1,
      encode: (shared) => encodeSelection(shared, notationOn(machine.platform)),
      // The last selection counts, also if it was made before a client connected.
      isFollowed: () => true,
    }),
  );
  let latestSelection: EditorContext | undefined;
  const rememberSelection = (): void => {
    if (hasSelection(context.current)) latestSelection = context.current;
  };
  context.onDidChange(rememberSelection);
  const { diagnostics } = editor;
  if (diagnostics !== undefined) {
    owned.add(
      diagnostics.onDidChange((paths) => {
        for (const session of sessions.connections) session.diagnosticsChanged(paths);
      }),
    );
  }
  await context.refresh();
  rememberSelection();
  const closedTabs = owned.add(new Emitter<ClosedTab>(logListenerError(logger, 'the closed tabs')));
  const { platform } = machine;
  const hooks = owned.add(new WaitingHooks({ reviews, clock, platform, sessions: () => sessions.sessions }));
  const running = owned.add(
    serveHooks(agent, host, sessions, {
      onQuestion: (pid, input, signal) => hooks.wait(pid, input, signal),
    }),
  );
  const services = {
    noteTabClosed: (session: string, title: string | undefined) => closedTabs.fire({ session, title }),
    agent: agent.identity,
    editor,
    reviews,
    policy,
    files,
    platform,
    clock,
    logger,
    shared: context,
    sessions,
    latestSelection: () => latestSelection,
    whenHookIsDone: (review: Review) => hooks.whenReleased(review),
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
    mention: mentionIn(sessions),
    hooks: running,
    prompt: {
      // Claude Code closes the tab of a rejected diff within some milliseconds, when its question is gone.
      whenTaken: async (review) => {
        if (running.isWaitingFor(review)) return true;
        const { session, title } = review.proposal;
        return happensInTime(clock, closeLimitMs, closedTabs.event, (closed) => {
          return closed.session === session && closed.title === title;
        });
      },
      hooks: {
        get areUsed() {
          return hooks.areUsed;
        },
        hold: (review) => running.hold(review) ?? hooks.hold(review),
        leave: (session, text) => running.leave(session, text),
      },
      refer: async (session, file) => (await sessions.connectionOf(session)?.sendReference(file)) === true,
    },
    stop() {
      owned.dispose();
      sessions.dispose();
    },
  };
}
