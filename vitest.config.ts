import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { exhaustiveTag } from './test/exhaustive.js';
import { useMemoryFolder } from './test/memoryFolder.js';

useMemoryFolder();

/** Property tests without their own seed use this one (test/propertySeed.ts). To repeat a run, set the variable. */
if (process.env.TANDEM_TEST_SEED === undefined) {
  // In the environment, because vitest loads this file again for each project and the workers inherit it.
  process.env.TANDEM_TEST_SEED = String(randomInt(2 ** 31));
  console.log(`Property tests use TANDEM_TEST_SEED=${process.env.TANDEM_TEST_SEED}`);
}

/**
 * Two projects. `fast` starts no child process; `npm run check` runs it. `process` starts real companions and commands
 * and contains the tests with heavy inputs. Both run with their own HOME and TMPDIR (test/isolatedFolders.ts).
 */
export default defineConfig({
  // VS Code's module `vscode` exists only inside VS Code.
  resolve: {
    conditions: ['@tandem/source'],
    alias: { vscode: `${import.meta.dirname}/hosts/vscode/test/support/fakeVscode/index.ts` },
  },
  ssr: { resolve: { conditions: ['@tandem/source'] } },
  test: {
    tags: [exhaustiveTag],
    // Tests mostly wait for a process or a socket: one or two workers leave a core idle.
    maxWorkers: 3,
    // The test files of a worker share a process: importing the modules for each would take longer than most of its tests.
    isolate: false,
    // All limits are guards: no test may depend on how fast the machine is.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['packages/*/test/**/*.test.ts', 'hosts/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/*.process.test.ts'],
          setupFiles: ['./test/isolatedFolders.ts', './test/propertySeed.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: [
            'packages/*/test/**/*.process.test.ts',
            'hosts/*/test/**/*.process.test.ts',
            'test/**/*.process.test.ts',
          ],
          setupFiles: ['./test/isolatedFolders.ts', './test/propertySeed.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['./test/buildCommand.ts'],
        },
      },
    ],
  },
});
