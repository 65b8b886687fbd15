import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Journal } from '@tandem/companion';
import { stateFolder, thisMachine } from '@tandem/companion/control';
import { describeError, type Logger, type Path } from '@tandem/core';

/**
 * The journal for these folders, which may change, in the state folder. Without one, reviews and sessions do not survive a
 * restart. `window` distinguishes the windows of editors.
 */
export function openJournal(
  folders: () => readonly Path[],
  logger: Logger,
  window?: string,
): Journal | undefined {
  const key = workspaceKey(folders());
  const folder = join(stateFolder(thisMachine()), 'journal', key);
  try {
    return Journal.open({ folder, folders, window: window ?? `serve-${key}`, logger });
  } catch (error) {
    logger.warn('there is no journal: pending reviews are lost when this companion ends', {
      error: describeError(error),
    });
    return undefined;
  }
}

/** Identifies a set of folders, in any order, in a file name. */
export function workspaceKey(folders: readonly Path[]): string {
  const key = JSON.stringify([...folders].sort());
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
