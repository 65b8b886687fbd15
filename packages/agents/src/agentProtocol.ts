import type { AgentIdentity, Clock, ContextFeed, Event, Logger, Path, SharingPolicy } from '@tandem/core';
import type { LoopbackListener, Recorder, ResumedSession, SweepOptions } from '@tandem/mcp';
import type { Editor, FileContent, Pause, Proposal, Review, Reviews } from '@tandem/reviews';
import type { AgentDescriptor } from './agentDescriptor.js';
import type { AgentDiagnosis } from './agentDiagnosis.js';
import type { AgentHooks } from './hooks/agentHooks.js';
import type { HeldRejection, ServedHooks } from './hooks/servedHooks.js';
import type { Machine } from './machine.js';

/**
 * The static part of an agent's interface. Cheap to import, because it does not import the code that serves the agent.
 */
export interface AgentDefinition {
  readonly descriptor: AgentDescriptor;
  /** The agent's identity for the sharing policy: its id and its ignore files. */
  readonly identity: AgentIdentity;
  readonly discovery: AgentDiscovery;
  /** How its CLI looks for a companion. */
  readonly diagnosis: AgentDiagnosis;
  /** Loads what Tandem does with the hooks of its CLI. Present if these can hold an edit until the user has decided. */
  readonly hooks?: () => Promise<AgentHooks>;
  /** Where its CLI reads hooks for good: settings of the user in JSON, or a file of ours. Present if `hooks` is. */
  hookFile?(machine: Machine): Path;
}

/** An agent and how to serve it. Holds no state. */
export interface AgentProtocol extends AgentDefinition {
  /**
   * Starts serving on the host's listener. Resolves when a connecting client would receive the current context. The
   * caller owns the result and calls `stop`.
   */
  start(host: ProtocolHost): Promise<RunningProtocol>;
}

/** How its CLI finds a companion, as data. The companion writes and removes the files. */
export interface AgentDiscovery {
  /** The discovery files for the currently open folders. */
  files(served: Served): readonly DiscoveryEntry[];
  /**
   * The variables with which a terminal outside the editor connects. `isAnnounced`: whether the first discovery file could
   * be written.
   */
  environment(served: Served & { readonly isAnnounced: boolean }): Readonly<Record<string, string>>;
}

/** The content that discovery files announce. */
export interface Served {
  readonly editor: Pick<Editor, 'info' | 'workspace'>;
  readonly machine: Machine;
  readonly port: number;
  readonly token: string;
  /** Where clients connect: a URL, or the path of a socket. */
  readonly url: string;
  /** Folders inside the workspace in which agents are started, for a CLI that looks for exactly its own folder. */
  readonly startFolders?: readonly Path[];
}

/** Everything that a protocol may use. The protocol neither creates nor disposes it. */
export interface ProtocolHost {
  readonly listener: LoopbackListener;
  /** Records messages that do not pass through the listener. */
  readonly recorder: Recorder;
  readonly editor: Editor;
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly reviews: Reviews;
  readonly files: HostFiles;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Records an edit that an agent wrote without a review. */
  recordWritten?(edit: WrittenEdit): Promise<void>;
  /** Receives what agents do besides edits, by which the changes of files are attributed. */
  readonly work?: AgentWork;
  /** The pauses of one task that takes long with many sessions. */
  pausing(): Pause;
  /** See `Served.startFolders`. They change during the run. */
  startFolders?(): readonly Path[];
  /** When the user worked in the editor last, in Unix milliseconds: of several companions, an agent uses the latest. */
  usedAt?(): number;
  /** The version of Tandem that clients receive. */
  readonly version: string;
  /** This agent's state in the predecessor on the same port. */
  readonly before?: AgentBefore;
}

/** The state of one agent in a companion that has ended. */
export interface AgentBefore {
  /** Reconnecting clients present it. */
  readonly token: string;
  readonly sessions: readonly ResumedSession[];
  /** The pending proposals, in the order in which they were made. */
  readonly proposals: readonly Pick<Proposal, 'session' | 'path' | 'content'>[];
}

/** What an agent wrote to a file without a review. */
export interface WrittenEdit {
  readonly agent: string;
  readonly session: string;
  readonly path: Path;
  readonly before: FileContent;
  readonly after: FileContent;
  /** The agent's name of the tool. */
  readonly title: string;
}

/** What hooks report of the work of sessions. `session`: our id. None of the methods rejects. */
export interface AgentWork {
  /** The user sent a prompt, or the session goes on with the work of the last one. */
  turnBegan(session: WorkingSession, turn: BegunTurn): void;
  turnEnded(session: string): void;
  /** A command is about to run. Resolves when the files before it are known, or after a short while. `id` names it in its session. */
  commandBegan(session: WorkingSession, id: string, command: string): Promise<void>;
  /** It has ended. Resolves when its changes are recorded, or after a short while. */
  commandEnded(session: string, id: string): Promise<void>;
}

