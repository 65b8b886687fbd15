import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onDisk, RefusedFileError, WorkspaceFiles } from '@tandem/companion/files';
import {
  type AgentIgnoreFile,
  FileCache,
  IgnoreFiles,
  isWithin,
  type Logger,
  type Path,
  type PolicyFiles,
} from '@tandem/core';

/** A repository can contain any number of ignore files. */
const maxLoggedRefusals = 100;

/**
 * The paths that the ignore files of the workspace name, for one listing: each ignore file is read at most once, so a
 * later listing needs a new instance.
 */
export class WorkspaceIgnore {
  readonly #folders: readonly Path[];
  readonly #roots = new Map<Path, Promise<Path>>();
  readonly #files = new IgnoreFiles();
  readonly #cache: FileCache;

  constructor(folders: readonly Path[], onRefused: (refused: RefusedFileError) => void = () => {}) {
    this.#folders = folders;
    this.#cache = new FileCache(readableFiles(onRefused));
  }

  /** Whether a user would not look for it: `.git`, and what ignore files name. */
  async hides(path: Path, name: string, kind: 'file' | 'folder'): Promise<boolean> {
    if (name === '.git') return true;
    const folder = this.#folders.find((each) => isWithin(each, path));
    if (folder === undefined) return false;
    const root = await this.#rootOf(folder);
    if (await this.#isIgnored(root, path, { name: '.gitignore' }, kind)) return true;
    return this.#isIgnored(root, path, { name: '.git/info/exclude' }, kind);
  }

  /** The repository that contains the folder. A folder that it ignores as a whole counts as its own root. */
  #rootOf(folder: Path): Promise<Path> {
    const known = this.#roots.get(folder);
    if (known !== undefined) return known;
    const finding = this.#findRoot(folder);
    this.#roots.set(folder, finding);
    return finding;
  }

  async #findRoot(folder: Path): Promise<Path> {
    for (let candidate = folder; ; candidate = dirname(candidate)) {
      if (await exists(join(candidate, '.git'))) {
        if (candidate === folder) return folder;
        const isIgnored = await this.#isIgnored(candidate, folder, { name: '.gitignore' }, 'folder');
        return isIgnored ? folder : candidate;
      }
      if (dirname(candidate) === candidate) return folder;
    }
  }

  /** If there are too many patterns to check, the entry is not hidden. */
  async #isIgnored(root: Path, path: Path, file: AgentIgnoreFile, kind: 'file' | 'folder'): Promise<boolean> {
    try {
      return await this.#files.isIgnored(this.#cache, root, path, file, kind);
    } catch {
      return false;
    }
  }
}

/** Ignore files that cannot be read hide nothing. */
function readableFiles(onRefused: (refused: RefusedFileError) => void): PolicyFiles {
  const files = new WorkspaceFiles();
  return {
    async readText(path) {
      try {
        return await files.readText(path);
      } catch (error) {
        if (error instanceof RefusedFileError) onRefused(error);
        return undefined;
      }
    },
    realPath: (path) => files.realPath(path),
    isOnDisk: (path) => files.isOnDisk(path),
    nextTurn: () => files.nextTurn(),
  };
}

/** Logs each unread ignore file only once: a folder is listed often. */
export function logRefusals(logger: Logger): (refused: RefusedFileError) => void {
  const known = new Set<string>();
  return ({ message }) => {
    if (known.has(message) || known.size === maxLoggedRefusals) return;
    known.add(message);
    logger.warn('an ignore file is not applied in the page', { error: message });
  };
}

async function exists(path: Path): Promise<boolean> {
  return onDisk(path, () => stat(path)).then(
    () => true,
    () => false,
  );
}
