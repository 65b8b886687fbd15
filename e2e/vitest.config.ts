import { defineConfig } from 'vitest/config';
import { exhaustiveTag } from '../test/exhaustive.js';
import { useMemoryFolder } from '../test/memoryFolder.js';
import { LongestFirst } from './src/longestFirst.js';

useMemoryFolder();

/**
 * Tests with real programs, three files at a time on any machine: a CLI uses a whole core while it starts, and mostly
 * waits afterwards. Four take as long on two cores, which are busy all the time. The files of a worker share a process, so
 * shared modules are imported once.
 */
export default defineConfig({
  root: import.meta.dirname,
  // The editor contract runs on our own sources, in the test's process.
  resolve: { conditions: ['@tandem/source'] },
  ssr: { resolve: { conditions: ['@tandem/source'] } },
  test: {
    tags: [exhaustiveTag],
    include: ['test/**/*.test.ts'],
    globalSetup: ['./src/pinnedPrograms.ts'],
    maxWorkers: 3,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    unstubEnvs: true,
    // All limits are guards, for a machine that is busy starting a CLI: they cost a passing test nothing.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
