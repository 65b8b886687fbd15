import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { neovimPath, neovimPlugin } from '../src/neovim/neovimPrograms.js';
import { openSandbox } from '../src/stage.js';
import { tandem } from '../src/tandem.js';

const peer = fileURLToPath(new URL('../src/editorPeer.mjs', import.meta.url));

it('does in Neovim what every editor must do, as tandem editor --check reports it', async () => {
  const sandbox = await openSandbox();
  const driver = `${neovimPlugin}/test/driver.lua`;
  const editor = [neovimPath(), '--headless', '--clean', '-u', driver];
  const check = ['editor', '--check', process.execPath, peer, ...editor];
  const { code, stdout } = await tandem(sandbox, sandbox.root, check);
  expect(stdout).toMatch(/\b(\d+) of \1 checks passed/);
  expect(stdout).not.toContain('does not support');
  expect(code).toBe(0);
});
