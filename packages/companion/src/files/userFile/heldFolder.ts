import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, isWithin, type Path } from '@tandem/core';
import { RpcError } from '@tandem/rpc';

/** As many links are followed as Linux follows. */
const maxLinks = 40;

const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * A folder that stays the same while it is used, also if a link on its path is replaced. Linux reaches it by its open handle. Other
 * systems have no such path: there it is reached by its real path, and `verify` compares that again. The opener closes it.
 */
class HeldFolder {
  /** The real path at the time of opening. */
  readonly path: Path;
  readonly #asked: Path;
  readonly #handle: FileHandle | undefined;

  private constructor(asked: Path, path: Path, handle?: FileHandle) {
    this.#asked = asked;
    this.path = path;
    this.#handle = handle;
  }

  /** Opens an existing folder. Rejects with the file system's error. */
  static async open(path: Path, flags = 0): Promise<HeldFolder> {
    if (process.platform !== 'linux') return new HeldFolder(path, await realpath(path));
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | flags);
    try {
      const real = await readlink(handlePath(handle)).catch(() => undefined);
      if (real !== undefined) return new HeldFolder(path, real, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
    // Without /proc.
    await handle.close();
    return new HeldFolder(path, await realpath(path));
  }

  /** The path by which a file in it is reached. */
  at(name: string): Path {
    return join(this.#handle === undefined ? this.path : handlePath(this.#handle), name);
  }

  /** Rejects if the path of the folder leads elsewhere by now and the folder is not held by its handle. */
  async verify(): Promise<void> {
    if (this.#handle !== undefined || (await realpath(this.#asked)) === this.path) return;
    throw new Error(`${this.#asked} now leads to another folder`);
  }

  /** Makes the names in it durable, as far as the platform allows. */
  async sync(): Promise<void> {
    await this.#handle?.sync().catch(() => {});
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

/** Where a file is: its folder, which the caller closes, and its name there. */
export interface FileTarget {
  readonly folder: HeldFolder;
  readonly name: string;
}

/**
 * Opens the folder of a file, and creates it if it is missing. `followsLink`: also a link at the path itself, even to a missing file.
 * Rejects with `RpcError` if the folder is outside `within`, and with the file system's error.
 */
export async function openTarget(
  path: Path,
  how: { readonly within?: readonly Path[] | undefined; readonly followsLink: boolean },
): Promise<FileTarget> {
  const { within, followsLink } = how;
  const requireWithin = (folder: HeldFolder): void => {
    if (within === undefined || within.some((root) => isWithin(root, folder.path))) return;
    throw new RpcError(
      'refused',
      `${path} is outside the workspace folders, and Tandem writes only inside them. Change it yourself.`,
    );
  };
  let target = resolve(path);
  for (let links = 0; links <= maxLinks; links++) {
    const name = basename(target);
    const folder = await openOrCreate(dirname(target), requireWithin);
    try {
      const next = followsLink ? await readLinkAt(folder.at(name)) : undefined;
      if (next === undefined) {
        requireWithin(folder);
        return { folder, name };
      }
      target = resolve(folder.path, next);
    } catch (error) {
      await folder.close();
      throw error;
    }
    await folder.close();
  }
  throw new Error('too many symbolic links');
}

async function openOrCreate(path: Path, requireWithin: (folder: HeldFolder) => void): Promise<HeldFolder> {
  try {
    return await HeldFolder.open(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const above = await openOrCreate(dirname(path), requireWithin);
  try {
    requireWithin(above);
    const created = above.at(basename(path));
    await mkdir(created).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await above.sync();
    return await HeldFolder.open(created, noFollow);
  } finally {
    await above.close();
  }
}

/** The target of a link; undefined for anything else. */
function readLinkAt(path: Path): Promise<Path | undefined> {
  return readlink(path).catch((error: unknown) => {
    const code = errorCode(error);
    // Windows reports UNKNOWN for some files that are no links.
    if (code === 'EINVAL' || code === 'ENOENT' || code === 'UNKNOWN') return undefined;
    throw error;
  });
}

function handlePath({ fd }: FileHandle): Path {
  return `/proc/self/fd/${fd}`;
}
