import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { pick } from '../src/json.js';
import type { Neovim } from '../src/neovim/neovim.js';
import { NeovimStage, PROPOSED, TEXT } from '../src/neovim/neovimStage.js';

let stage: NeovimStage;
let neovim: Neovim;

beforeAll(async () => {
  stage = await NeovimStage.create();
  neovim = stage.neovim;
});

afterAll(() => stage?.dispose());

describe('the left side', () => {
  it.each<[string, string]>([
    [':edit in it', '\x17h:edit\r\x17l'],
    [':bunload', ':bunload! tandem://file/\r:Tandem\r'],
    [':bdelete', ':bdelete! tandem://file/\r:Tandem\r'],
    [':bwipeout', ':bwipeout! tandem://file/\r:Tandem\r'],
    [':%bdelete', ':%bdelete!\r:edit first.txt\r:Tandem\r'],
    ['closing it', '\x17h:q\r:Tandem\r'],
  ])('keeps the text of the file after %s, so that do brings its line back', async (_name, keys) => {
    const { answer } = await stage.reviewing();
    await neovim.type(keys);
    await neovim.waitFor('(current file)');
    await neovim.waitFor(/\btwo\b/);
    await neovim.type('2Gdo');
    await neovim.terminal.waitFor((screen) => !screen.includes('TWO'), 10_000);
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'two')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });
});

describe('after a decision', () => {
  it('the user is in the window and on the tab page from before, also after several reviews', async () => {
    await stage.reset();
    await neovim.type(':vsplit\r:split\r\x17j:tabnew\r:tabfirst\r');
    const before = await neovim.situation();
    const first = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/3');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/4');
    expect(await neovim.lua('{ vim.fn.tabpagenr("#") }')).toEqual([2]);
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=3/4');
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=4/4');
    await neovim.command('w');
    await second.answer;
    await neovim.waitFor('reviews=1 tabs=3/3');
    await neovim.command('w');
    await first.answer;
    await neovim.waitFor('reviews=0 tabs=1/2 decided=aa');
    expect(await neovim.situation()).toEqual(before);
  });
});

describe('a review survives', () => {
  it(':w | qa! on one line: the agent gets the answer', async () => {
    const other = await NeovimStage.create();
    try {
      const { answer } = await other.reviewing();
      await other.neovim.command('w | qa!');
      expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
      await other.neovim.terminal.exited;
    } finally {
      await other.dispose();
    }
  });

  it('a session file, whose dead views neither stay nor block others', async () => {
    await stage.reset();
    const session = stage.path('Session.vim');
    const first = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem');
    await neovim.waitFor('tabs=2/2');
    await neovim.command(`mksession! ${session}`);
    await first.withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
    await neovim.command(`silent source ${session} | let g:sourced = 1`);
    await neovim.waitFor('reviews=0 tabs=1/1');
    const names = 'vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())';
    await expect.poll(() => neovim.lua('{ vim.g.sourced or 0 }')).toEqual([1]);
    await expect
      .poll(async () => String(await neovim.lua(names)), { timeout: 5_000 })
      .not.toContain('tandem://');
    const { answer } = await stage.reviewing();
    await neovim.command('w');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
  });

  it("the options 'modifiable', 'readonly' and 'autochdir' of the user", async () => {
    const folders = 'require("tandem.client").workspace_folders()';
    onTestFinished(async () => {
      await neovim.command('set noautochdir | set modifiable noreadonly');
      await neovim.command(`cd ${stage.workspace}`);
    });
    await stage.put('inner/file.txt');
    await stage.reset();
    await neovim.command('edit inner/file.txt | set autochdir | setglobal nomodifiable readonly');
    await neovim.type('gg');
    expect(await neovim.lua('{ vim.fn.getcwd() }')).toEqual([stage.path('inner')]);
    const proposal = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    expect(await neovim.lua(folders)).toEqual([stage.workspace]);
    await neovim.command('Tandem');
    await neovim.waitFor('tabs=2/2');
    await neovim.type('2GA!\x1b:w\r');
    expect(await proposal.answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO!')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    expect(await neovim.lua(folders)).toEqual([stage.workspace]);
  });

  it('Select mode, in which the user goes on typing', async () => {
    const { path, withdraw } = await stage.reviewing();
    await neovim.type('2Ggh');
    await expect.poll(async () => pick(await neovim.situation(), 'mode')).toBe('s');
    await withdraw();
    await neovim.waitFor('no longer proposed');
    await neovim.type('typed \x1b');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
    await neovim.applyInterrupted(path);
    expect(await readFile(path, 'utf8')).toBe(PROPOSED.replace('TWO', 'typed WO'));
  });
});

describe('a warning', () => {
  it('is shown on lines of its own, whole at any width, in the view and in the list, with the path', async () => {
    onTestFinished(() => neovim.command('set columns=160'));
    await stage.reset();
    await neovim.command('set columns=60');
    const { withdraw } = await stage.pending(TEXT, '.git/hooks/pre-commit');
    await neovim.waitFor('reviews=1 tabs=1/2');
    const warnings = z
      .array(z.string())
      .parse(await neovim.lua('require("tandem.reviews").all[1].shown.warnings'));
    expect(warnings.join()).toContain('.git folder');
    /** Without the ends of the lines. */
    const words = () => neovim.terminal.screen().replaceAll(/\s+/g, ' ');
    await neovim.command('Tandem');
    await neovim.waitFor('tabs=2/2');
    await neovim.waitFor('Claude Code');
    for (const warning of warnings) expect(words()).toContain(warning);
    await neovim.command('tabfirst');
    await neovim.command('Tandem list');
    await neovim.waitFor('.git/hooks/pre-commit|2| Claude Code');
    await neovim.command('cclose');
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
  });
});
