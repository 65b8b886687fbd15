import { silentLogger } from '@tandem/core';
import { Companion } from './companion.js';
import type { CompanionOptions } from './companionOptions.js';
import { hasRecords } from './files/userFile/recordsFolder.js';

/**
 * Starts a companion for an editor: the listener, one protocol for each agent, their discovery files, and the control
 * interface. Resolves when agents can find it. The caller calls `stop`, and `releaseSync` in its exit handlers. A discovery file
 * that cannot be written does not fail the start: the status reports it.
 */
export async function createCompanion(options: CompanionOptions): Promise<Companion> {
  if (await hasRecords()) {
    const { undoBrokenOverwrites } = await import('./files/userFile/overwriteRecord.js');
    await undoBrokenOverwrites(options.logger ?? silentLogger);
  }
  const companion = new Companion(options);
  try {
    await companion.start(async () => {
      const { companionControl } = await import('./control/companionControl.js');
      return companionControl(companion, options);
    });
    return companion;
  } catch (error) {
    await companion.stop();
    throw error;
  }
}
