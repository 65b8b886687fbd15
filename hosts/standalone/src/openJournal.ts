import { join } from 'node:path';
import { Journal } from '@tandem/companion';
import { stateFolder, thisMachine } from '@tandem/companion/control';
import { describeError, type Logger, type Path } from '@tandem/core';
import { workspaceKey } from './workspaceKey.js';

/**
 * The journal of the companions of these folders, below the state folder. Without one a companion works as well, and its
 * agents connect anew after a restart.
 */
export function openJournal(folders: readonly Path[], logger: Logger): Journal | undefined {
  const folder = join(stateFolder(thisMachine()), 'journal', workspaceKey(folders));
  try {
    return Journal.open({ folder, window: 'serve', logger });
  } catch (error) {
    logger.warn('there is no journal: pending reviews do not outlive this companion', {
      error: describeError(error),
    });
    return undefined;
  }
}
