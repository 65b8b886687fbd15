import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { onDisk, RefusedFileError } from '@tandem/companion/files';
import { errorCode, isWithin, labelIn, type Path } from '@tandem/core';
import type { WorkspaceFolder } from '@tandem/page/wire';
import { RpcError } from '@tandem/rpc';
import { spellingIn } from '../editor/diskFile.js';
import { commandName } from '../output.js';

/** Restricts the page to the files of the workspace, and formats their paths for users. */
export class WorkspacePaths {
  /** Real paths; read again for each call. */
  readonly #folders: () => readonly Path[];

  constructor(folders: () => readonly Path[]) {
    this.#folders = folders;
  }

  folders(): WorkspaceFolder[] {
    return this.#folders().map((path) => ({ path, name: basename(path) || path }));
  }

  /**
   * The path without `.` and `..`, as agents and the editor spell it, if it leads to a location in the workspace. For a
   * link, its target counts; for a file that does not exist yet, its future folder. Otherwise rejects with `RpcError`.
   */
  async require(asked: Path): Promise<Path> {
    const path = resolve(asked);
    if (!isAbsolute(asked) || asked.includes('\0')) {
      throw new RpcError('bad-params', 'A path must be absolute.');
    }
    if (await this.#leadsInside(path)) return spellingIn(this.#folders(), path);
    throw new RpcError(
      'forbidden',
      `${path} lies outside the workspace folders, or a link leads there. Serve its folder too: ${commandName} serve FOLDER FOLDER`,
    );
  }

  /** Whether the existing or future file at the path is in the workspace. `false` if it cannot be checked. */
  async isInside(path: Path): Promise<boolean> {
    return this.#leadsInside(path).catch(() => false);
  }

  /** The same, but rejects with `RefusedFileError` if the disk does not answer. */
  async #leadsInside(path: Path): Promise<boolean> {
    const real = await realPathOf(path);
    return real !== undefined && this.#folders().some((folder) => isWithin(folder, real));
  }

  /** The path relative to its workspace folder, with the folder's name as prefix if there are several. */
  label(path: Path): string {
    return labelIn(this.#folders(), path);
  }
}

/** `undefined` for a broken link: writing through it creates a file wherever it points. */
async function realPathOf(path: Path): Promise<Path | undefined> {
  try {
    return await onDisk(path, () => realpath(path));
  } catch (error) {
    if (error instanceof RefusedFileError) throw error;
    const isMissing = errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
    if (!isMissing || (await isLink(path))) return undefined;
    const above = dirname(path);
    if (above === path) return undefined;
    const real = await realPathOf(above);
    return real === undefined ? undefined : join(real, basename(path));
  }
}

async function isLink(path: Path): Promise<boolean> {
  return onDisk(path, () => lstat(path)).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
