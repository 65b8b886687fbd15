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
  // Its last hook also makes Tandem look at the files.
  await writing.waitUntilIdle();
  expect(await readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
  await user.neovim.command('Tandem changes');
  await user.waitFor(/Claude Code, Turn 1: please make edit/);
  await user.waitFor(/a\.txt\|2\| \+1 -1 · Claude Code changed this \(Edit/);
  // Its status line would hide the state that tests wait for.
  await user.neovim.command('cclose');
  await decideAtLine(path);
  await writing.dispose();

  const options = "{ hooks = 'before', command = vim.json.decode(vim.env.TANDEM_EDITOR_COMMAND) }";
  await user.neovim.command(`lua require('tandem').setup(${options})`);
  // Neovim does not wait for the companion, which rewrites the launcher later.
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

/** Looks at the change of line 2, undoes it, redoes it and keeps it. */
async function decideAtLine(path: string): Promise<void> {
  const { neovim } = user;
  const statusLine = () => neovim.lua('{ require("tandem").statusline() }');
  const signs = `vim.tbl_map(function(mark) return { mark[2], vim.trim(mark[4].sign_text) } end,
    vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true, type = "sign" }))`.replaceAll('\n', ' ');
  await neovim.command(`edit ${path}`);
  await expect.poll(() => neovim.lua(signs)).toEqual([[1, '┃']]);
  expect(await statusLine()).toEqual(['Tandem: 1 file to review, 1 agent']);
  await neovim.command('Tandem undo');
  await user.waitFor(/No change waits in this line/);
  await neovim.type('\r');
  await neovim.command('Tandem next-change');
  await neovim.command('Tandem show-change');
  await user.waitFor(/-two/);
  await user.waitFor(/\+TWO/);
  await neovim.type('0');
  await neovim.command('Tandem undo');
  await user.waitFor(/a\.txt returns to its earlier text|a\.txt is back to its earlier text/);
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\nthree\n');
  await expect.poll(() => neovim.lua(signs)).toEqual([]);
  await neovim.command('Tandem redo');
  await expect.poll(() => readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
  await expect.poll(() => neovim.lua(signs)).toEqual([[1, '┃']]);
  await neovim.command('2Tandem keep');
  await user.waitFor(/is kept as it is/);
  await expect.poll(() => neovim.lua(signs)).toEqual([]);
  await expect.poll(statusLine).toEqual(['Tandem: 1 agent']);
  expect(await readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
}
