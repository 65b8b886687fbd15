import type {
  AgentIdentity,
  Clock,
  ContextFeed,
  Editor,
  Event,
  FileContent,
  Logger,
  Path,
  Proposal,
  Reviews,
  SharingPolicy,
} from '@tandem/core';
import type { LoopbackListener, ResumedSession } from '@tandem/mcp';
import type { AgentDescriptor } from './agentDescriptor.js';
import type { AgentDiagnosis } from './agentDiagnosis.js';
import type { Machine } from './machine.js';

/** What is known of an agent's interface without running it. Cheap to import: what serves it is not among it. */
export interface AgentDefinition {
  readonly descriptor: AgentDescriptor;
  /** The agent as the sharing policy knows it: its id and its ignore files. */
  readonly identity: AgentIdentity;
  readonly discovery: AgentDiscovery;
  /** How its CLI looks for a companion. */
  readonly diagnosis: AgentDiagnosis;
}

/** An agent and how to serve it. Holds no state. */
export interface AgentProtocol extends AgentDefinition {
  /**
   * Starts serving on the host's listener. Resolves when a client that connects would find the present context. The
   * caller owns the result and calls `stop`.
   */
  start(host: ProtocolHost): Promise<RunningProtocol>;
}

/** How its CLI finds a companion, as data: the companion writes and removes the files. */
export interface AgentDiscovery {
  /** The discovery files, for the folders that are open now. */
  files(served: Served): readonly DiscoveryEntry[];
  /** The variables that a terminal outside the editor exports to connect. */
  environment(served: Served): Readonly<Record<string, string>>;
}

/** What discovery files announce. */
export interface Served {
  readonly editor: Pick<Editor, 'info' | 'workspace'>;
  readonly machine: Machine;
  readonly port: number;
  readonly token: string;
}

/** All that a protocol may use. It creates and disposes none of it. */
export interface ProtocolHost {
  readonly listener: LoopbackListener;
  readonly editor: Editor;
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly reviews: Reviews;
  readonly files: HostFiles;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The version of Tandem that clients receive. */
  readonly version: string;
  /** What this agent had in a companion that this one follows on the same port. */
  readonly before?: AgentBefore;
}

/** What one agent had in a companion that has ended. */
export interface AgentBefore {
  /** Clients that reconnect present it. */
  readonly token: string;
  readonly sessions: readonly ResumedSession[];
  /** What was pending, in the order in which it was proposed. */
  readonly proposals: readonly Pick<Proposal, 'session' | 'path' | 'content'>[];
}

/** Reads the workspace's files. */
export interface HostFiles {
  /** Rejects with a message that an agent may read when the path is a folder or cannot be read. */
  read(path: Path): Promise<FileContent>;
  /** Whether the path is a regular file. Never rejects. */
  isOnDisk(path: Path): Promise<boolean>;
}

/** A protocol that serves its agent. */
export interface RunningProtocol {
  readonly identity: AgentIdentity;
  readonly displayName: string;
  /** Where clients connect. */
  readonly url: string;
  /** The secret that clients present. It is in discovery files and shown to a user who asks for it, never in a log. */
  readonly token: string;
  /** What a terminal outside the editor must export to connect. */
  environment(): Readonly<Record<string, string>>;
  /** The files by which the CLI finds us, with their present content. */
  discovery(): readonly DiscoveryEntry[];
  /** Those that are connected, the oldest first. */
  sessions(): readonly AgentSession[];
  readonly onDidOpenSession: Event<AgentSession>;
  readonly onDidCloseSession: Event<AgentSession>;
  /** Fires with the id of a session whose client can be notified from now on. One that was taken over may connect late. */
  readonly onDidOpenStream: Event<string>;
  /**
   * Mentions a file to every connected agent of this kind, if the protocol knows how. `lines` are 0-based and inclusive.
   * Resolves to the number of sessions that were notified.
   */
  mention?(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<number>;
  /** Stops serving and ends the sessions. The companion removes the discovery files. */
  stop(): void;
}

/** One file by which a CLI finds the companion. */
export interface DiscoveryEntry {
  readonly folder: Path;
  /** Whether the folder exists for this purpose alone, and is then made ours and closed to others. */
  readonly isOwnFolder: boolean;
  readonly name: string;
  /** Matches the names that this entry may have had in other runs, for the sweep of stale ones. */
  readonly namePattern: RegExp;
  readonly content: Readonly<Record<string, unknown>>;
}

/** One agent process that is connected. */
export interface AgentSession {
  readonly id: string;
  /** Identifier of the agent, such as `gemini`. */
  readonly agent: string;
  readonly client: { readonly name: string; readonly version: string };
  /** The version of MCP that was negotiated. */
  readonly protocolVersion: string;
  /** Unix time in milliseconds. */
  readonly connectedAt: number;
  /** The agent's process, where its protocol reports it. */
  readonly pid?: number;
  /** Its stream has closed while we served it: the agent has ended, or opens another one in a moment. */
  readonly isAway?: boolean;
}
