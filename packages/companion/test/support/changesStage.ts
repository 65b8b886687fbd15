import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { afterEach } from 'vitest';
import type { CompanionClient } from '../../../agents/test/support/companionClient.js';
import { writeUserFile } from '../../src/files/userFile/writeUserFile.js';
import { Journal } from '../../src/index.js';
import { type CompanionStage, makeMachine, makeWorkspace, useStages } from './companionStage.js';

/** The file of the workspace. */
export const five = 'one\r\ntwo\nthree\nfour\nfive';

/** Companions with a journal and an agent that writes what is accepted. Removed after each test. */
export function useChanges() {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const start = useStages();

  /** A workspace with one file, its companion, and an agent that writes what is accepted. */
  const startFirst = async (options: Parameters<typeof start>[0] = {}) => {
    const folder = makeWorkspace({ 'a.txt': five });
    const journal = mkdtempSync(join(tmpdir(), 'journal-'));
    folders.push(folder, journal);
    const machine = makeMachine();
    const begin = (): Promise<CompanionStage> =>
      start({
        folders: [folder],
        machine,
        journal: Journal.open({ folder: journal, window: 'a', logger: silentLogger }),
        writeFile: writeUserFile,
        ...options,
      });
    const stage = await begin();
    const agent = await stage.connect('gemini');
    const path = (name: string): string => join(folder, name);
    const read = (name: string): string => readFileSync(path(name), 'utf8');
    const accept = async (name: string, content: string, edited = content, by: CompanionClient = agent) => {
      await by.openDiff(path(name), content);
      const review = stage.companion.reviews.pending.find(({ proposal }) => proposal.path === path(name));
      review?.accept(edited);
      const { params } = await by.next('ide/diffAccepted');
      writeFileSync(path(name), params.content);
      return review?.id ?? '';
    };
    return { stage, begin, agent, folder, path, read, accept };
  };

  return { startFirst, folders };
}
