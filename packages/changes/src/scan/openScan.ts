import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describeError } from '@tandem/core';
import { BlobStore } from '../store/blobStore.js';
import { OwnerLock } from '../store/ownerLock.js';
import { openPrivateFolder, readPrivateFile, replacePrivateFile } from '../store/privateFolder.js';
import { realPathOr } from './realPath.js';
import { SavedTable } from './savedTable.js';
import { Scanner } from './scanner.js';
import { CurrentHashes, ScanTable } from './scanTable.js';
import type { WorkerStart } from './workerCalls.js';

/** A scan that is open, with its store if there is one. */
export interface OpenScan {
  readonly scanner: Scanner;
  readonly table: ScanTable;
  readonly store: BlobStore | undefined;
  readonly lock: OwnerLock | undefined;
  /** Why it has no store, in words for users. */
  readonly problem: string | undefined;
}

const keyBytes = 32;

/** Opens the store of a folder and the scanner. Without a store that can be opened, the scanner works alone. Returns the pid of another owner. */
export function openScan(start: WorkerStart): OpenScan | { readonly owner: number } {
  const { storeFolder, ownerId, root } = start;
  let lock: OwnerLock | undefined;
  try {
    openPrivateFolder(storeFolder);
    lock = new OwnerLock(storeFolder, ownerId);
    const owner = lock.take();
    if (owner !== undefined) return { owner };
    const key = readKey(storeFolder);
    const current = new CurrentHashes();
    const isCurrent = (hash: string): boolean => current.has(hash);
    const store = BlobStore.open({ folder: storeFolder, limits: start.storeLimits, isCurrent });
    const table = new ScanTable(current, (hash) => store.release(hash));
    const saved = new SavedTable(storeFolder, root);
    table.load(saved);
    return {
      ...{ lock, table, store },
      problem: undefined,
      scanner: scannerOf(start, { table, key, store, saved }),
    };
  } catch (error) {
    lock?.release();
    const table = new ScanTable(new CurrentHashes(), () => {});
    const parts = { table, key: randomBytes(keyBytes), store: undefined, saved: undefined };
    const problem = `file contents cannot be kept: ${describeError(error)}`;
    return { ...{ table, problem }, store: undefined, lock: undefined, scanner: scannerOf(start, parts) };
  }
}

function scannerOf(
  { root, named, storeFolder, denyList, limits, whyNamed }: WorkerStart,
  parts: Pick<ConstructorParameters<typeof Scanner>[0], 'table' | 'key' | 'store' | 'saved'>,
): Scanner {
  const own = realPathOr(storeFolder);
  return new Scanner({
    storeFolder: own,
    ...parts,
    root,
    denyFolders: [...new Set([root, named])],
    denyList,
    limits,
    whyNamed,
  });
}

/** The key of this store. @throws if it cannot be written */
function readKey(folder: string): Buffer {
  const path = join(folder, 'key');
  const known = readPrivateFile(path, keyBytes);
  if (known?.length === keyBytes) return known;
  const key = randomBytes(keyBytes);
  replacePrivateFile(path, key);
  return key;
}
