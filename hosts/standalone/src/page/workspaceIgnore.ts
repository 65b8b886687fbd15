import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onDisk, RefusedFileError, readBoundedFile } from '@tandem/companion/files';
import { IgnoreFiles, isWithin, type Logger, type Path } from '@tandem/core';

/** An ignore file larger than this is not one. */
const maxIgnoreFileBytes = 1024 * 1024;
/** A repository can hold any number of them. */
const maxLoggedRefusals = 100;

/**
 * What the ignore files of the workspace name, for a listing that is made now: each ignore file is read at most once, so
 * that a later listing begins with a new one of these.
 */
export class WorkspaceIgnore {
  readonly #folders: readonly Path[];
  readonly #texts = new Map<Path, Promise<string | undefined>>();
  readonly #roots = new Map<Path, Promise<Path>>();
  readonly #files = new IgnoreFiles((path) => this.#readText(path));
  readonly #onRefused: (refused: RefusedFileError) => void;

  constructor(folders: readonly Path[], onRefused: (refused: RefusedFileError) => void = () => {}) {
    this.#folders = folders;
    this.#onRefused = onRefused;
  }

  /** Whether a person would not look for it: `.git`, and what ignore files name. */
  async hides(path: Path, name: string, kind: 'file' | 'folder'): Promise<boolean> {
    if (name === '.git') return true;
    const folder = this.#folders.find((each) => isWithin(each, path));
    if (folder === undefined) return false;
    const root = await this.#rootOf(folder);
    if (await this.#files.isIgnored(root, path, { name: '.gitignore' }, kind)) return true;
    return this.#files.isIgnored(root, path, { name: '.git/info/exclude' }, kind);
  }

  /** The repository that the folder lies in. A folder that is ignored there as a whole is looked at for itself. */
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
        const isIgnored = await this.#files.isIgnored(candidate, folder, { name: '.gitignore' }, 'folder');
        return isIgnored ? folder : candidate;
      }
      if (dirname(candidate) === candidate) return folder;
    }
  }

  #readText(path: Path): Promise<string | undefined> {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const reading = this.#readSmallText(path);
    this.#texts.set(path, reading);
    return reading;
  }

  /** What cannot be read hides nothing. */
  async #readSmallText(path: Path): Promise<string | undefined> {
    try {
      return (await readBoundedFile(path, { maxBytes: maxIgnoreFileBytes })).bytes.toString('utf8');
    } catch (error) {
      if (error instanceof RefusedFileError && error.reason !== 'folder') this.#onRefused(error);
      return undefined;
    }
  }
}

/** Logs each ignore file that is not read, once: a folder is listed often. */
export function logRefusals(logger: Logger): (refused: RefusedFileError) => void {
  const known = new Set<string>();
  return ({ message }) => {
    if (known.has(message) || known.size === maxLoggedRefusals) return;
    known.add(message);
    logger.warn('an ignore file hides nothing in the page', { error: message });
  };
}

async function exists(path: Path): Promise<boolean> {
  return onDisk(path, () => stat(path)).then(
    () => true,
    () => false,
  );
}
