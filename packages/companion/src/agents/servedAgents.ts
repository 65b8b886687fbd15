import {
  type AgentSession,
  type DiscoveryEntry,
  type HookAnswer,
  type HookCall,
  hookPath,
  hookProof,
  hookVariables,
  type ProtocolHost,
  type RunningProtocol,
} from '@tandem/agents';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
  type SharingPolicy,
} from '@tandem/core';
import { createToken, isProbing, type LoopbackListener, type Recorder } from '@tandem/mcp';
import type { HookMode, HookState } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import type { CompanionEvent } from '../control/companionEvent.js';
import type { AgentConnection, CompanionStatus } from '../control/controlContract.js';
import { portVariable } from '../control/findCompanions.js';
import type { WorkspaceFiles } from '../files/workspaceFiles.js';
import type { JournalContents } from '../journal/journalContents.js';
import { type AgentId, agentIds, agentProtocols, descriptorOf, isAgentId, ownerOfToken } from './agents.js';

/**
 * How long agents of the previous companion have to reconnect, in milliseconds. Sessions that were taken over are kept
 * for 20 s; an agent that is not back by then does not reconnect by itself.
 */
export const reconnectLimitMs = 21_000;

/** Agents of one kind that have not reconnected. */
export interface LostAgent {
  readonly agent: string;
  readonly displayName: string;
  readonly count: number;
  /** What the user types in the agent to connect it. */
  readonly connect: string;
}

interface Services {
  readonly files: WorkspaceFiles;
  readonly policy: SharingPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly report: (event: CompanionEvent) => void;
  /** For each entry its file, and why it could not be written. Empty until the files are written. */
  readonly discoveryFiles: (entries: readonly DiscoveryEntry[]) => readonly DiscoveryFileState[];
}

interface DiscoveryFileState {
  readonly file: Path;
  readonly problem?: string;
}

/** The agents that a companion serves, and those that it lost in a restart. The creator disposes it. */
export class ServedAgents implements Disposable {
  /** An agent sent a message. */
  readonly onDidReceive: Event<void>;

  readonly #services: Services;
  readonly #owned = new DisposableStore();
  readonly #didReceive: Emitter<void>;
  readonly #protocols: RunningProtocol[] = [];
  /** When each session sent its last message, in Unix milliseconds. */
  readonly #lastMessages = new Map<string, number>();
  /** For each agent the sessions that have not reconnected. */
  readonly #missing = new Map<string, Set<string>>();
  /** Sessions that are already counted, because a stream may open many times. */
  readonly #counted = new Set<string>();
  /** For agents by their tokens, when one disconnected last, in Unix milliseconds. */
  readonly #disconnected = new Map<string, number>();
  #port = 0;
  #hookToken = '';
  #isOverdue = false;

  constructor(services: Services) {
    this.#services = services;
    this.#didReceive = this.#owned.add(new Emitter(logListenerError(services.logger, 'messages')));
    this.onDidReceive = this.#didReceive.event;
  }

