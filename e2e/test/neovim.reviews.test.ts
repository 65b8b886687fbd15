import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Neovim } from '../src/neovim/neovim.js';
import { KEPT_LINE, NeovimStage, PROPOSED, TEXT } from '../src/neovim/neovimStage.js';

let stage: NeovimStage;
let neovim: Neovim;

beforeAll(async () => {
  stage = await NeovimStage.create();
  neovim = stage.neovim;
});

afterAll(() => stage?.dispose());

describe('the user decides in the diff', () => {
  it('accepts with :w', async () => {
    const { answer } = await stage.reviewing();
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('drops a hunk with do, brings it back with u and drops another with dp', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2Gdou');
    await neovim.type('\x17h5Gdp');
    await neovim.command('Tandem accept');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('FIVE', 'five')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('corrects the text, in Insert mode until the agent gets it', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2GA, 文 🦋\rnew\x1b:wq\r');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO, 文 🦋\nnew')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('accepts nothing with :wall', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2GA!\x1b:wall\r');
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    await neovim.command('Tandem reject');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
  });

  it.each([
    ['a loop over all windows', ':tabdo windo silent! write\r:tablast\r'],
    ['a mapping that saves all windows', ' s:tablast\r'],
  ])('accepts nothing with %s, typed in another window', async (_name, keys) => {
    await neovim.lua(
      `(function()
      vim.keymap.set('n', ' s', function()
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          vim.api.nvim_win_call(window, function() vim.cmd('silent! write') end)
        end
      end)
      return true end)()`.replaceAll('\n', ' '),
    );
    await stage.reset();
    const { answer } = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.type(keys);
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    await neovim.command('Tandem reject');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
  });

  it.each([
    [':w', ':w\r'],
    [':write!', ':write!\r'],
    [':wq', ':wq\r'],
    [':x', ':x\r'],
    [':exit', ':exit\r'],
    [':update', ':update\r'],
    ['ZZ', 'ZZ'],
    ['the command-line window', 'q:iw\x1b\r'],
    ['the last command', ':let g:x = 1\r:w\x1b:w\r'],
    ['a mapping to :w', ' v'],
    ['a mapping to <Cmd>w', ' w'],
    ['a mapping to <Cmd>update', ' u'],
    ['a mapping to a Lua function', ' f'],
    ['a mapping to a function that waits first', ' p'],
    ['a mapping of Insert mode to <Cmd>w', 'A!\x13'],
    ['a mapping of Insert mode to :w', 'A!\x04'],
    ['a command of their own', ':Save\r'],
    ['a register', ":let @q = ':w' . nr2char(13)\r@q"],
  ])('accepts with %s', async (_name, keys) => {
    await neovim.lua(
      `(function()
      local function write() vim.cmd('silent write') end
      vim.keymap.set('n', ' v', ':w<CR>')
      vim.keymap.set('n', ' w', '<Cmd>w<CR>')
      vim.keymap.set('n', ' u', '<Cmd>update<CR>')
      vim.keymap.set('n', ' f', write)
      vim.keymap.set('n', ' p', function() vim.wait(30) write() end)
      vim.keymap.set('i', '<C-s>', '<Cmd>w<CR>')
      vim.keymap.set('i', '<C-d>', '<Esc>:w<CR>')
      vim.api.nvim_create_user_command('Save', write, {})
      return true end)()`.replaceAll('\n', ' '),
    );
    const { answer } = await stage.reviewing();
    await neovim.type(keys);
    const [verdict, text] = await answer;
    expect(verdict).toBe('FILE_SAVED');
    expect(text).toBe(keys.startsWith('A!') ? PROPOSED.replace('TWO', 'TWO!') : PROPOSED);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it.each<[string, string]>([
    ['TextChanged', `vim.cmd[[autocmd saving TextChanged * ++nested silent! write]]`],
    [
      'InsertLeave, BufLeave and FocusLost',
      `vim.cmd[[autocmd saving InsertLeave,BufLeave,WinLeave,FocusLost * ++nested silent! update]] vim.cmd[[autocmd saving InsertLeave,BufLeave * ++nested silent! write]]`,
    ],
    [
      'a function of InsertLeave',
      `vim.api.nvim_create_autocmd({"InsertLeave","TextChanged"}, { group = "saving", nested = true, callback = function() vim.cmd("silent! write") end })`,
    ],
    [
      'vim.schedule',
      `vim.api.nvim_create_autocmd({"InsertLeave","TextChanged","CursorMoved"}, { group = "saving", callback = function() vim.schedule(function() vim.cmd("silent! write") end) end })`,
    ],
    [
      'vim.defer_fn',
      `vim.api.nvim_create_autocmd({"InsertLeave","TextChanged","TextChangedI"}, { group = "saving", callback = function() vim.defer_fn(function() vim.cmd("silent! write") end, 30) end })`,
    ],
    [
      'a timer',
      `_G.saver = vim.fn.timer_start(20, function() vim.cmd("silent! write") end, { ["repeat"] = -1 })`,
    ],
    [
      'a timer of libuv for each buffer',
      `_G.uv = vim.uv.new_timer() _G.uv:start(20, 20, vim.schedule_wrap(function() for _, buffer in ipairs(vim.api.nvim_list_bufs()) do vim.api.nvim_buf_call(buffer, function() vim.cmd("silent! write") end) end end))`,
    ],
    [
      'keys that a plugin feeds',
      `vim.api.nvim_create_autocmd("InsertLeave", { group = "saving", callback = function() vim.schedule(function() vim.api.nvim_feedkeys(":silent! write" .. vim.keycode("<CR>"), "n", false) end) end })`,
    ],
    ['leaving the command line', `vim.cmd[[autocmd saving CmdlineLeave * ++nested silent! write]]`],
    [
      'a loop over all windows',
      `vim.api.nvim_create_autocmd("InsertLeave", { group = "saving", nested = true, callback = function() vim.cmd("silent! tabdo windo write") end })`,
    ],
  ])('accepts nothing when a plugin saves by %s', async (_name, plugin) => {
    onTestFinished(async () => {
      const stop =
        'if _G.saver then vim.fn.timer_stop(_G.saver) _G.saver = nil end if _G.uv then _G.uv:close() _G.uv = nil end';
      await neovim.lua(`(function() vim.api.nvim_create_augroup("saving", {}) ${stop} return true end)()`);
    });
    await stage.reset();
    await neovim.lua(`(function() vim.api.nvim_create_augroup("saving", {}) ${plugin} return true end)()`);
    const { answer } = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.type('gt');
    await neovim.waitFor('tabs=2/2');
    await neovim.type('jjx');
    await neovim.type('A!\x1b');
    await neovim.type(':let g:x = 1\rd\x1b');
    // Longer than each of the timers.
    await neovim.type(':sleep 80m\r');
    await neovim.waitFor('hree!');
    await neovim.type('gT');
    await neovim.waitFor('reviews=1 tabs=1/2 decided=>');
    await neovim.type('gt');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('three', 'hree!')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('keeps the review when its view is unloaded, and opens it again with the edited text', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2GA!\x1b:bwipeout!\r');
    await neovim.waitFor('reviews=1 tabs=1/1');
    await neovim.command('Tandem');
    await neovim.waitFor('TWO!');
    await neovim.command('bdelete');
    await neovim.waitFor('reviews=1 tabs=1/1');
    await neovim.command('Tandem');
    await neovim.waitFor('TWO!');
    await neovim.type('2GA?\x1b:w\r');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO!?')]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('goes from review to review, also of one file, and rejects one with a text', async () => {
    await stage.reset();
    const first = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=2/3');
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=3/3');
    await neovim.command('Tandem reject keep the old name');
    expect((await second.answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=1 tabs=2/2');
    await neovim.command('tabfirst | Tandem list');
    await neovim.waitFor('[Quickfix List]');
    await neovim.type('\r');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('Tandem accept');
    expect(await first.answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=ra');
  });

  it('accepts a whole session, with the edits that the question names', async () => {
    const first = await stage.reviewing();
    await neovim.type('2GA!\x1b:tabfirst\r');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem accept-session');
    await neovim.waitFor(/Accept 2 proposals by Claude Code\?(?:.*\n)+.*With your edits: /);
    await neovim.type('a');
    expect(await first.answer).toEqual(['FILE_SAVED', PROPOSED.replace('TWO', 'TWO!')]);
    expect(await second.answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=aa');
  });

  it('rejects what it did not edit of a session, or nothing', async () => {
    const first = await stage.reviewing();
    await neovim.type('2GA!\x1b:tabfirst\r');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem accept-session');
    await neovim.waitFor('(A)ccept 2 proposals, [C]ancel');
    await neovim.type('c');
    // Neovim drops what is typed before it has closed the question.
    await neovim.situation();
    await neovim.command('Tandem reject-session');
    await neovim.waitFor('(R)eject only the unedited');
    await neovim.type('r');
    expect((await second.answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=1 tabs=1/2 decided=r>');
    await first.withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=rw');
  });

  it('goes on typing in a review that is withdrawn, and finds the text in the interrupted one', async () => {
    const { path, withdraw } = await stage.reviewing();
    await neovim.type('2GA, mi');
    await neovim.waitFor('TWO, mi');
    await withdraw();
    await neovim.waitFor('no longer proposed');
    // The pause after which text is sent is over, too.
    await expect
      .poll(() => neovim.lua('{ require("tandem.reviews").all[1].timer:is_active() }'))
      .toEqual([false]);
    await neovim.type('ne\x1b');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
    await neovim.waitFor('Apply or discard it');
    await neovim.showInterrupted(path);
    await neovim.waitFor('TWO, mine');
    await neovim.command('tabclose');
    await neovim.applyInterrupted(path);
    expect(await readFile(path, 'utf8')).toBe(PROPOSED.replace('TWO', 'TWO, mine'));
  });

  it('closes a review that was withdrawn in Insert mode when a click leaves it', async () => {
    const { path, withdraw } = await stage.reviewing();
    await neovim.type('2GA, mine');
    await neovim.waitFor('TWO, mine');
    await withdraw();
    await neovim.waitFor('no longer proposed');
    await neovim.lua('{ vim.api.nvim_input_mouse("left", "press", "", 0, 8, 5) }');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
    await neovim.showInterrupted(path);
    await neovim.waitFor('TWO, mine');
  });

  it('keeps what is typed after the decision in a buffer', async () => {
    const { answer } = await stage.reviewing();
    // In one step, so that Tandem answers later.
    await neovim.command('write | 2 | normal! A, late');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    await expect.poll(() => neovim.lua(KEPT_LINE)).toEqual(['TWO, late']);
    await neovim.command('bwipeout! tandem://kept');
  });

  it('accepts the empty text when all lines are deleted', async () => {
    const { answer } = await stage.reviewing();
    await neovim.command('%d | w');
    expect(await answer).toEqual(['FILE_SAVED', '']);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('writes copies to other files, which decides nothing', async () => {
    const { answer } = await stage.reviewing();
    const edited = PROPOSED.replace('TWO', 'TWO!');
    const read = (name: string) => readFile(stage.path(name), 'utf8').catch(() => '');
    await neovim.type('2GA!\x1b');
    await neovim.command('w copy.txt');
    await neovim.waitFor('copy.txt is written; the review stays pending');
    await neovim.command('w >> copy.txt');
    await neovim.command('2,3w part.txt');
    await expect.poll(() => read('part.txt')).toBe('TWO!\nthree\n');
    expect(await read('copy.txt')).toBe(edited + edited);
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', edited]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('opens a deleted view with later changes of the file, and accepts what is typed there', async () => {
    const { path, answer } = await stage.reviewing();
    await neovim.command('bdelete');
    await neovim.waitFor('reviews=1 tabs=1/1');
    await stage.put(basename(path), `${TEXT}seven\n`);
    await expect.poll(() => neovim.lua('require("tandem.reviews").all[1].shown.file')).toBe('merged');
    await neovim.command('Tandem');
    await neovim.waitFor('seven');
    await neovim.type('2GA!\x1b:w\r');
    expect(await answer).toEqual(['FILE_SAVED', `${PROPOSED.replace('TWO', 'TWO!')}seven\n`]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('undoes the merge of a change of the file, which is one of the actions', async () => {
    const { path, answer } = await stage.reviewing();
    await stage.put(basename(path), `${TEXT}seven\n`);
    await neovim.waitFor('seven');
    await neovim.command('Tandem action');
    await neovim.waitFor('3: Undo the merge');
    await neovim.type('3\r');
    await neovim.waitFor('The merge is undone.');
    await neovim.command('Tandem accept');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('comments on lines, which are shown below them', async () => {
    const { withdraw } = await stage.reviewing();
    await neovim.command('2,3Tandem comment Why capitals?');
    await neovim.waitFor('┃ Why capitals?');
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=w');
  });
});

describe("closing the view, by the option 'on_close'", () => {
  const set = async (value: string) => {
    await stage.reset();
    await neovim.command('Tandem stop');
    await neovim.waitFor(' stopped ');
    await neovim.command(`lua require("tandem.config").current.on_close = "${value}"`);
    await neovim.command('Tandem start');
    await neovim.waitFor(' running ');
    await stage.reconnect();
  };

  it.each([':tabclose\r', ':q\r', ':close\r', 'ZQ'])(
    'rejects a review by default: %j [EDT-30]',
    async (keys) => {
      const { answer } = await stage.reviewing();
      await neovim.type(keys);
      expect((await answer)[0]).toBe('DIFF_REJECTED');
      await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
      await neovim.waitFor('Closing the view rejected the proposal by Claude Code for');
    },
  );

  it('asks first if the user has edited it', async () => {
    const { answer } = await stage.reviewing();
    await neovim.type('2GA!\x1b:tabclose\r');
    await neovim.waitFor(/You edited the proposal by Claude Code for .*Decide it now\?/);
    await neovim.type('\r');
    await neovim.waitFor('reviews=1 tabs=1/1 decided=>');
    await neovim.command('Tandem');
    await neovim.waitFor('TWO!');
    await neovim.type(':tabclose\r');
    await neovim.waitFor('(S)how again');
    await neovim.type('s');
    await neovim.waitFor('tabs=2/2');
    await neovim.type(':tabclose\r');
    await neovim.waitFor('(R)eject');
    await neovim.type('r');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
  });

  it('rejects nothing when several views are closed at once, or only the left side', async () => {
    await stage.reset();
    const first = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    const second = await stage.pending();
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('tabonly');
    await neovim.waitFor('reviews=2 tabs=1/1 decided=>');
    await neovim.waitFor('Closing several views rejects nothing');
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('only');
    await neovim.command('Tandem next');
    await neovim.waitFor('tabs=3/3');
    await neovim.command('Tandem prev');
    await neovim.waitFor('(current file)');
    for (const { withdraw } of [first, second]) await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1 decided=ww');
  });

  it('keeps a review pending, or always asks', async () => {
    await set('keep');
    const { answer } = await stage.reviewing();
    await neovim.command('tabclose');
    await neovim.waitFor('reviews=1 tabs=1/1 decided=>');
    await neovim.command('Tandem reject');
    await answer;
    await set('ask');
    const { answer: asked } = await stage.reviewing();
    await neovim.command('tabclose');
    await neovim.waitFor('(R)eject');
    await neovim.type('r');
    expect((await asked)[0]).toBe('DIFF_REJECTED');
    await neovim.waitFor('reviews=0 tabs=1/1 decided=r');
    await set('reject');
  });
});
