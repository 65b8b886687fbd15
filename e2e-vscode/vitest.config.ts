import { defineConfig } from 'vitest/config';

/**
 * The real editor in a real browser. The newest editor runs every test; the oldest supported one runs a selection that
 * shows that the extension works there. Test files of a worker share a process, so shared modules are imported once.
 */
const onOldest = ['contract', 'review', 'terminals'];

export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    conditions: ['@tandem/source'],
    // The contract runs in the extension host; here only the names of its tests are read.
    alias: { vscode: `${import.meta.dirname}/../hosts/vscode/test/support/fakeVscode/index.ts` },
  },
  ssr: { resolve: { conditions: ['@tandem/source'] } },
  test: {
    globalSetup: ['./src/pinnedEditors.ts'],
    maxWorkers: 3,
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
          include: onOldest.map((name) => `test/${name}.test.ts`),
        },
      },
    ],
  },
});
