import { readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Neovim } from '../src/neovim/neovim.js';
import { NeovimStage, PROPOSED } from '../src/neovim/neovimStage.js';

let stage: NeovimStage;
let neovim: Neovim;

/** What every command in these names would create. */
const MARK = 'ran';

beforeAll(async () => {
  stage = await NeovimStage.create();
  neovim = stage.neovim;
  // Popular tab lines show the names of buffers as they are; so does this one.
  const names = 'vim.fn.fnamemodify(vim.fn.bufname(vim.fn.tabpagebuflist(tab)[1]), [[:t]])';
  await neovim.lua(
    `(function() function _G.tabs() return table.concat(vim.tbl_map(function(tab) return ${names} end, vim.fn.range(1, vim.fn.tabpagenr("$")))) end vim.o.tabline = "%!v:lua.tabs()" return true end)()`,
  );
});

afterAll(() => stage?.dispose());

/** Commands in names run in the folder of Neovim. */
async function expectNothingRan(): Promise<void> {
  expect(await readdir(stage.workspace)).not.toContain(MARK);
}

afterEach(async () => {
  try {
    await expectNothingRan();
  } finally {
    await rm(stage.path(MARK), { force: true });
  }
});

/** Runs Lua statements. */
const run = (statements: string): Promise<unknown> =>
  neovim.lua(`(function() ${statements.replaceAll('\n', ' ')} return true end)()`);

describe('a name runs nothing, wherever it is shown', () => {
  it.each([
    `\`touch ${MARK}\`.t`,
    `x\`touch ${MARK}\`.rules`,
    `{a,\`touch ${MARK}\`}.t`,
    `"{a}\ntouch ${MARK}\n.t`,
    `|!touch ${MARK}`,
    `$(touch ${MARK}).t`,
    `+!touch ${MARK}`,
    `=system("touch ${MARK}")`,
    `%{system('touch ${MARK}')}`,
    `%!system('touch ${MARK}')`,
    `%{%v:lua.os.execute('touch ${MARK}')%}`,
    '%',
    '#',
    '<cword>',
    '*',
    'term:',
    '\x1b]0;title\x07.txt',
    'a.zip',
    'a.tar',
    'a.gpg',
  ])('%j', async (name) => {
    await stage.reset();
    const { answer } = stage.propose(stage.path(name));
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem list');
    await neovim.waitFor('[Quickfix List]');
    await neovim.command('cclose');
    await neovim.command('Tandem review');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('edit');
    await neovim.command('bdelete');
    await neovim.waitFor('reviews=1 tabs=1/1');
    await neovim.command('Tandem review');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('Tandem accept');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
  });

  it('not even where several reviews are offered for a choice, each on one line', async () => {
    await stage.reset();
    const first = stage.propose(stage.path('one\n3: three.txt'));
    await neovim.waitFor('reviews=1 tabs=1/2');
    const second = stage.propose(stage.path('two.txt'));
    await neovim.waitFor('reviews=2 tabs=1/3');
    await neovim.command('Tandem');
    await neovim.waitFor(/^2: .*two\.txt/m);
    expect(neovim.terminal.screen()).toMatch(/^1: .*one␊3: three\.txt *$/m);
    await neovim.type('q');
    await neovim.situation();
    for (const { withdraw } of [first, second]) await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
  });

  it('not even when its file is compared with unsaved changes', async () => {
    await stage.reset();
    const name = `a\n!touch ${MARK}`;
    const path = await stage.put(name);
    await run(
      `vim.cmd.edit({ args = { vim.json.decode([==[${JSON.stringify(path)}]==]) }, magic = { file = false, bar = false } })`,
    );
    const { answer } = stage.propose(path);
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem accept');
    await answer;
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    await neovim.type('Omine\x1b');
    await neovim.waitFor('mine');
    await stage.put(name, PROPOSED);
    await neovim.waitFor('tabs=1/2');
    await neovim.command('tabnext');
    await neovim.waitFor('FIVE');
  });

  it('not even when the user undoes changes of the file, by its completed name', async () => {
    await stage.reset();
    const path = await stage.put(`named \`touch ${MARK}\`.txt`);
    const { answer } = stage.propose(path);
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem accept');
    await answer;
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    await stage.put(basename(path), PROPOSED);
    // Completes twice: the second time from the complete name.
    await neovim.type(':Tandem undo named\t');
    await neovim.waitFor(`:Tandem undo named \`touch ${MARK}\`.txt`);
    await neovim.type('\x05\x08t\t\r');
    await neovim.waitFor('is back to its earlier text');
  });
});

