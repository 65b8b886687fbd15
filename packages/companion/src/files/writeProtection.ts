import { constants, type Stats } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Path } from '@tandem/core';
import { onDisk } from './diskGate.js';

/** Whether a file is read-only for this user, or for everybody: root could write it, but it is protected on purpose. */
export async function isWriteProtected(path: Path, { mode }: Pick<Stats, 'mode'>): Promise<boolean> {
  return (mode & 0o222) === 0 || !(await onDisk(path, () => canWrite(path)));
}

/** Whether this user may write a file, or create files in a folder. */
export async function canWrite(path: Path): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
