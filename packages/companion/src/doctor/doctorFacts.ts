import type {
  AgentDescriptor,
  AgentDiagnosis,
  AgentSettings,
  Announcement,
  Choice,
  DiscoveryPlace,
  Machine,
} from '@tandem/agents';
import type { Path } from '@tandem/core';
import type { ProbeResult } from '@tandem/mcp';
import type { CompanionStatus } from '../control/controlContract.js';
import type { RefusedFileReason } from '../refusedFileError.js';

/** All that the rules know. Gathered once; the rules read nothing themselves. Holds tokens: it goes nowhere. */
export interface DoctorFacts {
  readonly machine: Machine;
  /** How a person types the command. */
  readonly command: string;
  /** The current folder as the file system knows it. */
  readonly folder: Path;
  readonly isWsl: boolean;
  /** The version of Node.js on the PATH. */
  readonly node: string | undefined;
  readonly companions: readonly CompanionFacts[];
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
  /** Undefined when it does not say, or says it as another version of Tandem does. */
  readonly status: CompanionStatus | undefined;
}

export interface AgentFacts {
  readonly id: string;
  readonly displayName: string;
  readonly descriptor: AgentDescriptor;
  readonly diagnosis: AgentDiagnosis;
  readonly program: ProgramFacts | undefined;
  readonly settings: AgentSettings;
  /** Settings files that are not read, because of what they are. */
  readonly refusedSettings: readonly RefusedSettings[];
  readonly isUsed: boolean;
  readonly choice: Choice;
}

export interface RefusedSettings {
  readonly path: Path;
  readonly reason: RefusedFileReason;
  readonly why: string;
}

export interface ProgramFacts {
  readonly path: Path;
  /** Undefined when it did not say. */
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
  /** Undefined when it is another user's or holds nothing that could be understood. */
  readonly announced:
    | {
        readonly announcement: Announcement;
        readonly realFolders: readonly Path[];
        readonly isPidAlive: boolean;
        /** Whether it was written by one of ours, and whether that process lives. */
        readonly writer: { readonly pid: number; readonly isAlive: boolean } | undefined;
        readonly probe: ProbeResult;
      }
    | undefined;
  /** It may have been written on the other side of a container's wall, where processes and ports are others. */
  readonly isMounted: boolean;
}

/** Whether nobody can be behind a file: its process is dead, its port is silent, and it is this user's own. */
export function isDead(file: FileFacts): boolean {
  const { announced, isOwn, isMounted } = file;
  if (announced === undefined || !isOwn || isMounted) return false;
  const { announcement, isPidAlive, writer, probe } = announced;
  if (probe.kind !== 'silent' || announcement.isFromWindows) return false;
  // The pid that agents read can be an ancestor's that outlives the companion; that of our own mark cannot.
  return writer === undefined ? announcement.pid !== undefined && !isPidAlive : !writer.isAlive;
}

/** Whether somebody who might be a companion listens behind a file. */
export function isAnswering({ announced }: FileFacts): boolean {
  return announced !== undefined && announced.probe.kind !== 'silent';
}
