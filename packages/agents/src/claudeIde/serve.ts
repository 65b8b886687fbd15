import type { Path, SharedContext } from '@tandem/core';
import type { Connection, McpSession, McpSessionHandler } from '@tandem/mcp';
import type { Reviews } from '@tandem/reviews';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { contextFor, mentionIn } from '../contextClients.js';
import { serveHooks } from '../hooks/serveHooks.js';
import {
  encodeMention,
  encodeSelection,
  type MentionedLines,
  type Notation,
  type SelectionChanged,
} from './messages.js';

/** opencode 1.18 and Kilo CLI 7.7 show and read line 1 where Claude Code means the second line. */
const notation: Notation = { firstLine: 1, path: (path) => path };

/** Serves an agent that connects to Claude Code's endpoint and receives context and mentions. */
export async function serveContextGuest(
  agent: AgentDefinition,
  host: ProtocolHost,
  program: RegExp | undefined,
): Promise<RunningProtocol> {
  const { listener, policy, reviews, version } = host;
  const { identity } = agent;
  const sessions = new AgentSessions<ContextSession>(agent, host);
  const context = contextFor(agent, host, sessions, {
    maxFiles: 1,
    encode: (shared) => encodeSelection(shared, notation),
  });
  const guest = listener.addWebSocketGuest({
    name: identity.id,
    of: 'claude',
    ...(program && { program }),
    serverInfo: { name: 'tandem', version },
    // Kilo CLI, too, calls itself opencode, and no version is 0.0.0.
    onSession: (session) => {
      const named = { ...session, client: { name: agent.descriptor.program, version: '' } };
      return sessions.open(named, new ContextSession(named, context, sessions, reviews));
    },
  });
  const hooks = serveHooks(agent, host, sessions, {
    streamOf: (session) => sessions.connectionOf(session)?.stream,
  });
  return {
    ...sessions.running(host, { url: `ws://127.0.0.1:${listener.port}/` }),
    hooks,
    prompt: {
      whenTaken: async (review) => hooks.isWaitingFor(review),
      hooks: { areUsed: true, ...hooks },
    },
    mention: async (path, lines) =>
      (await policy.verdict(identity, path)).isShared ? mentionIn(sessions)(path, lines) : 0,
    stop() {
      hooks.dispose();
      guest.dispose();
      context.dispose();
      sessions.dispose();
    },
  };
}

class ContextSession implements McpSessionHandler {
  readonly tools = [];
  #isReady = false;
  #lastSent: SelectionChanged | undefined;

  constructor(
    private readonly session: McpSession,
    private readonly context: SharedContext<SelectionChanged>,
    private readonly sessions: AgentSessions<ContextSession>,
    private readonly reviews: Reviews,
  ) {}

  get stream(): Connection | undefined {
    return this.session.stream();
  }

  onStreamOpen(): void {
    this.sessions.streamOpened(this.session.id);
    // Since the last update, sharing may have been paused, or the settings changed.
    void this.context.refresh().then(() => {
      this.#isReady = true;
      this.sendContext();
    });
  }

  /** Sends `selection_changed`, unless it equals the last one. */
  sendContext(): void {
    const { message } = this.context;
    if (!this.#isReady || message === undefined || message === this.#lastSent) return;
    this.#lastSent = message;
    void this.session.notify('selection_changed', message);
  }

  /** Both lines must be numbers. From line 1 to line 1 is the whole file. */
  sendMention(path: Path, lines: MentionedLines = { first: 0, last: 0 }): Promise<boolean> {
    return this.session.notify('at_mentioned', encodeMention(path, lines, notation));
  }

  onClosed(): void {
    this.reviews.withdrawSession(this.session.id, 'disconnected');
    this.sessions.close(this.session.id);
  }
}
