import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Gives every test file its own HOME and TMPDIR, so that no test reads or writes a real discovery file, and removes
 * them afterwards. Test files share a process, one after the other: the environment is restored in place. The names are
 * short, because the path of a socket in them is limited: a longer one would be in `/tmp`, where a killed companion leaves it.
 */
const worker: typeof globalThis & { outerEnvironment?: NodeJS.ProcessEnv } = globalThis;
worker.outerEnvironment ??= { ...process.env };
const outer = worker.outerEnvironment;
// A file whose tests are all skipped runs no `afterAll`: the folders of the next one would be in its folders.
restoreEnvironment();
const root = realpathSync(mkdtempSync(join(tmpdir(), 't-')));
const home = mkdtempSync(join(root, 'h-'));

for (const name of ['XDG_STATE_HOME', 'CLAUDE_CONFIG_DIR', 'QWEN_HOME', 'CODEX_HOME', 'COPILOT_HOME'])
  delete process.env[name];
// npm sets it for `npm test`; messages then name `npx tandem` in place of `tandem`.
delete process.env.npm_command;
Object.assign(process.env, { HOME: home, USERPROFILE: home, TMPDIR: mkdtempSync(join(root, 't-')) });

afterAll(() => {
  restoreEnvironment();
  rmSync(root, { recursive: true, force: true });
});

function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in outer)) delete process.env[name];
  Object.assign(process.env, outer);
}
