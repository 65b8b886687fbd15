import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  decodeText,
  isWriteProtected,
  onDisk,
  RefusedFileError,
  readBoundedFile,
} from '@tandem/companion/files';
import { errorCode, type Path } from '@tandem/core';

/** A larger file is not edited here. */
export const maxDocumentBytes = 20 * 1024 * 1024;

/** What exists at a path. `isReadOnly`: the user cannot write it. */
export type DiskFile =
  | { readonly kind: 'missing' }
  /** `encoding` is absent for UTF-8. */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly encoding?: string | undefined;
      readonly isReadOnly: boolean;
    }
  | { readonly kind: 'binary' | 'too-large'; readonly size: number; readonly isReadOnly: boolean };

/**
 * Reads a file. Rejects with `RefusedFileError` if it is not a regular file or does not answer, and with the file system's error
 * if it cannot be read.
 */
export async function readDiskFile(path: Path): Promise<DiskFile> {
  try {
    const { bytes, stats } = await readBoundedFile(path, { maxBytes: maxDocumentBytes });
    const isReadOnly = await isWriteProtected(path, stats);
    const decoded = await decodeText(bytes);
    if (decoded === undefined) return { kind: 'binary', size: bytes.length, isReadOnly };
    return { kind: 'text', ...decoded, isReadOnly };
  } catch (error) {
    if (error instanceof RefusedFileError && error.reason === 'too-large' && error.stats !== undefined) {
      const { stats } = error;
      return { kind: 'too-large', size: stats.size, isReadOnly: await isWriteProtected(path, stats) };
    }
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    throw error;
  }
}

export function isSameFile(one: DiskFile, other: DiskFile): boolean {
  if (one.kind === 'text' && other.kind === 'text')
    return one.text === other.text && one.encoding === other.encoding;
  return one.kind === other.kind && one.kind !== 'text';
}

/**
 * The path of a file for agents, who compare it with the workspace folders, which are real paths: resolves links up to such a
 * folder. Names below it stay, because the sharing policy checks the name and the real path, and a link must not hide the name.
 * Elsewhere the path stays.
 */
export async function spellingIn(folders: readonly Path[], path: Path): Promise<Path> {
  let below = basename(path);
  for (let above = dirname(path); ; above = dirname(above)) {
    const real = await onDisk(path, () => realpath(above)).catch(() => undefined);
    if (real !== undefined && folders.includes(real)) return join(real, below);
    if (dirname(above) === above) return path;
    below = join(basename(above), below);
  }
}
