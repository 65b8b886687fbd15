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
import type { AgentDiagnosis } from './agentDiagnosis.js';

/** One agent CLI's IDE protocol. Holds no state; `start` makes a running one. */
export interface AgentProtocol {
  readonly identity: AgentIdentity;
  /** What a person calls the agent, such as `Gemini CLI`. */
  readonly displayName: string;
  /** How its CLI looks for a companion. */
  readonly diagnosis: AgentDiagnosis;
  /**
   * Starts serving on the host's listener. Resolves when a client that connects would find the present context. The
   * caller owns what it returns and calls `stop`.
   */
  start(host: ProtocolHost): Promise<RunningProtocol>;
}

/** All that a protocol may use. It creates none of it and disposes none of it. */
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
  /** The version of Tandem, told to clients. */
  readonly version: string;
  /** What this agent had of a companion that this one follows on the same port. */
  readonly before?: AgentBefore;
}

/** What one agent had of a companion that ended in order. */
export interface AgentBefore {
  /** Clients that come back present it. */
  readonly token: string;
  readonly sessions: readonly ResumedSession[];
  /** What was pending, in the order in which it was proposed. */
  readonly proposals: readonly Pick<Proposal, 'session' | 'path' | 'content'>[];
}

/** Reading the workspace's files. */
export interface HostFiles {
  /** Rejects with a message an agent may read when the path is a folder or cannot be read. */
  read(path: Path): Promise<FileContent>;
  /** Whether a regular file lies at the path. Never rejects. */
  isOnDisk(path: Path): Promise<boolean>;
}

/** Where the CLIs look for discovery files. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: Path;
  readonly tmpdir: Path;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether we run inside a container. */
  readonly isContainer?: boolean;
}

/** A protocol that serves its agent. */
export interface RunningProtocol {
  readonly identity: AgentIdentity;
  readonly displayName: string;
  /** Where clients connect. */
  readonly url: string;
  /** The secret they present. Goes into discovery files and to the person who asks for it, never into a log. */
  readonly token: string;
  /** What a terminal outside the editor must export to connect. */
  environment(): Readonly<Record<string, string>>;
  /** The files by which the CLI finds us, as they should stand now. */
  discovery(): readonly DiscoveryEntry[];
  /** Those that are connected, the oldest first. */
  sessions(): readonly AgentSession[];
  readonly onDidOpenSession: Event<AgentSession>;
  readonly onDidCloseSession: Event<AgentSession>;
  /** The client of the session with this id is there: one that was taken over may have been gone until now. */
  readonly onDidOpenStream: Event<string>;
  /**
   * Tells every connected agent of this kind that the person points at a file, if the protocol knows how.
   * `lines` are 0-based and inclusive. Resolves to how many sessions were told.
   */
  mention?(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<number>;
  /** Stops serving and ends the sessions. Discovery files are the companion's to remove. */
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
  /** The agent's process, where its protocol tells. */
  readonly pid?: number;
  /** Its stream has closed while we served it: the agent has ended, or opens another one in a moment. */
  readonly isAway?: boolean;
}
