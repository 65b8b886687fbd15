import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. */
const longest = [
  'packages/packages',
  'contextAgents',
  'review',
  'emacsAgents',
  'afterRestart',
  'files',
  'copilot',
  'feedback',
  'chat/consent',
  'chat/content',
  'page/contract',
  'page/wholeSession',
  'page/lostAgents',
].map((name) => `/e2e/test/${name}.test.ts`);

/** Starts the longest files first, so that no core waits for one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((end) => moduleId.endsWith(end));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
