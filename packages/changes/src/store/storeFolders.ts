import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Path } from '@tandem/core';
import { removeStoreFolder } from './blobStore.js';
import { OwnerLock } from './ownerLock.js';

const storeName = /^[0-9a-f]{32}$/;

/** Where a scan keeps what it knows of a folder. `root`: its real path. */
export function storeFolderOf(stateFolder: Path, root: Path): Path {
  return join(stateFolder, createHash('sha256').update(root).digest('hex').slice(0, 32));
}

/** What the files of a store take on the disk; 0 if there is none. Never rejects. */
export async function bytesOfStore(folder: Path): Promise<number> {
  try {
    const names = await readdir(folder);
    const sizes = names.map(async (name) => {
      const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }));
      return size;
    });
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  } catch {
    return 0;
  }
}

/** Removes the stores in a state folder that nobody uses. Never throws. */
export function deleteUnusedStores(stateFolder: Path, ownerId: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(stateFolder);
  } catch {
    return;
  }
  for (const name of names) if (storeName.test(name)) deleteStore(join(stateFolder, name), ownerId);
}

/** Removes a store unless another owner uses it. Never throws. */
export function deleteStore(folder: Path, ownerId: string): void {
  try {
    if (new OwnerLock(folder, ownerId).take() === undefined) removeStoreFolder(folder);
  } catch {
    // There is none, or it cannot be written: the disk has it, and the user is told that it is there.
  }
}
