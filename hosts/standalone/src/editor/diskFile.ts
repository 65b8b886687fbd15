import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  canWrite,
  isWriteProtected,
  onDisk,
  RefusedFileError,
  readBoundedFile,
} from '@tandem/companion/files';
import { describeError, errorCode, type Path } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import writeFileAtomic from 'write-file-atomic';

/** A larger file is not edited here. */
export const maxDocumentBytes = 20 * 1024 * 1024;

/** What exists at a path. `isReadOnly`: the user cannot write it. */
export type DiskFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string; readonly isReadOnly: boolean }
  | { readonly kind: 'binary' | 'too-large'; readonly size: number; readonly isReadOnly: boolean };

/**
 * Reads a file. Rejects with `RefusedFileError` if it is not a regular file or does not answer, and with the file system's error
 * if it cannot be read.
 */
export async function readDiskFile(path: Path): Promise<DiskFile> {
  try {
    const { bytes, stats } = await readBoundedFile(path, { maxBytes: maxDocumentBytes });
    const isReadOnly = await isWriteProtected(path, stats);
    if (!isUtf8(bytes)) return { kind: 'binary', size: bytes.length, isReadOnly };
    return { kind: 'text', text: bytes.toString('utf8'), isReadOnly };
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
  if (one.kind === 'text' && other.kind === 'text') return one.text === other.text;
  return one.kind === other.kind && one.kind !== 'text';
}

/**
 * Writes a file atomically: to a temporary file, then a rename. A link stays, and its target is written; mode and owner stay.
 * Not atomically: a file with several hard links, one of another user, one in a read-only folder, and the missing target of a link. Creates
 * missing folders. Throws `RpcError`.
 */
export async function writeDiskFile(path: Path, content: string | Buffer): Promise<void> {
  try {
    const isInPlace = await mustStayInPlace(path);
    await (isInPlace ? writeFile(path, content) : writeFileAtomic(path, content));
  } catch (cause) {
    throw new RpcError('refused', `${path} cannot be written: ${describeError(cause)}`, { cause });
  }
}

/** Removes a file. Throws `RpcError`. */
export async function removeDiskFile(path: Path): Promise<void> {
  try {
    await rm(path);
  } catch (cause) {
    throw new RpcError('refused', `${path} cannot be removed: ${describeError(cause)}`, { cause });
  }
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

async function mustStayInPlace(path: Path): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined)
    return found.nlink > 1 || isForeign(found) || !(await canWrite(dirname(await realpath(path))));
  await mkdir(dirname(path), { recursive: true });
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A new file in its place would belong to this user; only root can give it back. */
function isForeign({ uid }: Stats): boolean {
  const own = process.geteuid?.() ?? 0;
  return own !== 0 && own !== uid;
}
