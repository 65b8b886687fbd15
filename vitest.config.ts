import { defineConfig } from 'vitest/config';

/**
 * Two groups. `fast` is what `npm run check` runs: no child process. `process` starts real companions, real
 * commands and heavy inputs. Both run with a HOME and a TMPDIR of their own (test/isolatedFolders.ts).
 */
export default defineConfig({
  resolve: { conditions: ['@tandem/source'] },
  ssr: { resolve: { conditions: ['@tandem/source'] } },
  test: {
    // Most of a test is waiting, for a process or a socket: one on a machine of two cores, the default, is half idle.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['packages/*/test/**/*.test.ts', 'hosts/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/*.process.test.ts'],
          setupFiles: ['./test/isolatedFolders.ts'],
          // Files share a process: to import the same modules for each of them takes longer than its tests.
          isolate: false,
          testTimeout: 10_000,
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
          setupFiles: ['./test/isolatedFolders.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['./test/buildCommand.ts'],
        },
      },
    ],
  },
});
