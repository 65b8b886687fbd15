import { type BigIntStats, realpath, type Stats, stat as statWithCallback } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import type { HostFiles } from '@tandem/agents';
import {
  DocumentError,
  errorCode,
  type Logger,
  type Path,
  type PolicyFiles,
  silentLogger,
} from '@tandem/core';
import { type FileContent, type Following, prepareToFollow, type Review } from '@tandem/reviews';
import { readBoundedFile } from './boundedFile.js';
import { onDisk } from './diskGate.js';
import { decodeText } from './encodedText.js';
import { linkContent, nameOfBytes } from './exactContent.js';
import { nextTurn, pausing } from './pausing.js';
import { RefusedFileError } from './refusedFileError.js';

/** A larger file is not an ignore file. */
const maxIgnoreFileBytes = 1024 * 1024;
/** A file larger than this is not read into a review. */
const maxReviewedBytes = 64 * 1024 * 1024;
/** As many links to a missing file are followed as Linux follows. */
const maxLinks = 40;
/** A repository is not looked for higher than this. */
const maxFoldersAbove = 40;

interface CachedText {
  readonly stamp: string;
  readonly text: string;
}

/** Reads the files of the workspace, for reviews and for the sharing policy. It writes nothing. */
export class WorkspaceFiles implements HostFiles, PolicyFiles {
  readonly #texts = new Map<Path, CachedText>();

  read(path: Path): Promise<FileContent> {
    return this.#read(path, false);
  }

  /** The same with its permissions, or the link that is there. What is not text has its name. */
  async readExactly(path: Path): Promise<FileContent> {
    const target = await onDisk(path, () => readlink(path)).catch(() => undefined);
    return target === undefined ? this.#read(path, true) : linkContent(target);
  }

  async #read(path: Path, isExact: boolean): Promise<FileContent> {
    try {
      const { bytes, stats } = await readBoundedFile(path, { maxBytes: maxReviewedBytes });
      const decoded = await decodeText(bytes);
      const mode = isExact ? { mode: stats.mode & 0o7777 } : {};
      if (decoded !== undefined) return { kind: 'text', ...decoded, ...mode };
      return { kind: 'binary', size: bytes.length, ...(isExact && { is: nameOfBytes(bytes) }), ...mode };
    } catch (error) {
      if (error instanceof RefusedFileError) {
        const isFile = error.reason !== 'folder' && error.reason !== 'special';
        throw new DocumentError(isFile ? 'failed' : 'not-a-file', error.message, { cause: error });
      }
      if (errorCode(error) === 'ENOENT') return { kind: 'missing' };
      if (errorCode(error) === 'ENOTDIR') {
        throw new DocumentError('failed', `${path} has a parent that is not a folder.`, {
          cause: error,
        });
      }
      throw new DocumentError('failed', `${path} cannot be read (${errorCode(error) ?? 'unknown error'}).`, {
        cause: error,
      });
    }
  }

  /** Changes whenever the file is written, except within milliseconds of an earlier write. Never rejects. */
  async stamp(path: Path): Promise<string> {
    try {
      const found = await onDisk(path, () => lookUp(path));
      return found === undefined ? 'missing' : stampOf(found);
    } catch (error) {
      return errorCode(error) ?? 'unknown error';
    }
  }

  /**
   * What a file is besides its content: a program by its mode, or part of a Git folder with another name than `.git`.
   * A file system that marks all files as programs says nothing. Never rejects.
   */
  async inspect(path: Path): Promise<{ readonly isExecutable: boolean; readonly isInGitFolder: boolean }> {
    const stats = (each: Path): Promise<Stats | undefined> =>
      onDisk(each, () => stat(each)).catch(() => undefined);
    const isProgram = (found: Stats | undefined): boolean =>
      found?.isFile() === true && (found.mode & 0o111) !== 0;
    const hasProgramsOnly = async (): Promise<boolean> => {
      for (
        let folder = dirname(path), left = maxFoldersAbove;
        left > 0;
        left -= 1, folder = dirname(folder)
      ) {
        const head = await stats(join(folder, '.git', 'HEAD'));
        if (head !== undefined) return isProgram(head);
        if (dirname(folder) === folder) break;
      }
      return false;
    };
    const isGitFolder = async (folder: Path): Promise<boolean> => {
      const [head, objects] = [await stats(join(folder, 'HEAD')), await stats(join(folder, 'objects'))];
      return head?.isFile() === true && objects?.isDirectory() === true;
    };
    const isExecutable = isProgram(await stats(path)) && !(await hasProgramsOnly());
    const parts = path.split(sep);
    const hooks = parts.findLastIndex((part) => part.toLowerCase() === 'hooks');
    const candidates = [
      ...(hooks > 0 ? [parts.slice(0, hooks).join(sep)] : []),
      ...(/^config(\.worktree)?$/i.test(basename(path)) ? [dirname(path)] : []),
    ];
    for (const folder of candidates)
      if (await isGitFolder(folder)) return { isExecutable, isInGitFolder: true };
    return { isExecutable, isInGitFolder: false };
  }

  async isOnDisk(path: Path): Promise<boolean> {
    try {
      return (await onDisk(path, () => lookUp(path)))?.isFile() ?? false;
    } catch {
      return false;
    }
  }

  /**
   * The text of an ignore file, read again only if its time or size changed. Rejects if the file exists but cannot be
   * read: its rules are then unknown, and the policy shares nothing that they may concern.
   */
  async readText(path: Path): Promise<string | undefined> {
    try {
      const found = await onDisk(path, () => lookUp(path));
      if (found === undefined || found.isDirectory()) {
        this.#texts.delete(path);
        return undefined;
      }
      const stamp = stampOf(found);
      const cached = this.#texts.get(path);
      if (cached?.stamp === stamp) return cached.text;
      const { bytes } = await readBoundedFile(path, { maxBytes: maxIgnoreFileBytes });
      const text = bytes.toString('utf8');
      this.#texts.set(path, { stamp, text });
      return text;
    } catch (error) {
      this.#texts.delete(path);
      if (error instanceof RefusedFileError && error.reason === 'folder') return undefined;
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  nextTurn(): Promise<void> {
    return nextTurn();
  }

  /**
   * Resolves links. For a file that does not exist yet, resolves those of the nearest existing folder above it, and a link
   * at the path itself: who writes there creates its target.
   */
  realPath(path: Path): Promise<Path> {
    return this.#realPath(path, maxLinks);
  }

  async #realPath(path: Path, linksLeft: number): Promise<Path> {
    try {
      return await onDisk(path, () => resolveLinks(path));
    } catch (error) {
      // The target of the link is then unknown, and the path itself does not reveal it.
      if (error instanceof RefusedFileError) throw error;
      if (dirname(path) === path) return path;
      const target =
        linksLeft > 0 ? await onDisk(path, () => readlink(path).catch(() => undefined)) : undefined;
      const above = await this.#realPath(dirname(path), linksLeft);
      return target === undefined
        ? join(above, basename(path))
        : this.#realPath(resolve(above, target), linksLeft - 1);
    }
  }
}

