import type { Path } from '@tandem/core';
import type { Machine } from './agentProtocol.js';

/**
 * What is known of how an agent's CLI looks for companions, for whoever wants to say why it does not connect. All of it
 * is pure: the files were read and the ports were asked by the caller.
 */
export interface AgentDiagnosis {
  /** The name of its program on the PATH. */
  readonly program: string;
  /** How to get it. */
  readonly install: string;
  /** The versions that our tests run, the newest first. */
  readonly testedVersions: readonly string[];
  /** The oldest Node.js that runs a version of it; left out where it brings its own. */
  nodeFor?(version: string): string;
  /** How its companions are spoken to. Those with a WebSocket take the token in a header of their own. */
  readonly carrier: { readonly kind: 'http' } | { readonly kind: 'websocket'; readonly tokenHeader: string };
  /** The variables by which a shell says which companion is meant. */
  readonly variables: { readonly port: string; readonly token?: string; readonly others: readonly string[] };
  /** What to type in the running CLI when it did not connect by itself. */
  readonly connect: string;
  /** How to start it so that it asks before it edits. */
  readonly askingCommand: string;
  /** Whether it deletes discovery files whose process is dead, without asking their port. */
  readonly deletesDeadFiles: boolean;
  /** Whether `tandem run` can switch its IDE mode on for one start. */
  readonly takesDefaults: boolean;
  /** The variable that makes it look where a companion has written into this folder. */
  lookingIn(folder: Path): { readonly name: string; readonly value: Path };
  /** Where it looks for discovery files, and where older and other versions of it do. */
  places(machine: Machine): readonly DiscoveryPlace[];
  /** What a file of such a name and content announces; undefined when it is none. */
  read(name: string, content: unknown, machine: Machine): Announcement | undefined;
  /** Its settings files, the lowest rank first. */
  settingsFiles(machine: Machine, cwd: Path): readonly Path[];
  /**
   * What its settings say, the lowest rank first. Files that cannot be read are left out. The mode in which it begins
   * when they name none is that of its version, or of the newest where that is not known.
   */
  readSettings(layers: readonly unknown[], version?: string): AgentSettings;
  /** Which companion it takes when it is started there. */
  choose(files: readonly FoundAnnouncement[], situation: Situation): Choice;
  /** Variables that a container needs for it to look inside, none when nothing is wrong. */
  containerCure?(machine: Machine): string | undefined;
}

/** A folder and the names of discovery files in it. */
export interface DiscoveryPlace {
  readonly folder: Path;
  readonly names: RegExp;
  /** Whether it is for discovery files alone, and nobody else should be able to enter it. */
  readonly isOwnFolder: boolean;
  /** Whether versions of today read it. */
  readonly isRead: boolean;
}

/** What a discovery file says, whoever wrote it. */
export interface Announcement {
  readonly port: number;
  readonly token?: string;
  /** Of the editor, as the CLI understands it; it need not be that of who listens. */
  readonly pid?: number;
  /** As they are written. */
  readonly folders: readonly Path[];
  readonly ideName?: string;
  /** Whether the CLI takes it outside the terminals that it knows. */
  readonly opensGate: boolean;
  /** Written by a companion in Windows, whose processes and ports a WSL does not see. */
  readonly isFromWindows?: boolean;
  /** What is wrong with it for this CLI, in a sentence. */
  readonly fault?: string;
}

/** A file that announces a companion, and what this machine says of it. */
export interface FoundAnnouncement {
  readonly path: Path;
  readonly modifiedAt: number;
  readonly announcement: Announcement;
  /** Its folders as the file system knows them, in the same order. */
  readonly realFolders: readonly Path[];
  readonly isPidAlive: boolean;
  /** Whether somebody listens on its port. */
  readonly isAnswering: boolean;
  /** Versions of today read it. */
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
      /** Whether the person need not type anything; IDE mode is switched on by settings apart from this. */
      readonly isByItself: boolean;
      /** Others that it might take instead, and that answer. */
      readonly rivals: readonly Path[];
    }
  /** It finds no file and takes what the variables say. */
  | { readonly kind: 'environment'; readonly port: number }
  /** Several match and it takes none. */
  | { readonly kind: 'ambiguous'; readonly paths: readonly Path[] }
  | { readonly kind: 'none' };

/** As much of an agent's settings as decides whether it connects and opens diffs. */
export interface AgentSettings {
  /** Undefined for an agent that has no such switch. */
  readonly isIdeModeOn?: boolean;
  /** The mode that the settings name; undefined when they name none. */
  readonly mode?: string;
  /** Whether it opens diffs in that mode, or in its own when none is named. */
  readonly opensDiffs: boolean;
}

/** A value deep in settings that nobody has checked. */
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
