import { dirname, join } from 'node:path';
import type { Path } from '@tandem/core';
import type { Carrier, LocalAddress } from '@tandem/mcp';
import type { Machine } from './machine.js';

/**
 * How an agent's CLI looks for companions, to explain why it does not connect. All functions are pure: the caller reads the
 * files and probes the addresses.
 */
export interface AgentDiagnosis {
  /** The oldest Node.js that runs a version of it. Absent if it includes its own. */
  nodeFor?(version: string): string;
  /** The transport of its companions. Over WebSocket, the token is in a special header. */
  readonly carrier: Carrier;
  /** The socket that all companions share, for a CLI without discovery files. */
  readonly socket?: SharedSocketDiagnosis;
  /** The variables with which a shell selects a companion. Absent if no variable does. */
  readonly variables?: { readonly port: string; readonly token?: string; readonly others: readonly string[] };
  /** Whether it deletes discovery files whose process is dead, without probing their address. */
  readonly deletesDeadFiles: boolean;
  /** How `tandem run` can switch its IDE mode on for one start. */
  readonly defaults?: DefaultSettings;
  /** The variable, and its value, that make it look in this folder, where a companion has written. */
  lookingIn(folder: Path): { readonly name: string; readonly value: Path };
  /** The folders in which this version or other versions look for discovery files. */
  places(machine: Machine): readonly DiscoveryPlace[];
  /** What a file with this name and content announces; undefined if it announces no companion. */
  read(name: string, content: unknown, machine: Machine): Announcement | undefined;
  /** Whether it allows comments in its settings. */
  readonly allowsComments?: true;
  /** Its settings files, lowest precedence first. */
  settingsFiles(machine: Machine, cwd: Path): readonly Path[];
  /**
   * Interprets its settings, lowest precedence first; unreadable files are omitted. If they set no mode, the default of
   * its version applies, or that of the newest version if the version is unknown.
   */
  readSettings(layers: readonly unknown[], version?: string, env?: Machine['env']): AgentSettings;
  /**
   * What turns all of its hooks off; undefined if nothing does. `managed`: the settings of the machine's administrator, from
   * `managedSettings`.
   */
  hooksOff?(from: HookSwitches): HooksOff | undefined | Promise<HooksOff | undefined>;
  /** Where the administrator of a machine sets what users cannot change. */
  managedSettings?(platform: NodeJS.Platform): Path | undefined;
  /** Which companion it chooses if it is started there. */
  choose(files: readonly FoundAnnouncement[], situation: Situation): Choice;
  /** The command that makes it look inside a container; undefined if none is necessary. */
  containerCure?(machine: Machine): string | undefined;
}

/** What may turn hooks off. */
export interface HookSwitches {
  /** The settings, lowest precedence first. */
  readonly layers: readonly unknown[];
  /** The texts of the settings files, also if they are not JSON. */
  readonly texts: readonly string[];
  readonly managed: unknown;
  readonly env: Machine['env'];
  /** The hooks of Tandem in its settings. */
  readonly installed: readonly InstalledHook[];
}

/** A hook of Tandem in the settings of an agent. */
export interface InstalledHook {
  readonly event: string;
  readonly matcher?: string;
  readonly command: string;
  readonly timeout: number;
  /** The places of its group, and of the hook in that. */
  readonly place: readonly [group: number, hook: number];
}

/** What turns hooks off. */
export interface HooksOff {
  /** A sentence without its full stop. */
  readonly cause: string;
  /** The variable of the shell that does. */
  readonly variable?: string;
  /** What the user types to change that. */
  readonly command?: string;
}

/** The sentence for the setting with which Claude Code, Copilot CLI and Qwen Code turn all hooks off. */
export function allHooksDisabled({ layers, managed }: HookSwitches): HooksOff | undefined {
  const isOff = settingAt([...layers, managed], 'disableAllHooks') === true;
  return isOff ? { cause: 'Its settings contain "disableAllHooks": true' } : undefined;
}

/** How a CLI that looks for one socket finds a companion. */
interface SharedSocketDiagnosis {
  path(machine: Machine): Path;
  /** Asks at the socket who answers for a folder, without becoming a session. Never rejects. */
  probe(path: Path, cwd: Path, limitMs: number): Promise<SocketProbe>;
}

/** Who answers at a shared socket. */
export type SocketProbe =
  | { readonly kind: 'tandem'; readonly pid: number }
  /** Another program. */
  | { readonly kind: 'other' }
  /** Its owner knows no companion for the folder. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'unresponsive' }
  /** The file is not a socket of this user. */
  | { readonly kind: 'foreign' }
  /** The path is too long for a socket. */
  | { readonly kind: 'too-long' }
  /** Nothing listens there. */
  | { readonly kind: 'silent' };

