import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Path } from '@tandem/core';

/**
 * The folders with the programs of the projects around a folder, the nearest first. Stops at the first folder that
 * belongs to another user, because its programs may be theirs. `user`: the id of this user; undefined where files have no
 * owner.
 */
export function projectPrograms(folder: Path, user = process.getuid?.()): Path[] {
  const isOwn = user === undefined || statSync(folder, { throwIfNoEntry: false })?.uid === user;
  if (!isOwn) return [];
  const parent = dirname(folder);
  const here = join(folder, 'node_modules', '.bin');
  return [here, ...(parent === folder ? [] : projectPrograms(parent, user))];
}