describe('a text changes nothing in the editor', () => {
  it('by its modelines, also when its view is loaded again', async () => {
    onTestFinished(async () => void (await run('vim.api.nvim_del_augroup_by_name("types")')));
    onTestFinished(async () => void (await run('vim.go.modeline = false')));
    // It is off for root only.
    await run('vim.go.modeline = true');
    await stage.reset();
    await run(`_G.types = {}
      vim.api.nvim_create_autocmd("FileType", { group = vim.api.nvim_create_augroup("types", {}),
        callback = function(event) table.insert(_G.types, event.match) end })`);
    const proposal = stage.propose(stage.path('model.py'), 'x = 1\n# vim: set ft=sh nomodifiable sw=3:\n');
    await neovim.waitFor('reviews=1 tabs=1/2');
    for (const keys of [':Tandem\r', ':edit\r', '\x17h:edit\r\x17l', ':bdelete\r', ':Tandem\r']) {
      await neovim.type(keys);
    }
    await neovim.waitFor('tabs=2/2');
    expect(await neovim.lua('types')).toEqual([]);
    const options = `vim.tbl_map(function(buffer)
      return { vim.bo[buffer].filetype, vim.bo[buffer].swapfile, vim.bo[buffer].modeline, vim.bo[buffer].buftype }
    end, vim.tbl_filter(function(buffer)
      return vim.startswith(vim.api.nvim_buf_get_name(buffer), [[tandem://]])
    end, vim.fn.tabpagebuflist()))`.replaceAll('\n', ' ');
    expect(await neovim.lua(options)).toEqual([
      ['', false, false, 'nofile'],
      ['', false, false, 'acwrite'],
    ]);
    await proposal.withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
  });
});

describe('highlighting', () => {
  it('matches no name in a text with the rules for file types, which expand names', async () => {
    const folder = stage.sandbox.root;
    await stage.sandbox.write(
      `${folder}/after/queries/lua/injections.scm`,
      ';; extends\n((function_call arguments: (arguments . (string content: _ @injection.filename) . (string content: _ @injection.content))))\n',
    );
    await run(`vim.opt.runtimepath:append("${folder}/after")
      _G.matched = {}
      vim.filetype.add({ extension = { matched = function(path) table.insert(_G.matched, path) end } })`);
    await stage.reset();
    const proposal = stage.propose(stage.path('a.lua'), 'file("name.matched", "text")\n');
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem');
    await neovim.waitFor('name.matched');
    expect(await neovim.lua('languages()')).toEqual(['parser lua', 'parser lua']);
    await run('vim.treesitter.get_parser(require("tandem.reviews").all[1].right):parse(true)');
    expect(await neovim.lua('matched')).toEqual([]);
    await proposal.withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
  });
});

describe('a file that an agent opens', () => {
  const open = (path: string) =>
    stage.call('openFile', {
      filePath: path,
      preview: false,
      startText: '',
      endText: '',
      makeFrontmost: true,
    });

  it('is read as a file, by no handler of archives or addresses', async () => {
    onTestFinished(async () => void (await run('vim.api.nvim_del_augroup_by_name("archives")')));
    await run(`_G.archives = {}
      vim.api.nvim_create_autocmd("BufReadCmd", { group = vim.api.nvim_create_augroup("archives", {}),
        pattern = { "*.zip", "*.gpg" }, callback = function(event) table.insert(_G.archives, event.match) end })`);
    await stage.reset();
    await open(await stage.put('archive.zip', 'not an archive\n'));
    await neovim.waitFor('not an archive');
    expect(await neovim.lua('archives')).toEqual([]);
  });

  it('asks nothing because another Neovim edits it', async () => {
    onTestFinished(async () => void (await run('vim.o.swapfile = false')));
    const path = await stage.put('swapped.txt', 'swapped\n');
    await run('vim.o.swapfile = true');
    const name = path.replaceAll('/', '%');
    const [folder] = z.array(z.string()).parse(await neovim.lua('vim.opt.directory:get()'));
    // The header of a swap file of a process that has ended.
    const header = Buffer.alloc(4096);
    header.write('b0VIM 8.1');
    header.write('root', 28);
    header.write('elsewhere', 68);
    header.write(path, 108);
    await stage.sandbox.write(`${folder?.replace(/\/+$/, '')}/${name}.swp`, header);
    await stage.reset();
    await open(path);
    await neovim.waitFor(/^swapped/m);
    expect(neovim.terminal.screen()).not.toContain('ATTENTION');
  });

  it('is not opened if Neovim itself would run a part of its name', async () => {
    await stage.reset();
    const path = await stage.put(`\`touch ${MARK}\`.t`);
    const answer = (await open(path)).join();
    await expectNothingRan();
    expect(answer).toContain('cannot be opened');
  });
});
