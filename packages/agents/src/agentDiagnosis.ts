import type { Path } from '@tandem/core';
import type { Machine } from './machine.js';

/**
 * How an agent's CLI looks for companions, to explain why it does not connect. All functions are pure: the caller reads the
 * files and probes the ports.
 */
export interface AgentDiagnosis {
  /** The oldest Node.js that runs a version of it; left out where it brings its own. */
  nodeFor?(version: string): string;
  /** The transport of its companions. Over a WebSocket the token is in a header of its own. */
  readonly carrier: { readonly kind: 'http' } | { readonly kind: 'websocket'; readonly tokenHeader: string };
  /** The variables by which a shell names a companion. */
  readonly variables: { readonly port: string; readonly token?: string; readonly others: readonly string[] };
  /** Whether it deletes discovery files whose process is dead, without probing their port. */
  readonly deletesDeadFiles: boolean;
  /** How `tandem run` can switch its IDE mode on for one start. */
  readonly defaults?: DefaultSettings;
  /** The variable that makes it look where a companion has written into this folder. */
  lookingIn(folder: Path): { readonly name: string; readonly value: Path };
  /** Where it looks for discovery files, and where other versions of it do. */
  places(machine: Machine): readonly DiscoveryPlace[];
  /** What a file of such a name and content announces; undefined when it announces nothing. */
  read(name: string, content: unknown, machine: Machine): Announcement | undefined;
  /** Its settings files, the lowest rank first. */
  settingsFiles(machine: Machine, cwd: Path): readonly Path[];
  /**
   * What its settings say, the lowest rank first. Files that cannot be read are left out. Without a mode in the settings,
   * that of its version counts, or of the newest where that is not known.
   */
  readSettings(layers: readonly unknown[], version?: string): AgentSettings;
  /** Which companion it takes when it is started there. */
  choose(files: readonly FoundAnnouncement[], situation: Situation): Choice;
  /** The command that makes it look inside a container; undefined when it needs none. */
  containerCure?(machine: Machine): string | undefined;
}

/** A file of defaults, below all other settings, that a variable can replace for one start. */
export interface DefaultSettings {
  readonly variable: string;
  /** The machine's own file, which is not read once the variable is set. */
  readonly machineFile: Readonly<Partial<Record<NodeJS.Platform, Path>>>;
  /** What switches its IDE mode on. */
  readonly ideMode: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A folder and the names of discovery files in it. */
export interface DiscoveryPlace {
  readonly folder: Path;
  readonly names: RegExp;
  /** Whether it is for discovery files alone, and no other user should be able to enter it. */
  readonly isOwnFolder: boolean;
  /** Whether present versions read it. */
  readonly isRead: boolean;
}

/** What a discovery file says, whichever companion wrote it. */
export interface Announcement {
  readonly port: number;
  readonly token?: string;
  /** Of the editor, as the CLI understands it; another process may listen. */
  readonly pid?: number;
  /** As they are written. */
  readonly folders: readonly Path[];
  readonly ideName?: string;
  /** Whether the CLI takes it outside the terminals that it knows. */
  readonly opensGate: boolean;
  /** Written by a companion in Windows, whose processes and ports are not visible in a WSL. */
  readonly isFromWindows?: boolean;
  /** What is wrong with it for this CLI, in a sentence. */
  readonly fault?: string;
}

/** A file that announces a companion, and what is known about it on this machine. */
export interface FoundAnnouncement {
  readonly path: Path;
  readonly modifiedAt: number;
  readonly announcement: Announcement;
  /** The real paths of its folders, in the same order. */
  readonly realFolders: readonly Path[];
  readonly isPidAlive: boolean;
  /** Whether a process listens on its port. */
  readonly isAnswering: boolean;
  /** Whether present versions read it. */
  readonly isRead: boolean;
}

/** Where and how a CLI is started. */
export interface Situation {
  /** The real path. */
  readonly cwd: Path;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** What a CLI does when it looks for a companion. */
export type Choice =
  | {
      readonly kind: 'file';
      readonly path: Path;
      /** Whether the user need not type anything; IDE mode is switched on by settings apart from this. */
      readonly isByItself: boolean;
      /** Others that it might take instead, and that answer. */
      readonly rivals: readonly Path[];
    }
  /** It finds no file and takes what the variables say. */
  | { readonly kind: 'environment'; readonly port: number }
  /** Several match and it takes none. */
  | { readonly kind: 'ambiguous'; readonly paths: readonly Path[] }
  | { readonly kind: 'none' };

/** The settings that decide whether an agent connects and opens diffs. */
export interface AgentSettings {
  /** Undefined for an agent that has no such switch. */
  readonly isIdeModeOn?: boolean;
  /** The mode that the settings name; undefined when they name none. */
  readonly mode?: string;
  /** Whether it opens diffs in that mode, or in its own when none is named. */
  readonly opensDiffs: boolean;
}

/** A value deep in unchecked settings. The highest rank that has it counts. */
export function settingAt(layers: readonly unknown[], ...keys: readonly string[]): unknown {
  const values = layers.map((layer) =>
    keys.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), layer),
  );
  return values.findLast((value) => value !== undefined);
}

/** A port that is written as a number or, as in a variable, as text. */
export function portIn(value: unknown): number | undefined {
  const port = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