/** How a turn began. */
export interface BegunTurn {
  /** What the user wrote, if the hook reports it. */
  readonly prompt: string | undefined;
  /** Whether the agent goes on by itself: it is no turn of its own. */
  readonly isContinued: boolean;
}

/** A session of an agent. */
export interface WorkingSession {
  readonly agent: string;
  readonly session: string;
}

/** Reads the workspace's files. */
export interface HostFiles {
  /** If the path is a folder or cannot be read, rejects with a message that is safe for the agent. */
  read(path: Path): Promise<FileContent>;
  /** Whether the path is a regular file. Never rejects. */
  isOnDisk(path: Path): Promise<boolean>;
}

/** A protocol that serves its agent. */
export interface RunningProtocol {
  readonly identity: AgentIdentity;
  readonly displayName: string;
  /** Where clients connect: a URL, or the path of a socket. */
  readonly url: string;
  /**
   * The secret that clients present. It is written to discovery files and shown to the user on request, but never
   * logged. Absent if the protocol has none of its own.
   */
  readonly token?: string;
  /** Why clients cannot connect, and what to do, if they cannot. For a protocol that does not use the host's listener. */
  problem?(): string | undefined;
  /**
   * The variables that a terminal outside the editor must export to connect. `isAnnounced`, by default true: whether the
   * first discovery file could be written.
   */
  environment(isAnnounced?: boolean): Readonly<Record<string, string>>;
  /** The discovery files of the CLI, with their current content. */
  discovery(): readonly DiscoveryEntry[];
  /** The connected sessions, the oldest first. */
  sessions(): readonly AgentSession[];
  readonly onDidOpenSession: Event<AgentSession>;
  readonly onDidCloseSession: Event<AgentSession>;
  /**
   * Fires with the id of a session when its client can first be notified. The client of a resumed session may reconnect
   * late.
   */
  readonly onDidOpenStream: Event<string>;
  /**
   * Mentions a file to every connected agent of this kind, if the protocol supports it. `lines` are 0-based and
   * inclusive. Resolves to the number of sessions that were notified.
   */
  mention?(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<number>;
  /** How text of the user reaches it; absent if there is no safe way. */
  readonly prompt?: PromptAccess;
  /** Answers its hooks, if it has some. */
  readonly hooks?: ServedHooks;
  /** Stops serving and ends the sessions. The companion removes the discovery files. */
  stop(): void;
}

/**
 * How a text of the user reaches an agent, never submitted. Text that arrives at the wrong moment could answer a question of
 * the agent, so `whenTaken` is part of the way.
 */
export interface PromptAccess {
  /**
   * Call it before the decision. Resolves to whether the agent has taken the decision on this review and its prompt is back.
   */
  whenTaken(review: Review): Promise<boolean>;
  /** Puts a reference to a file of the companion into the prompt of one session. Resolves to whether it was sent. */
  refer?(session: string, file: Path): Promise<boolean>;
  /** Its hooks that wait for a decision. */
  readonly hooks?: PermissionHooks;
}

/** The hooks of an agent that wait. */
export interface PermissionHooks {
  /** Whether one has ever waited. */
  readonly areUsed: boolean;
  /**
   * Call it before the rejection. Undefined if no program waits for this review. Otherwise the agent learns of the
   * rejection by `deny`, or when the result is disposed.
   */
  hold(review: Review): HeldRejection | undefined;
  /** See `ServedHooks.leave`. */
  leave?(session: string, text: string): boolean;
}

/** One file by which a CLI finds the companion. */
export interface DiscoveryEntry {
  readonly folder: Path;
  /** Whether the folder exists only for this purpose. It is then made private. */
  readonly isOwnFolder: boolean;
  readonly name: string;
  /** Matches the names of this entry in other runs, to remove stale files. */
  readonly namePattern: RegExp;
  /** How such a file names its companion, if not by a port and `authToken`. */
  readonly credentials?: SweepOptions['credentials'];
  readonly content: Readonly<Record<string, unknown>>;
  /** Of several files that match, the agent takes the newest. */
  readonly isChosenByTime?: boolean;
}

/** One connected agent process. */
export interface AgentSession {
  readonly id: string;
  /** Identifier of the agent, such as `gemini`. */
  readonly agent: string;
  readonly client: { readonly name: string; readonly version: string };
  /** The negotiated version of MCP. */
  readonly protocolVersion: string;
  /** Unix time in milliseconds. */
  readonly connectedAt: number;
  /** The agent's process, if its protocol reports it. */
  readonly pid?: number;
  /** What the agent calls its conversation, if it does. Bounded, but text from outside. */
  readonly title?: string;
  /** Its stream has closed while we served it: the agent has ended, or will open another stream soon. */
  readonly isAway?: boolean;
  /** It is known only by its hooks, and has no connection that could return. */
  readonly isHooked?: boolean;
}
