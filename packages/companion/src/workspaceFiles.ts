import { isUtf8 } from 'node:buffer';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DocumentError, type FileContent, type Path, type PolicyFiles } from '@tandem/core';
import type { HostFiles } from '@tandem/protocols';
import { readBoundedFile } from './boundedFile.js';
import { onDisk } from './diskGate.js';
import { RefusedFileError } from './refusedFileError.js';

/** An ignore file larger than this is not one. */
const maxIgnoreFileBytes = 1024 * 1024;
/** A file larger than this is not read into a review. */
const maxReviewedBytes = 64 * 1024 * 1024;

interface CachedText {
  readonly stamp: string;
  readonly text: string;
}

/** Reads the files of the workspace, for reviews and for the sharing policy. It writes nothing. */
export class WorkspaceFiles implements HostFiles, PolicyFiles {
  readonly #texts = new Map<Path, CachedText>();

  async read(path: Path): Promise<FileContent> {
    try {
      const { bytes } = await readBoundedFile(path, { maxBytes: maxReviewedBytes });
      if (!isUtf8(bytes)) return { kind: 'binary', size: bytes.length };
      return { kind: 'text', text: bytes.toString('utf8') };
    } catch (error) {
      if (error instanceof RefusedFileError) {
        const isFile = error.reason !== 'folder' && error.reason !== 'special';
        throw new DocumentError(isFile ? 'failed' : 'not-a-file', error.message, { cause: error });
      }
      if (codeOf(error) === 'ENOENT') return { kind: 'missing' };
      if (codeOf(error) === 'ENOTDIR') {
        throw new DocumentError('failed', `${path} lies below something that is not a folder.`, {
          cause: error,
        });
      }
      throw new DocumentError('failed', `${path} cannot be read (${codeOf(error) ?? 'unknown error'}).`, {
        cause: error,
      });
    }
  }

  async isOnDisk(path: Path): Promise<boolean> {
    try {
      return (await onDisk(path, () => stat(path))).isFile();
    } catch {
      return false;
    }
  }

  /**
   * The text of an ignore file, read again only when its time or size changed. Rejects when there is one that
   * cannot be read: what it holds back is then not known, and the policy shares nothing that it may concern.
   */
  async readText(path: Path): Promise<string | undefined> {
    try {
      const found = await onDisk(path, () => stat(path, { bigint: true }));
      const stamp = `${found.mtimeNs}:${found.size}:${found.ino}`;
      const cached = this.#texts.get(path);
      if (cached?.stamp === stamp) return cached.text;
      const { bytes } = await readBoundedFile(path, { maxBytes: maxIgnoreFileBytes });
      const text = bytes.toString('utf8');
      this.#texts.set(path, { stamp, text });
      return text;
    } catch (error) {
      this.#texts.delete(path);
      if (error instanceof RefusedFileError && error.reason === 'folder') return undefined;
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  /** Resolves links. For a file that does not exist yet, those of the nearest folder above it that does. */
  async realPath(path: Path): Promise<Path> {
    try {
      return await onDisk(path, () => realpath(path));
    } catch (error) {
      // Where a link leads is then not known, and the path itself says nothing of it.
      if (error instanceof RefusedFileError) throw error;
      const above = dirname(path);
      return above === path ? path : join(await this.realPath(above), basename(path));
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
