import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds the `tandem` command once before the tests that start it as a process. */
export function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs', '--command-only'], { cwd: root, stdio: 'inherit' });
}
