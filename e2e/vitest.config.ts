import { defineConfig } from 'vitest/config';

/**
 * Real programs, one file at a time: a CLI takes a whole core while it starts, and two at once on a small
 * machine make timings that no test should depend on.
 */
export default defineConfig({
  root: import.meta.dirname,
  // The editor contract runs on our own sources, in the test's process.
  resolve: { conditions: ['@tandem/source'] },
  ssr: { resolve: { conditions: ['@tandem/source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['./src/pinnedPrograms.ts'],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
