import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompanionClient } from '../../../agents/test/support/companionClient.js';
import type { StageOptions } from './companionStage.js';
import { useSuccessiveCompanions } from './successiveCompanions.js';

/** The file of the workspace. */
export const five = 'one\r\ntwo\nthree\nfour\nfive';

/** Companions with a journal and an agent that writes what is accepted. Call it at the top level of the file. */
export function useChanges() {
  const createSite = useSuccessiveCompanions();
  /** A workspace with one file, its companion, and an agent that writes what is accepted. */
  return async (options: StageOptions = {}) => {
    const { folder, begin } = createSite({ 'a.txt': five }, options);
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
}
