import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { DisposableStore, describeError, type Path } from '@tandem/core';
import { createToken, DiscoveryError, type SocketMcpEndpoint } from '@tandem/mcp';
import type { AgentDefinition, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import { contextFor, mentionIn } from '../contextClients.js';
import { serveHooks } from '../hooks/serveHooks.js';
import { CopilotClient } from './client.js';
import { scheme, socketPathsOf } from './discovery.js';
import { clientHeaders, encodeSelection } from './wire.js';

/** Serves Copilot CLI on a socket of its own. Without one, the other agents are served all the same. */
export async function serveCopilot(agent: AgentDefinition, host: ProtocolHost): Promise<RunningProtocol> {
  const { listener, machine, before, version } = host;
  const token = before?.token ?? createToken(32);
  const owned = new DisposableStore();
  const sessions = new AgentSessions<CopilotClient>(agent, host);
  const context = owned.add(contextFor(agent, host, sessions, { maxFiles: 1, encode: encodeSelection }));
  const hooks = serveHooks(agent, host, sessions);
  const services = { ...host, agent: agent.identity, context, sessions };
  /** The id of the session of each process: its headers, and random digits because an ended session never returns. */
  const idOf = (key: string): string =>
    sessions.connections.find(({ id }) => id.startsWith(`${key}.`))?.id ??
    `${key}.${randomBytes(4).toString('hex')}`;
  const endpoint: Omit<SocketMcpEndpoint, 'socket'> = {
    name: agent.identity.id,
    token,
    scheme,
    serverInfo: { name: 'tandem', version },
    sessionIdOf(headers) {
      const { data } = clientHeaders.safeParse(headers);
      return data && idOf(`${data['x-copilot-session-id']}.${data['x-copilot-pid']}`);
    },
    onSession(connection) {
      const known = sessions.connectionOf(connection.id);
      const client = known ?? new CopilotClient(connection.id, services);
      const handler = client.connect(connection);
      if (known === undefined) {
        sessions.open(connection, client);
        const pid = Number(connection.id.split('.')[1]);
        if (pid > 0) sessions.describe(connection.id, { pid });
      }
      return handler;
    },
  };
  const paths = socketPathsOf(machine, listener.port);
  let url = paths[0] ?? '';
  let problem: string | undefined;
  try {
    const at = await firstUsable(paths, async (socket) => {
      const added = owned.add(await listener.addSocketEndpoint({ ...endpoint, socket }));
      url = socket;
      return added;
    });
    await at.resume(before?.sessions ?? []);
  } catch (error) {
    problem = describeError(error);
    host.logger.warn('Copilot CLI cannot be served', { error: problem });
  }
  const running = sessions.running(host, { url, token });
  return {
    ...running,
    problem: () => problem,
    discovery: () => (problem === undefined ? running.discovery() : []),
    mention: mentionIn(sessions),
    hooks,
    prompt: {
      whenTaken: async (review) => hooks.isWaitingFor(review),
      hooks: { areUsed: true, ...hooks },
    },
    stop() {
      hooks.dispose();
      for (const client of sessions.connections) client.end('stopped');
      owned.dispose();
      sessions.dispose();
    },
  };
}

/**
 * Calls `claim` with one path after the other while it rejects because the folder cannot be used: another user may have
 * occupied it. Rejects with the first reason.
 */
async function firstUsable<Claimed>(
  paths: readonly Path[],
  claim: (path: Path) => Promise<Claimed>,
): Promise<Claimed> {
  let reason: unknown = new Error('There is no folder for it.');
  for (const [at, path] of paths.entries()) {
    try {
      return await claim(path);
    } catch (error) {
      if (at === 0) reason = error;
      // A program that owns the socket itself keeps it.
      if (!(error instanceof DiscoveryError) || error.path !== dirname(path)) throw error;
    }
  }
  throw reason;
}
