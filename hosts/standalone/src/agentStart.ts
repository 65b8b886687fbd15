import { constants, lstatSync, mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AgentId,
  agentProtocols,
  defaultsFileOf,
  descriptorOf,
  receivesOnly,
} from '@tandem/companion/agents';
import { RefusedFileError, readBoundedFile } from '@tandem/companion/files';
import type { Path } from '@tandem/core';
import { printError } from './output.js';

/** Flags that make the agent ask before it edits, unless it asks by itself or the user chose another mode. */
export function askingFlags(agent: AgentId, args: readonly string[]): readonly string[] {
  const { askingFlags: flags, approvesEdits } = descriptorOf(agent);
  if (approvesEdits === undefined) return [];
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.some((arg) => approvesEdits.unless.some((pattern) => pattern.test(arg))) ? [] : flags;
}

/** The facts that decide how an agent's IDE mode can be switched on. */
export interface StartHost {
  readonly platform: NodeJS.Platform;
  readonly home: Path;
  readonly tmpdir: Path;
  readonly cwd: Path;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where we may write a file of our own. */
  readonly stateFolder: Path;
}

/** Entries for hooks, by events, as they are in settings. */
type HookSettings = Readonly<Record<string, readonly object[]>>;

/** Additional variables for an agent besides the companion's, and a hint for the user. */
export interface IdeMode {
  readonly env: Readonly<Record<string, string>>;
  readonly hint?: string;
}

/**
 * Switches the IDE mode of an agent on for one start, without changing the user's files. If a variable can name a file
 * of defaults, and the agent would accept it, that file is ours, and contains the defaults that it replaces, of the machine or
 * of the user's own variable. Otherwise the user has to type a command, which the hint names. `hooks`: added to the same file.
 */
export async function ideModeFor(
  agent: AgentId,
  host: StartHost,
  hooks: HookSettings = {},
): Promise<IdeMode> {
  const descriptor = descriptorOf(agent);
  const { displayName, connect, polls, remembersConnect } = descriptor;
  const { defaults, settingsFiles, readSettings } = agentProtocols[agent].diagnosis;
  const hint = remembersConnect
    ? `If ${displayName} asks whether to connect, choose No. Then type ${connect} in it, only once: it remembers that.`
    : `${displayName} connects after you type ${connect} in it, in each session.`;
  const isReviewed = receivesOnly(descriptor) === undefined;
  if (!isReviewed || polls) {
    const when = polls ? `after you type ${connect}, once in each session` : 'by itself';
    const asks = isReviewed ? '' : ' Its changes are not shown for review: it asks in this terminal.';
    return { env: {}, hint: `${displayName} sees your editor ${when}.${asks}` };
  }
  const layers = await Promise.all(settingsFiles(host, host.cwd).map(readJson));
  const byHand = { env: {}, ...(readSettings(layers).isIdeModeOn === false && { hint }) };
  if (defaults === undefined) return byHand;
  const folder = defaults.isOnlyOfRoot ? folderOfRoot(host) : host.stateFolder;
  const machineFile = defaultsFileOf(defaults, host);
  const isRead = machineFile !== undefined && (!defaults.isOnlyOfRoot || isOnlyOfRoot(machineFile));
  const machine = isRead ? await readJson(machineFile) : {};
  if (folder === undefined || machine === undefined) return byHand;
  const settings: Record<string, unknown> = { ...machine };
  for (const [section, values] of Object.entries(defaults.ideMode)) {
    settings[section] = { ...values, ...recordOf(machine[section]) };
  }
  const own = recordOf(settings.hooks);
  const ours = Object.entries(hooks).map(([event, entries]) => [event, [...listOf(own[event]), ...entries]]);
  if (ours.length > 0) settings.hooks = { ...own, ...Object.fromEntries(ours) };
  const file = join(folder, `${agent}-defaults.json`);
  // Written by a rename: another `tandem run` may be starting an agent that reads it.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(settings), { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
  return { env: { [defaults.variable]: file } };
}

/** A folder of ours that only root can change, so that a CLI trusts a file in it; undefined if there is none. */
function folderOfRoot({ stateFolder, home, platform }: StartHost): Path | undefined {
  if (platform === 'win32' || process.geteuid?.() !== 0) return undefined;
  return [stateFolder, join(home, '.local', 'state', 'tandem')].find((folder) => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      return false;
    }
    return isOnlyOfRoot(folder);
  });
}

/** Whether root owns a file or folder and all folders above it, by its name and by its real path, and no one else may write to them. */
function isOnlyOfRoot(path: Path): boolean {
  try {
    return [path, realpathSync(path)].flatMap(withParents).every((each) => {
      const { uid, mode } = lstatSync(each);
      const isLink = (mode & constants.S_IFMT) === constants.S_IFLNK;
      return uid === 0 && (isLink || (mode & 0o022) === 0);
    });
  } catch {
    return false;
  }
}

function withParents(path: Path): readonly Path[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withParents(parent)];
}

/** A larger file is not a settings file. */
const maxSettingsBytes = 1024 * 1024;

/** The settings in a file: empty if it does not exist or is refused, `undefined` if it is not plain JSON. */
async function readJson(file: Path): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = (await readBoundedFile(file, { maxBytes: maxSettingsBytes })).bytes.toString('utf8');
  } catch (error) {
    if (error instanceof RefusedFileError) printError(`tandem: ${error.message}`);
    return {};
  }
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
