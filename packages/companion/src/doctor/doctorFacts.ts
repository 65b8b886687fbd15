import type {
  AgentDescriptor,
  AgentDiagnosis,
  AgentSettings,
  Announcement,
  Choice,
  DiscoveryPlace,
  HooksOff,
  Machine,
  SocketProbe,
} from '@tandem/agents';
import type { Path } from '@tandem/core';
import type { ProbeResult } from '@tandem/mcp';
import type { CompanionStatus } from '../control/controlContract.js';
import type { RefusedFileReason } from '../files/refusedFileError.js';

/** All input of the rules, gathered once; the rules read nothing themselves. Holds tokens: never output it. */
export interface DoctorFacts {
  readonly machine: Machine;
  /** How the user runs the command. */
  readonly command: string;
  /** The current folder as the file system resolves it. */
  readonly folder: Path;
  readonly isWsl: boolean;
  /** The version of Node.js on the PATH. */
  readonly node: string | undefined;
  readonly companions: readonly CompanionFacts[];
  /** The one that commands in this folder use; undefined if there is none. */
  readonly serving: CompanionFacts | undefined;
  readonly agents: readonly AgentFacts[];
  readonly folders: readonly FolderFacts[];
  /** Discovery files of all agents, and the files by which the command finds companions (agent `tandem`). */
  readonly files: readonly FileFacts[];
}

/** A companion of ours that answers the command. */
export interface CompanionFacts {
  readonly pid: number;
  readonly version: string;
  readonly editor: string;
  readonly folders: readonly Path[];
  readonly servesFolder: boolean;
  /** Undefined if it reports none, or reports one in the format of another version of Tandem. */
  readonly status: CompanionStatus | undefined;
}

export interface AgentFacts {
  readonly id: string;
  readonly displayName: string;
  readonly descriptor: AgentDescriptor;
  readonly diagnosis: AgentDiagnosis;
  readonly program: ProgramFacts | undefined;
  readonly settings: AgentSettings;
  /** Settings files that are not read because of their type. */
  readonly refusedSettings: readonly RefusedSettings[];
  /** The defaults of this machine, which the agent skips because others than root may change them, and the place where they may. */
  readonly skippedDefaults?: { readonly file: Path; readonly place: Path } | undefined;
  /** What the command of `tandem hook` in its settings starts, and no longer exists. */
  readonly missingHook?: Path;
  /** The file with a hook that an earlier version of Tandem has added. */
  readonly earlierHook?: Path;
  /** Hooks that were added for good are there. */
  readonly isHookInstalled: boolean;
  /** What turns its hooks off, and the settings that it reads. */
  readonly hooksOff?: HooksOff & { readonly files: readonly Path[] };
  readonly isUsed: boolean;
  readonly choice: Choice;
  /** The socket at which it looks for a companion, and who answers there. */
  readonly socket?: { readonly path: Path; readonly probe: SocketProbe };
}

export interface RefusedSettings {
  readonly path: Path;
  readonly reason: RefusedFileReason;
  readonly why: string;
}

export interface ProgramFacts {
  readonly path: Path;
  /** Undefined if it reported none. */
  readonly version: string | undefined;
}

/** A folder of discovery files that exists. */
export interface FolderFacts {
  readonly place: DiscoveryPlace;
  readonly agent: string;
  readonly isOwn: boolean;
  readonly isLink: boolean;
  /** Permission bits; undefined where the system has none. */
  readonly mode: number | undefined;
}

/** One file with the name of a discovery file. */
export interface FileFacts {
  readonly agent: string;
  readonly path: Path;
  readonly place: DiscoveryPlace;
  readonly isOwn: boolean;
  readonly mode: number | undefined;
  readonly modifiedAt: number;
  /** Undefined if the file belongs to another user or cannot be parsed. */
  readonly announced:
    | {
        readonly announcement: Announcement;
        readonly realFolders: readonly Path[];
        readonly isPidAlive: boolean;
        /** The mark of our own process if one wrote the file, and whether that process is alive. */
        readonly writer: { readonly pid: number; readonly isAlive: boolean } | undefined;
        readonly probe: ProbeResult;
      }
    | undefined;
  /** The file may come from outside the container, where processes and ports are different. */
  readonly isMounted: boolean;
}

/** Whether a file is certainly stale: its process is dead, its address is silent, and it belongs to this user. */
export function isDead(file: FileFacts): boolean {
  const { announced, isOwn, isMounted } = file;
  if (announced === undefined || !isOwn || isMounted) return false;
  const { announcement, isPidAlive, writer, probe } = announced;
  if (probe.kind !== 'silent' || announcement.isFromWindows) return false;
  // The pid for agents can be that of an ancestor that outlives the companion; the pid in our own mark cannot.
  return writer === undefined ? announcement.pid !== undefined && !isPidAlive : !writer.isAlive;
}

/** Whether an agent looks at a file: its own, or one of the agent through which it connects. */
export function isFor(file: FileFacts, { id, descriptor }: Pick<AgentFacts, 'id' | 'descriptor'>): boolean {
  return file.agent === id || file.agent === descriptor.connectsThrough;
}

/** Whether a process that may be a companion listens at the address in a file. */
export function isAnswering({ announced }: FileFacts): boolean {
  return announced !== undefined && announced.probe.kind !== 'silent';
}