  /** Serves an agent. Resolves to its token, if it has one of its own. */
  async start(id: AgentId, host: ProtocolHost): Promise<string | undefined> {
    const { report } = this.#services;
    this.#port = host.listener.port;
    // An agent of the previous companion may return later than the end of this one.
    if (host.before !== undefined) this.#disconnected.set(id, this.#services.clock.now());
    const running = await agentProtocols[id].start(host);
    this.#protocols.push(running);
    const reportOpen = ({ id: session, client }: AgentSession): void =>
      report({ event: 'session.connected', agent: id, session, client: { ...client } });
    this.#owned.add(running.onDidOpenSession(reportOpen));
    this.#owned.add(
      running.onDidCloseSession(({ id: session, client }) => {
        this.#lastMessages.delete(session);
        this.#disconnected.set(ownerOfToken(id), this.#services.clock.now());
        report({ event: 'session.closed', agent: id, session, client: { ...client } });
      }),
    );
    // Sessions that were taken over opened before this listener was added.
    running.sessions().forEach(reportOpen);
    return running.token;
  }

  /** Answers the hooks of all agents. `token`: that of the previous companion on the same port, for hooks that wait. */
  serveHooks(listener: LoopbackListener, token = createToken(32)): void {
    this.#hookToken = token;
    const answer = async (request: unknown, call: HookCall): Promise<HookAnswer> => {
      const { hookRequest } = await import('./hookRequest.js');
      const { agent, ...start } = hookRequest.parse(request);
      const protocol = this.#protocols.find(({ identity }) => identity.id === agent);
      const answer = (await protocol?.hooks?.answer(start, call)) ?? {};
      // Views show which sessions have hooks.
      this.#didReceive.fire();
      return answer;
    };
    const prove = (nonce: string): string => hookProof({ port: listener.port, token }, nonce);
    this.#owned.add(listener.addCallEndpoint({ path: hookPath, token, answer, prove }));
  }

  /** The token of the hooks. It permits calls of hooks and nothing else. */
  get hookToken(): string {
    return this.#hookToken;
  }

  /** Which edits of a session wait for the user; undefined if its agent has no hooks. */
  hookStateOf(session: AgentSession): HookState | undefined {
    const protocol = this.#protocolOf(session);
    return protocol && hookState(protocol, session).hooks;
  }

  /**
   * Changes which edits wait for the user, in the session that the beginning of its id names, otherwise in all. Throws `RpcError` if no
   * such session has hooks.
   */
  setHooks(id: string | undefined, mode: HookMode): void {
    const meant = this.sessions.filter((session) => session.id.startsWith(id ?? ''));
    const hooked = meant.filter((session) => (this.hookStateOf(session) ?? 'none') !== 'none');
    if (hooked.length === 0) {
      throw new RpcError('refused', 'No such agent has hooks. Start it with "run", or add its hooks, first.');
    }
    for (const session of hooked) this.#protocolOf(session)?.hooks?.setMode(session, mode);
    this.#didReceive.fire();
  }

  /** What `setHooks` has changed, for `restoreHooks` of the next companion. */
  get hookModes(): NonNullable<JournalContents['hookModes']> {
    return this.#protocols.flatMap(({ identity, hooks }) =>
      (hooks?.chosenModes() ?? []).map((chosen) => ({ agent: identity.id, ...chosen })),
    );
  }

  /** Takes over what the user chose in the previous companion. */
  restoreHooks(chosen: JournalContents['hookModes'] = []): void {
    for (const { identity, hooks } of this.#protocols)
      hooks?.restoreModes(chosen.filter(({ agent }) => agent === identity.id));
  }

  /**
   * Expects these sessions of the previous companion to reconnect: over HTTP in the session that was taken over, over a
   * WebSocket in a new one. Reports once which do not, because then only the user can connect them, and when they
   * return later.
   */
  expect(sessions: JournalContents['sessions']): void {
    // No agent can have sent a message yet: what was recorded is what the protocols replayed.
    this.#lastMessages.clear();
    if (sessions.length === 0) return;
    for (const protocol of this.#protocols) {
      const { id } = protocol.identity; // Do not expect a session that was already disconnected, or an agent that polls.
      const hasNone = isAgentId(id) && descriptorOf(id).polls === true;
      const expected = sessions.filter(({ agent, isAway }) => agent === id && !isAway && !hasNone);
      this.#missing.set(id, new Set(expected.map((session) => session.id)));
      this.#owned.add(protocol.onDidOpenStream((session) => this.#reconnected(protocol, session)));
    }
    for (const { id, isAway } of sessions) if (isAway) this.#counted.add(id);
    this.#owned.add(
      this.#services.clock.setTimeout(() => {
        this.#isOverdue = true;
        for (const lost of this.lost) this.#services.report({ event: 'session.lost', ...lost });
      }, reconnectLimitMs),
    );
  }

  /** A recorder that notes when agents send a message, except the doctor, and passes everything on. */
  recorder(next: Recorder): Recorder {
    return {
      record: (entry) => {
        if (entry.direction === 'in' && !isProbing(entry.message)) {
          this.#lastMessages.set(entry.session, this.#services.clock.now());
          this.#didReceive.fire();
        }
        next.record(entry);
      },
    };
  }

  /** For agents by their tokens, when one disconnected last, in Unix milliseconds. */
  get disconnected(): ReadonlyMap<string, number> {
    return this.#disconnected;
  }

  get protocols(): readonly RunningProtocol[] {
    return this.#protocols;
  }

  /** Every agent that is connected, those of one kind together and the oldest first. */
  get sessions(): readonly AgentSession[] {
    return this.#protocols.flatMap((protocol) => this.#sessionsOf(protocol));
  }

  /** Agents of the previous companion that did not reconnect in time and have not returned since. */
  get lost(): readonly LostAgent[] {
    if (!this.#isOverdue) return [];
    return this.#protocols.flatMap(({ identity, displayName }) => {
      const count = this.#missing.get(identity.id)?.size ?? 0;
      const id = agentIds.find((each) => each === identity.id); // An agent without `connect` reconnects by itself; if it has not, it has ended.
      const connect = id && descriptorOf(id).connect;
      if (count === 0 || id === undefined || connect === undefined) return [];
      return [{ agent: id, displayName, count, connect }];
    });
  }

  /** The names of the agents that are connected and take mentions. */
  get connectedWithMentions(): readonly string[] {
    return this.#protocols
      .filter((protocol) => protocol.mention !== undefined && protocol.sessions().length > 0)
      .map(({ displayName }) => displayName);
  }

  /** When the agent of a session sent its last message, in Unix milliseconds. */
  lastMessageAt(session: string): number | undefined {
    return this.#lastMessages.get(session);
  }

  /** Every agent that is served, and its sessions. No tokens. Cheap, also while large reviews are pending. */
  status(): CompanionStatus['agents'] {
    const { lost } = this;
    return this.#protocols.map((protocol) => {
      const { id } = protocol.identity;
      const missing = lost.find(({ agent }) => agent === id);
      return {
        id,
        displayName: protocol.displayName,
        url: protocol.url,
        takesMentions: protocol.mention !== undefined,
        ...(missing && { lost: { count: missing.count, connect: missing.connect } }),
        ...(isAgentId(id) && { polls: descriptorOf(id).polls === true }),
        discovery: [...this.#services.discoveryFiles(protocol.discovery()), ...problemOf(protocol)],
        sessions: this.#sessionsOf(protocol).map(({ agent: _agent, ...session }) => {
          const lastMessageAt = this.lastMessageAt(session.id);
          const client = nameClient(session.client, protocol.displayName);
          return {
            ...session,
            client,
            ...hookState(protocol, session),
            ...(lastMessageAt !== undefined && { lastMessageAt }),
          };
        }),
      };
    });
  }

  /** The variables with which agents and commands in a terminal of the editor find this companion and no other. Hold tokens. */
  environment(): Record<string, string> {
    return Object.assign({}, ...this.connections().map(({ env }) => env));
  }

  /** How each agent connects. Holds tokens. */
  connections(): AgentConnection[] {
    return this.#protocols.map((protocol) => {
      const files = this.#services.discoveryFiles(protocol.discovery());
      const { id } = protocol.identity;
      // With a token in a variable, an agent needs no file.
      const needed = isAgentId(id) && agentProtocols[id].diagnosis.variables?.token ? [] : files.slice(0, 1);
      const problem = [...needed, ...problemOf(protocol)].find((file) => file.problem)?.problem;
      return {
        id,
        displayName: protocol.displayName,
        url: protocol.url,
        ...(protocol.token !== undefined && { token: protocol.token }),
        discovery: files.filter((file) => file.problem === undefined).map(({ file }) => file),
        ...(problem !== undefined && { problem }),
        ...(protocol.hooks && { hooks: this.#hookVariables(protocol) }),
        env: {
          ...protocol.environment(files[0]?.problem === undefined),
          [portVariable]: String(this.#port),
        },
      };
    });
  }

  /** The variables with which the hooks of an agent reach this companion. */
  #hookVariables({ identity }: RunningProtocol): Record<string, string> {
    return {
      [hookVariables.agent]: identity.id,
      [hookVariables.port]: String(this.#port),
      [hookVariables.token]: this.#hookToken,
      [hookVariables.proves]: '1',
    };
  }

  /** The files by which the agents find this companion. */
  discovery(): DiscoveryEntry[] {
    return this.#protocols.flatMap((protocol) => protocol.discovery());
  }

  /**
   * Mentions a file to every agent that takes mentions. `lines` are 0-based and inclusive. Resolves to the number of
   * sessions that received it. Rejects with `RpcError` when it is not a file, or is hidden from all that could
   * receive it.
   */
  async mention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<number> {
    const { files, policy } = this.#services;
    if (!(await files.isOnDisk(path))) {
      throw new RpcError('refused', `${path} does not exist or is not a file.`);
    }
    let received = 0;
    let reason: string | undefined;
    for (const protocol of this.#protocols) {
      if (protocol.mention === undefined) continue;
      const verdict = await policy.verdict(protocol.identity, path);
      if (verdict.isShared) received += await protocol.mention(path, lines);
      else reason = verdict.reason;
    }
    if (received === 0 && reason !== undefined) {
      throw new RpcError('refused', `Tandem does not share ${path}: ${reason}.`);
    }
    return received;
  }

  dispose(): void {
    for (const protocol of this.#protocols) protocol.stop();
    this.#owned.dispose();
  }

  #protocolOf({ agent }: AgentSession): RunningProtocol | undefined {
    return this.#protocols.find(({ identity }) => identity.id === agent);
  }

  /** A session of the previous companion is away until its client reconnects. */
  #sessionsOf(protocol: RunningProtocol): readonly AgentSession[] {
    const missing = this.#missing.get(protocol.identity.id);
    return protocol
      .sessions()
      .map((session) => (missing?.has(session.id) ? { ...session, isAway: true } : session));
  }

  /** An unexpected session replaces a missing one, because its agent has restarted. */
  #reconnected({ identity: { id: agent }, displayName }: RunningProtocol, session: string): void {
    const missing = this.#missing.get(agent);
    const [any] = missing ?? [];
    if (missing === undefined || any === undefined || this.#counted.has(session)) return;
    this.#counted.add(session);
    if (!missing.delete(session)) missing.delete(any);
    if (!this.#isOverdue) return;
    this.#services.report({ event: 'session.returned', agent, displayName, count: missing.size });
  }
}

/** Whether the hooks of a session have called. Absent if its agent has none. */
function hookState(
  { hooks }: RunningProtocol,
  session: Pick<AgentSession, 'id' | 'pid'>,
): { readonly hooks?: HookState } {
  return hooks === undefined ? {} : { hooks: hooks.modeOf(session) ?? 'none' };
}

/** Why clients that do not use the listener cannot connect. */
function problemOf({ displayName, url, problem }: RunningProtocol): DiscoveryFileState[] {
  const reason = problem?.();
  return reason === undefined ? [] : [{ file: url, problem: `${displayName} cannot be served: ${reason}` }];
}

/** The client name of Gemini CLI and Qwen Code: that of their library, with a version of its own in Qwen Code. */
const libraryClient = 'streamable-http-client';
const libraryVersion = '1.0.0';

/** What a user sees of a client: the agent, if the client does not name it. */
function nameClient({ name, version }: AgentSession['client'], displayName: string): AgentSession['client'] {
  if (name !== libraryClient) return { name, version };
  return { name: displayName, version: version === libraryVersion ? '' : version };
}
