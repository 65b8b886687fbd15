import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Path } from '@tandem/core';
import { stateFolder, thisMachine } from '../../control/thisMachine.js';

/** The folder of the records of `keepOverwriteRecord`. */
export function recordsFolder(): Path {
  return join(stateFolder(thisMachine()), 'overwritten');
}

/** Whether there is any. Almost always there is none, and the code that reads them is not needed. */
export async function hasRecords(): Promise<boolean> {
  return readdir(recordsFolder()).then(
    (names) => names.length > 0,
    () => false,
  );
}
