import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Gives every test file a HOME and a TMPDIR of its own, so that no test reads or writes a real discovery file,
 * and removes them afterwards. Files run in processes of their own, so the environment is not shared.
 */
const root = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-test-')));
const outer = { ...process.env };

for (const name of ['HOME', 'TMPDIR', 'XDG_STATE_HOME', 'CLAUDE_CONFIG_DIR', 'QWEN_HOME'])
  delete process.env[name];
process.env.HOME = mkdtempSync(join(root, 'home-'));
process.env.USERPROFILE = process.env.HOME;
process.env.TMPDIR = mkdtempSync(join(root, 'tmp-'));

afterAll(() => {
  process.env = outer;
  rmSync(root, { recursive: true, force: true });
});
