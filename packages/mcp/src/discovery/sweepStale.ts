import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { askIdentity } from '../identity.js';
import type { LocalAddress } from '../localAddress.js';
import { type MarkedContent, ownMark, readMarked, removeMarkedFile, sameMark } from './discoveryFile.js';
import type { DiscoveryFolder } from './discoveryFolder.js';
import { isOwn, readPrivateFile, removeQuietly, statOf, temporaryFilePid } from './privateFile.js';
import { isAlive, isSameProcess } from './processStart.js';

export interface SweepOptions {
  /** How long a port may take to answer, in milliseconds. Default: 300. */
  readonly timeoutMs?: number;
  /** How the file's companion is asked who it is. Default: at the port of our mark, with `authToken`. */
  readonly credentials?: (content: MarkedContent['content']) => Credentials | undefined;
}

/** What a companion is asked with. */
interface Credentials {
  readonly token: string;
  /** Of the `Authorization` header. Default: `Bearer`. */
  readonly scheme?: string;
  /** Default: the port of our mark. */
  readonly address?: LocalAddress;
}

/** A temporary file exists for less than a millisecond; an older one was left by a crash. */
const temporaryAgeMs = 60_000;

/**
 * Removes discovery files whose companion is gone, and temporary files that a crash left. Leaves alone everything without
 * our mark: files of other programs and users, malformed and unreadable ones.
 *
 * @param names which file names are discovery files
 * @returns the paths that were removed
 */
export async function sweepStale(
  folder: Pick<DiscoveryFolder, 'path'>,
  names: RegExp,
  options: SweepOptions = {},
): Promise<readonly string[]> {
  const present = namesIn(folder.path);
  const abandoned = present.map((name) => removeIfAbandoned(folder.path, name));
  const stale = present
    .filter((name) => name.search(names) !== -1)
    .map((name) => removeIfStale(join(folder.path, name), options));
  const removed = await Promise.all([...abandoned, ...stale]);
  return removed.filter((path) => path !== undefined);
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** A temporary file has no mark, but its name contains the pid of its writer. */
function removeIfAbandoned(folder: string, name: string): string | undefined {
  const pid = temporaryFilePid(name);
  if (pid === undefined) return undefined;
  const path = join(folder, name);
  const stats = statOf(path);
  if (!stats?.isFile() || !isOwn(stats)) return undefined;
  const isOld = Date.now() - stats.mtimeMs > temporaryAgeMs;
  return (isOld || !isAlive(pid)) && removeQuietly(path) ? path : undefined;
}

async function removeIfStale(path: string, options: SweepOptions): Promise<string | undefined> {
  const text = readPrivateFile(path);
  const file = text === undefined ? undefined : readMarked(text);
  if (file === undefined || !(await isStale(file, options))) return undefined;
  // Another companion may have written a file of this name meanwhile.
  return removeMarkedFile(path, file.mark) ? path : undefined;
}

async function isStale(file: MarkedContent, options: SweepOptions): Promise<boolean> {
  const { pid, startedAt, port } = file.mark;
  if (sameMark(file.mark, ownMark(port))) return false;
  if (!isAlive(pid)) return true;
  const isItself = isSameProcess(pid, startedAt);
  const found = (options.credentials ?? byAuthToken)(file.content);
  if (found === undefined) return isItself === false;
  // The port decides, because a corrected clock falsifies the start time. The same process may be busy and is asked
  // twice.
  const timeoutMs = options.timeoutMs ?? 300;
  const limits = isItself === true ? [timeoutMs, 2 * timeoutMs] : [timeoutMs];
  for (const limit of limits) {
    const identity = await askIdentity({ address: { port }, ...found, timeoutMs: limit });
    if (identity !== undefined) return identity.pid !== pid;
  }
  return true;
}

function byAuthToken({ authToken }: MarkedContent['content']): Credentials | undefined {
  return typeof authToken === 'string' ? { token: authToken } : undefined;
}
