import { createHash } from 'node:crypto';
import { constants, lstatSync, mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HookEntries, Machine } from '@tandem/agents';
import type { Path } from '@tandem/core';
import { type AgentId, agentProtocols, defaultsFileOf } from '../agents/agents.js';
import { readBoundedFile } from '../files/boundedFile.js';
import { RefusedFileError } from '../files/refusedFileError.js';

/** Where a file of defaults is read and written. */
export interface DefaultsSite extends Pick<Machine, 'platform' | 'home' | 'env'> {
  /** Where we may write a file of our own. */
  readonly stateFolder: Path;
  /** Reports a file that is there but cannot be used. */
  readonly report: (message: string) => void;
}

/** What the file adds to the defaults that it replaces. */
interface AddedDefaults {
  /** Settings by sections, unless the defaults have them already. */
  readonly sections?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** After the entries of the defaults. */
  readonly hooks?: HookEntries | undefined;
}

/** A file of ours that a CLI reads as its defaults. */
export interface PlacedDefaults {
  /** Makes the CLI read it. */
  readonly env: Readonly<Record<string, string>>;
  readonly file: Path;
  /** The file that it replaces, if the CLI would read one. */
  readonly source: Path | undefined;
}

/**
 * Writes a file of defaults for a CLI that reads one, with the contents of the file that it replaces, of the machine or of the
 * user's own variable. Undefined if the CLI reads none, would not accept ours, or the other one is not plain JSON.
 */
export async function placeDefaults(
  agent: AgentId,
  site: DefaultsSite,
  { sections = {}, hooks = {} }: AddedDefaults,
): Promise<PlacedDefaults | undefined> {
  const { defaults } = agentProtocols[agent].diagnosis;
  if (defaults === undefined) return undefined;
  const folder = defaults.isOnlyOfRoot ? folderOfRoot(site) : site.stateFolder;
  const machineFile = defaultsFileOf(defaults, site);
  const isRead = machineFile !== undefined && (!defaults.isOnlyOfRoot || isOnlyOfRoot(machineFile));
  const source = isRead ? machineFile : undefined;
  const before = source === undefined ? {} : await readSettingsFile(source, site.report);
  if (folder === undefined || before === undefined) return undefined;
  const settings: Record<string, unknown> = { ...before };
  for (const [section, values] of Object.entries(sections)) {
    settings[section] = { ...values, ...recordOf(before[section]) };
  }
  const own = recordOf(settings.hooks);
  const ours = Object.entries(hooks).map(([event, entries]) => [event, [...listOf(own[event]), ...entries]]);
  if (ours.length > 0) settings.hooks = { ...own, ...Object.fromEntries(ours) };
  const text = JSON.stringify(settings);
  // Named by its content, and written by a rename: agents that were started otherwise may read theirs at any time.
  const file = join(
    folder,
    `${agent}-defaults-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`,
  );
  writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
  return { env: { [defaults.variable]: file }, file, source };
}

/** A folder of ours that only root can change, so that a CLI trusts a file in it; undefined if there is none. */
function folderOfRoot({ stateFolder, home, platform }: DefaultsSite): Path | undefined {
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

function isOnlyOfRoot(path: Path): boolean {
  return writableByOthers(path) === undefined;
}

/**
 * Where others than root may change a file or folder: itself or a folder above it, by its name or by its real path, that root does not
 * own or others may write to. The path itself if it cannot be read.
 */
export function writableByOthers(path: Path): Path | undefined {
  try {
    return [path, realpathSync(path)].flatMap(withParents).find((each) => {
      const { uid, mode } = lstatSync(each);
      const isLink = (mode & constants.S_IFMT) === constants.S_IFLNK;
      return uid !== 0 || (!isLink && (mode & 0o022) !== 0);
    });
  } catch {
    return path;
  }
}

function withParents(path: Path): readonly Path[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withParents(parent)];
}

/** A larger file is not a settings file. */
const maxSettingsBytes = 1024 * 1024;

/** The settings in a file: empty if it does not exist or is refused, `undefined` if it is not plain JSON. */
export async function readSettingsFile(
  file: Path,
  report: (message: string) => void,
): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = (await readBoundedFile(file, { maxBytes: maxSettingsBytes })).bytes.toString('utf8');
  } catch (error) {
    if (error instanceof RefusedFileError) report(error.message);
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
