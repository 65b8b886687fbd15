import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than a minute. */
const longest = ['packages/packages', 'contextAgents', 'emacsAgents', 'review', 'feedback', 'context'].map(
  (name) => `/e2e/test/${name}.test.ts`,
);

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
