import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '@tandem/companion/files';
import { errorCode, type Path } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { WorkspaceIgnore } from './workspaceIgnore.js';

/** At most this many files are offered for opening by name. */
const maxListedFiles = 20_000;
/** At most this many folders are read, even if they contain few files. */
const maxSearchedFolders = 20_000;

export interface ListedEntry {
  readonly name: string;
  readonly path: Path;
  readonly kind: 'file' | 'folder';
}

/** Created at the first use, because that takes milliseconds. */
let collator: Intl.Collator | undefined;

/**
 * The entries of a folder, folders first, in natural order, without what ignore files name. A link has the kind of its
 * target. Rejects with `RpcError` if the folder cannot be listed.
 */
export async function listFolder(
  folder: Path,
  workspaceFolders: readonly Path[],
  ignore = new WorkspaceIgnore(workspaceFolders),
): Promise<ListedEntry[]> {
  const entries = await Promise.all((await read(folder)).map((dirent) => entryOf(folder, dirent)));
  const found = entries.filter((entry) => entry !== undefined);
  const isHidden = await Promise.all(found.map(({ path, name, kind }) => ignore.hides(path, name, kind)));
  return found.filter((_entry, at) => !isHidden[at]).sort(inOrder);
}

/**
 * All files of the workspace, those near the top first. Does not follow links to folders, which may form cycles. Never
 * rejects: what cannot be read is left out.
 */
export async function listAllFiles(
  workspaceFolders: readonly Path[],
  { limit = maxListedFiles, ignore = new WorkspaceIgnore(workspaceFolders) } = {},
): Promise<{ readonly files: readonly Path[]; readonly isTruncated: boolean }> {
  const files = new Set<Path>();
  const waiting = new Set(workspaceFolders);
  for (const folder of waiting) {
    if (waiting.size > maxSearchedFolders) return { files: [...files], isTruncated: true };
    for (const { path, name, kind, isLink } of await readQuietly(folder)) {
      if (kind === undefined || (isLink && kind === 'folder')) continue;
      if (await ignore.hides(path, name, kind)) continue;
      if (kind === 'folder') waiting.add(path);
      else if (files.size < limit) files.add(path);
      else return { files: [...files], isTruncated: true };
    }
  }
  return { files: [...files], isTruncated: false };
}

async function read(folder: Path): Promise<Dirent[]> {
  try {
    return await onDisk(folder, () => readdir(folder, { withFileTypes: true }));
  } catch (cause) {
    const code = errorCode(cause) ?? 'unknown error';
    if (code === 'ENOENT') throw new RpcError('not-found', `${folder} does not exist.`, { cause });
    throw new RpcError('refused', `${folder} cannot be listed (${code}).`, { cause });
  }
}

/** Pipes and sockets cannot be viewed. */
async function entryOf(folder: Path, dirent: Dirent): Promise<ListedEntry | undefined> {
  const { name } = dirent;
  const path = join(folder, name);
  const kind = dirent.isSymbolicLink() ? await kindBehind(path) : kindOf(dirent);
  return kind && { name, path, kind };
}

async function readQuietly(folder: Path) {
  const entries = await onDisk(folder, () => readdir(folder, { withFileTypes: true })).catch(
    (): Dirent[] => [],
  );
  return Promise.all(
    entries.sort(byName).map(async (dirent) => {
      const path = join(folder, dirent.name);
      const isLink = dirent.isSymbolicLink();
      return { path, name: dirent.name, isLink, kind: isLink ? await kindBehind(path) : kindOf(dirent) };
    }),
  );
}

async function kindBehind(path: Path): Promise<'file' | 'folder' | undefined> {
  try {
    return kindOf(await onDisk(path, () => stat(path)));
  } catch {
    // A broken link.
    return undefined;
  }
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }): 'file' | 'folder' | undefined {
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : undefined;
}

function inOrder(one: ListedEntry, other: ListedEntry): number {
  if (one.kind !== other.kind) return one.kind === 'folder' ? -1 : 1;
  return byName(one, other);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return collator.compare(one.name, other.name) || (one.name < other.name ? -1 : 1);
}
