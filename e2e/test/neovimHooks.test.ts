import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { claude } from '../src/agents/claude.js';
import { NeovimUser } from '../src/neovim/neovimUser.js';
import { Sandbox } from '../src/sandbox.js';

/** Claude Code in a terminal of Neovim, in a mode in which it writes without a question. */

let sandbox: Sandbox;
let user: NeovimUser;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  user = await NeovimUser.start(sandbox, await sandbox.folder('workspace'));
});

afterAll(async () => {
  await user?.dispose();
  await sandbox?.dispose();
});

const start = () => user.startAgent(claude, ['--permission-mode', 'acceptEdits']);

it('has its edits recorded, or lets them wait if the user has chosen that meanwhile, and keeps its settings', async () => {
  const path = await sandbox.write(`${user.folder}/a.txt`, 'one\ntwo\nthree\n');
  const writing = await start();
  const settings = join(sandbox.home, '.claude/settings.json');
  const before = await readFile(settings, 'utf8').catch(() => undefined);
  await writing.propose(claude.replaceText(path, 'two', 'TWO'));
  await writing.waitUntilDone();
  expect(await readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
  await user.neovim.command('Tandem changes');
  await user.waitFor(/a\.txt.*\+1 -1/);
  // Its status line would hide the state that tests wait for.
  await user.neovim.command('cclose');
  await writing.dispose();

  const options = "{ hooks = 'before', command = vim.json.decode(vim.env.TANDEM_EDITOR_COMMAND) }";
  await user.neovim.command(`lua require('tandem').setup(${options})`);
  // Neovim does not wait for the companion, which then writes the launcher anew.
  const [launcher] = z.tuple([z.string()]).parse(await user.neovim.lua("{ vim.fn.exepath('claude') }"));
  await vi.waitFor(async () => expect(await readFile(launcher, 'utf8')).toContain('_MODE=before'), {
    timeout: 20_000,
  });
  const held = await start();
  await held.propose(claude.replaceText(path, 'three', 'THREE'));
  await user.waitForReviews(1);
  expect(await readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
  await user.openReview();
  await user.accept();
  await held.waitUntilDone();
  expect(await readFile(path, 'utf8')).toBe('one\nTWO\nTHREE\n');
  await held.dispose();
  expect(await readFile(settings, 'utf8').catch(() => undefined)).toBe(before);
});