/** A file of defaults, with the lowest precedence, that a variable can replace for one start. */
export interface DefaultSettings {
  readonly variable: string;
  /** The machine's own file, which is ignored if the variable is set. */
  readonly machineFile: Readonly<Partial<Record<NodeJS.Platform, Path>>>;
  /**
   * Whether it reads the file only if root owns it and each folder above it, and no one else may write to them. Then it
   * reads the machine's own file only under the same condition.
   */
  readonly isOnlyOfRoot: boolean;
  /** A variable that names the machine's settings, beside which its own file of defaults then is. */
  readonly settingsVariable: string;
  /** The settings that switch its IDE mode on. */
  readonly ideMode: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The file of defaults that a CLI reads without ours. */
export function defaultsFileOf(
  { variable, machineFile, settingsVariable }: DefaultSettings,
  { env, platform }: Pick<Machine, 'env' | 'platform'>,
): Path | undefined {
  if (env[variable]) return env[variable];
  const settings = env[settingsVariable];
  return settings ? join(dirname(settings), 'system-defaults.json') : machineFile[platform];
}

/** A folder and the names of discovery files in it. */
export interface DiscoveryPlace {
  readonly folder: Path;
  readonly names: RegExp;
  /** Whether it is only for discovery files, so no other user should have access. */
  readonly isOwnFolder: boolean;
  /** Whether current versions read it. */
  readonly isRead: boolean;
}

/** The content of a discovery file, of any companion. */
export interface Announcement {
  readonly address: LocalAddress;
  readonly token?: string;
  /** The editor's process, as the CLI understands it; another process may be listening. */
  readonly pid?: number;
  /** As written in the file. */
  readonly folders: readonly Path[];
  readonly ideName?: string;
  /** Whether the CLI uses it outside the terminals that it recognises. */
  readonly opensGate: boolean;
  /** Written by a companion in Windows, whose processes and ports are not visible in a WSL. */
  readonly isFromWindows?: boolean;
  /** Why this CLI cannot use it, in a sentence. */
  readonly fault?: string;
}

/** A file that announces a companion, with facts about it from this machine. */
export interface FoundAnnouncement {
  readonly path: Path;
  readonly modifiedAt: number;
  readonly announcement: Announcement;
  /** The real paths of its folders, in the same order. */
  readonly realFolders: readonly Path[];
  readonly isPidAlive: boolean;
  /** Whether a process listens at its address. */
  readonly isAnswering: boolean;
  /** Whether current versions read it. */
  readonly isRead: boolean;
}

/** The circumstances in which a CLI starts. */
export interface Situation {
  /** The real path. */
  readonly cwd: Path;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** The choice of a CLI that looks for a companion. */
export type Choice =
  | {
      readonly kind: 'file';
      readonly path: Path;
      /** Whether the CLI connects without input from the user, once its IDE mode is on. */
      readonly isByItself: boolean;
      /** Others that answer and that it might choose instead. */
      readonly rivals: readonly Path[];
    }
  /** It finds no file and uses the variables. */
  | {
      readonly kind: 'environment';
      readonly port: number;
      /** The variable with the port, if the CLI then presents no token, and is refused. */
      readonly tokenless?: string;
    }
  /** Several match, and it chooses none. */
  | { readonly kind: 'ambiguous'; readonly paths: readonly Path[] }
  | { readonly kind: 'none' };

/** The settings that decide whether an agent connects and opens diffs. */
export interface AgentSettings {
  /** Undefined for an agent without such a switch. */
  readonly isIdeModeOn?: boolean;
  /** The mode that the settings choose; undefined if they choose none. */
  readonly mode?: string;
  /** Whether it opens diffs in that mode or, without one, in its default mode. */
  readonly opensDiffs: boolean;
  /** For a CLI that connects and opens diffs by default: what switches these off, as the user wrote it. */
  readonly offBecause?: {
    readonly ideMode?: string;
    readonly diffs?: string;
    /** The variable of the shell that switches the diffs off. */
    readonly variable?: string;
  };
}

/** A nested value in unvalidated settings. The highest precedence that has it applies. */
export function settingAt(layers: readonly unknown[], ...keys: readonly string[]): unknown {
  const values = layers.map((layer) =>
    keys.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), layer),
  );
  return values.findLast((value) => value !== undefined);
}

/** The port that an announcement names, unless it names a socket. */
export function portOf(announcement: Announcement | undefined): number | undefined {
  const address = announcement?.address;
  return address !== undefined && 'port' in address ? address.port : undefined;
}

/** A port as a number or, as in a variable, as text; also as `0.54321e5`. */
export function portIn(value: unknown): number | undefined {
  const port = typeof value === 'string' && /^(\d+|0\.\d+e\d)$/.test(value) ? Number(value) : value;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
