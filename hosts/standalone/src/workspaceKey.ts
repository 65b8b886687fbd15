import { createHash } from 'node:crypto';
import type { Path } from '@tandem/core';

/** Names a set of folders in a file name: the same whatever their order. */
export function workspaceKey(folders: readonly Path[]): string {
  const key = JSON.stringify([...folders].sort());
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
