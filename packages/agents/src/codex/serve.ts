import { randomUUID } from 'node:crypto';
import { type Disposable, isWithin, type Path, pathParts, SharedContext } from '@tandem/core';
import * as z from 'zod';
import type { AgentDefinition, AgentSession, ProtocolHost, RunningProtocol } from '../agentProtocol.js';
import { AgentSessions } from '../agentSessions.js';
import type { ServedHooks } from '../hooks/servedHooks.js';
import { serveHooks } from '../hooks/serveHooks.js';
import { socketPath } from './discovery.js';
import { SharedSocket } from './sharedSocket.js';
import { encodeContext, maxOpenTabs, type Nearness, probeClient, type WireRequest } from './wire.js';

/** How long a CLI counts as connected after a question, in milliseconds. */
export const connectedMs = 5 * 60_000;
/** At most this many folders count as sessions. */
const maxSessions = 100;

/** Serves Codex CLI, which has no lasting connection but asks for the context before each prompt. */
export async function serveCodex(agent: AgentDefinition, host: ProtocolHost): Promise<RunningProtocol> {
  const { editor, feed, policy, machine, clock, logger, recorder } = host;
  const path = socketPath(machine);
  const askers = new Askers(agent, host);
  const context = new SharedContext({
    feed,
    policy,
    agent: agent.identity,
    maxFiles: maxOpenTabs,
    encode: (shared) => shared,
    // It is refreshed for each question instead.
    isFollowed: () => false,
    clock,
    logger,
  });

  async function nearnessOf(workspaceRoot: Path): Promise<Nearness | undefined> {
    const folders = editor.workspace.folders();
    // The CLI resolves the links of its own folder. A disk that does not answer must not keep other folders from theirs.
    const cache = policy.fileCache();
    const real = await Promise.all(folders.map((folder) => cache.realPath(folder).catch(() => folder)));
    const around = [...folders, ...real].filter((folder) => isWithin(folder, workspaceRoot));
    if (around.length === 0) return undefined;
    const folderDepth = Math.max(...around.map((folder) => pathParts(folder).length));
    return { folderDepth, usedAt: host.usedAt?.() ?? 0 };
  }

  async function answer(request: WireRequest, workspaceRoot: Path): Promise<object> {
    if (request.sourceClientId === probeClient) return { activeFile: null, openTabs: [], pid: process.pid };
    const session = askers.asked(workspaceRoot, request.sourceClientId ?? agent.identity.id);
    const { requestId: id, method, params } = request;
    const record = (direction: 'in' | 'out', message: object): void =>
      recorder.record({ endpoint: agent.identity.id, session, direction, message: { id, ...message } });
    record('in', { method, params });
    feed.flush();
    await context.refresh();
    const result = encodeContext(context.current, workspaceRoot);
    record('out', { result });
    return result;
  }

  const served = serveHooks(agent, host, askers.sessions);
  const hooks: ServedHooks = {
    ...served,
    answer(request, call) {
      const { data } = beginning.safeParse(request.input);
      if (data !== undefined) askers.hooked(request.pid, data.cwd);
      return served.answer(request, call);
    },
  };
  const socket = new SharedSocket({ path, provider: { nearnessOf, answer }, logger });
  await socket.join();
  const sessions = askers.sessions.running(host, { url: path });
  // It is known then what the session is.
  sessions.onDidOpenSession(() => queueMicrotask(() => askers.endReplaced()));
  return {
    ...sessions,
    problem: () => socket.problem,
    hooks,
    prompt: {
      whenTaken: async (review) => hooks.isWaitingFor(review),
      hooks: { areUsed: true, ...hooks },
    },
    stop() {
      hooks.dispose();
      socket.dispose();
      context.dispose();
      askers.dispose();
    },
  };
}

/** The events of hooks that have the folder in which the CLI asks: others have that of a command. */
const beginning = z.object({
  hook_event_name: z.enum(['SessionStart', 'UserPromptSubmit']),
  cwd: z.string(),
});

/** So many processes with hooks are remembered, the last ones. */
const maxProcesses = 100;

/**
 * The sessions: one for each folder in which a CLI asked in the last minutes, because CLIs send no id. Where a CLI has hooks, the
 * session of these.
 */
class Askers implements Disposable {
  readonly sessions: AgentSessions<Path>;
  readonly #clock: ProtocolHost['clock'];
  /** For each folder its session, the last one to ask last. */
  readonly #known = new Map<Path, { readonly id: string; readonly end: Disposable }>();
  /** The folders of the processes with hooks. */
  readonly #folders = new Map<number, Path>();

  constructor(agent: AgentDefinition, host: ProtocolHost) {
    this.sessions = new AgentSessions(agent, host);
    this.#clock = host.clock;
  }

  /** A process with hooks works in a folder. */
  hooked(pid: number, folder: Path): void {
    this.#folders.delete(pid);
    this.#folders.set(pid, folder);
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > maxProcesses && oldest !== undefined) this.#folders.delete(oldest);
  }

  /** The id of the session, which lasts a few minutes from now. */
  asked(folder: Path, name: string): string {
    const hooked = this.#hookedIn(folder);
    if (hooked !== undefined) return hooked.id;
    const known = this.#known.get(folder);
    const [oldest] = this.#known.keys();
    if (known === undefined && oldest !== undefined && this.#known.size >= maxSessions) this.#end(oldest);
    known?.end.dispose();
    this.#known.delete(folder);
    const id = known?.id ?? randomUUID();
    const end = this.#clock.setTimeout(() => this.#end(folder), connectedMs);
    this.#known.set(folder, { id, end });
    if (known === undefined)
      this.sessions.open({ id, client: { name, version: '' }, protocolVersion: '' }, folder);
    return id;
  }

  dispose(): void {
    for (const { end } of this.#known.values()) end.dispose();
    this.#known.clear();
    this.sessions.dispose();
  }

  #hookedIn(folder: Path): AgentSession | undefined {
    return this.sessions.sessions.find(
      ({ isHooked, pid }) => isHooked && pid !== undefined && this.#folders.get(pid) === folder,
    );
  }

  /** Ends the sessions in whose folders a CLI has a session of its hooks. */
  endReplaced(): void {
    for (const folder of [...this.#known.keys()]) if (this.#hookedIn(folder) !== undefined) this.#end(folder);
  }

  #end(folder: Path): void {
    const known = this.#known.get(folder);
    known?.end.dispose();
    this.#known.delete(folder);
    if (known !== undefined) this.sessions.close(known.id);
  }
}
