import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { exhaustiveTag } from '../test/exhaustive.js';

/** The files that take longest, longest first. The others follow by size. */
const longest = [
  'agents',
  'chat',
  'onOldest',
  'hostile',
  'pains',
  'changes',
  'focus',
  'context',
  'contract',
  'lost',
  'review',
].map((name) => `/${name}.test.ts`);

/** Starts the longest files first, so that all workers end at about the same time. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.endsWith(name));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/**
 * The real editor in a real browser. The newest editor runs every test; the oldest supported one runs a selection that
 * shows that the extension works there. Test files of a worker share a process, so shared modules are imported once.
 */

export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    conditions: ['@tandem/source'],
    // The contract runs in the extension host; here only the names of its tests are read.
    alias: { vscode: `${import.meta.dirname}/../hosts/vscode/test/support/fakeVscode/index.ts` },
  },
  ssr: { resolve: { conditions: ['@tandem/source'] } },
  test: {
    tags: [exhaustiveTag],
    globalSetup: ['./src/pinnedEditors.ts'],
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    isolate: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A long limit costs nothing in a passing test, and allows for a busy machine.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'newest', env: { TANDEM_EDITOR: 'newest' }, include: ['test/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'oldest',
          env: { TANDEM_EDITOR: 'oldest' },
          include: ['onOldest.test.ts'],
        },
      },
    ],
  },
});
