import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeUserFile } from '../../src/files/userFile/writeUserFile.js';
import {
  type CompanionStage,
  makeMachine,
  makeWorkspace,
  type StageOptions,
  useStages,
} from './companionStage.js';
import { openJournal } from './crashedJournal.js';

/**
 * Creates workspaces whose companions, one after the other, share a machine and a journal. They stop after each test. Call it
 * at the top level of the file.
 */
export function useSuccessiveCompanions() {
  const start = useStages();
  return (files: Readonly<Record<string, string>>, options: StageOptions = {}) => {
    const folder = makeWorkspace(files);
    const journal = mkdtempSync(join(tmpdir(), 'journal-'));
    const machine = makeMachine();
    /** Starts the next companion. */
    const begin = (more: StageOptions = {}): Promise<CompanionStage> =>
      start({
        folders: [folder],
        machine,
        journal: openJournal(journal),
        writeFile: writeUserFile,
        ...options,
        ...more,
      });
    return { folder, journal, begin, path: join(folder, 'a.txt') };
  };
}