/**
 * The content of the file of a pending review, for `followFile`, which then finds the texts merged. A file that grew too large, or was
 * replaced by a folder or a device, is no longer text, and one whose folder is no longer a folder is missing. Undefined if it cannot be read: the agent reports that when it writes
 * the file.
 */
export async function readIfPossible(
  files: Pick<WorkspaceFiles, 'read'>,
  review: Review,
  how?: Following,
  logger: Logger = silentLogger,
): Promise<FileContent | undefined> {
  const file = await readFileOf(files, review, logger);
  if (file !== undefined) await prepareToFollow(review, file, pausing(), how);
  return file;
}

async function readFileOf(
  files: Pick<WorkspaceFiles, 'read'>,
  { proposal }: Review,
  logger: Logger,
): Promise<FileContent | undefined> {
  try {
    return await files.read(proposal.path);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { cause } = error;
    if (errorCode(cause) === 'ENOTDIR') return { kind: 'missing' };
    if (cause instanceof RefusedFileError && cause.stats) return { kind: 'binary', size: cause.stats.size };
    if (error.code === 'not-a-file') return { kind: 'binary', size: 0 };
    logger.warn('the file of a review cannot be read', { error: error.message });
    return undefined;
  }
}

/**
 * What is at a path; `undefined` for nothing. Uses callbacks: it runs some hundred times for each movement of the
 * cursor, mostly for files that do not exist, and `node:fs/promises` takes twice as long to report that.
 */
function lookUp(path: Path): Promise<BigIntStats | undefined> {
  return new Promise((resolve, reject) => {
    statWithCallback(path, { bigint: true }, (error, found) => {
      if (error === null) resolve(found);
      else if (error.code === 'ENOENT' || error.code === 'ENOTDIR') resolve(undefined);
      else reject(error);
    });
  });
}

function stampOf({ mtimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}:${size}:${ino}`;
}

const resolveLinks = promisify(realpath.native);
