import { type Path, SharedContext, type SharedContextOptions } from '@tandem/core';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from './agentProtocol.js';
import type { AgentSessions } from './agentSessions.js';

/** How the sessions of one agent receive what is theirs together: the context, and mentions. */

interface ContextClient {
  /** Sends the context if it has changed and the client can be notified. Never throws. */
  sendContext(): void;
}

interface MentionClient {
  /** Resolves to whether the client was notified. */
  sendMention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<boolean>;
}

/**
 * What an agent may see of the editor, sent to each of its sessions when it changes, with other work in between if there
 * are many. The caller disposes it.
 */
export function contextFor<Message extends object>(
  { identity }: AgentDefinition,
  { feed, policy, clock, logger, pausing }: ProtocolHost,
  sessions: AgentSessions<ContextClient>,
  options: Pick<SharedContextOptions<Message>, 'maxFiles' | 'encode' | 'isFollowed'>,
): SharedContext<Message> {
  const isFollowed = (): boolean => sessions.connections.length > 0;
  const context = new SharedContext({ feed, policy, clock, logger, agent: identity, isFollowed, ...options });
  const unsent = new Set<ContextClient>();
  let isSending = false;
  const send = async (): Promise<void> => {
    // Those that have not received the last message stay first, so that each receives some while it changes often.
    for (const client of sessions.connections) unsent.add(client);
    if (isSending) return;
    isSending = true;
    const pause = pausing();
    for (const client of unsent) {
      unsent.delete(client);
      client.sendContext();
      const paused = pause();
      if (paused !== undefined) await paused;
    }
    isSending = false;
  };
  context.onDidChange(() => void send());
  return context;
}

/** Mentions a file in every session. */
export function mentionIn(sessions: AgentSessions<MentionClient>): NonNullable<RunningProtocol['mention']> {
  return async (path, lines) => {
    const sent = await Promise.all(sessions.connections.map((client) => client.sendMention(path, lines)));
    return sent.filter(Boolean).length;
  };
}
