import { createHash } from 'node:crypto';
import type { Path } from '@tandem/core';

/** Identifies a set of folders, in any order, in a file name. */
export function workspaceKey(folders: readonly Path[]): string {
  const key = JSON.stringify([...folders].sort());
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
