import { defineConfig } from 'vitest/config';

/**
 * Real programs, two files at a time whatever the machine has: a CLI takes a whole core while it starts, and waits for
 * its model, a person or a disk after that.
 */
export default defineConfig({
  root: import.meta.dirname,
  // The editor contract runs on our own sources, in the test's process.
  resolve: { conditions: ['@tandem/source'] },
  ssr: { resolve: { conditions: ['@tandem/source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['./src/pinnedPrograms.ts'],
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
