import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Neovim } from '../src/neovim/neovim.js';
import { NeovimStage } from '../src/neovim/neovimStage.js';

let stage: NeovimStage;
let neovim: Neovim;

/** Runs Lua statements. */
const run = (statements: string): Promise<unknown> =>
  neovim.lua(`(function() ${statements.replaceAll('\n', ' ')} return true end)()`);

beforeAll(async () => {
  stage = await NeovimStage.create();
  neovim = stage.neovim;
  await run(`
    local client = require("tandem.client")
    local notify = client.notify
    client.notify = function(method, params)
      if method == "document/saved" then table.insert(_G.saved, params) end
      return notify(method, params)
    end`);
});

beforeEach(() => run('_G.saved = {}'));
afterAll(() => stage?.dispose());

/** As JSON, which keeps zero bytes. */
const saved = async (): Promise<unknown> =>
  JSON.parse(z.string().parse(await neovim.lua('vim.json.encode(_G.saved)')));

/** Opens a file, runs Lua statements on it, and saves it by the user's command. */
async function save(path: string, statements: string, command = 'write'): Promise<void> {
  await run(`vim.cmd.edit(${JSON.stringify(path)}) ${statements} vim.cmd(${JSON.stringify(command)})`);
}

const setLines = (...lines: string[]): string =>
  `vim.api.nvim_buf_set_lines(0, 0, -1, false, {${lines.map((line) => JSON.stringify(line)).join()}})`;

describe('Neovim reports a file that the user saves', () => {
  it('with the text as it was written, whatever its encoding, line ends and last line', async () => {
    const windows = await stage.put('windows.txt', '\ufeffone\r\ntwo\r\n');
    await save(windows, setLines('größe', 'two'));
    const open = await stage.put('open.txt', 'one');
    await save(open, `vim.bo.fixendofline = false ${setLines('1')}`);
    const closed = await stage.put('closed.txt', 'one');
    await save(closed, setLines('2'));
    const empty = await stage.put('empty.txt', 'one\n');
    await save(empty, 'vim.cmd("%delete")');
    const blank = await stage.put('blank.txt', 'one\n');
    await save(blank, setLines(''));
    const latin = await stage.put('latin.txt', Buffer.from('\xe4\n', 'latin1'));
    await save(latin, setLines('ö'));
    const zero = await stage.put('zero.txt', 'a\0b\n');
    await save(zero, 'vim.cmd("1copy 1")');
    expect(await saved()).toEqual([
      { path: windows, text: 'größe\ntwo\n' },
      { path: open, text: '1' },
      { path: closed, text: '2\n' },
      { path: empty, text: '' },
      { path: blank, text: '\n' },
      { path: latin, text: 'ö\n' },
      { path: zero, text: 'a\0b\na\0b\n' },
    ]);
    const onDisk = await Promise.all(
      [windows, open, closed, empty, zero].map((path) => readFile(path, 'utf8')),
    );
    expect(onDisk).toEqual(['\ufeffgröße\r\ntwo\r\n', '1', '2\n', '', 'a\0b\na\0b\n']);
    expect([...(await readFile(latin))]).toEqual([0xf6, 0x0a]);
  });

  it('outside the workspace, or under another name', async () => {
    const outside = await stage.sandbox.write('elsewhere/a.txt', 'a\n');
    await save(outside, setLines('mine'));
    const copy = stage.path('copy.txt');
    await save(outside, setLines('mine, too'), `write ${copy}`);
    await run('vim.cmd("edit!")');
    expect(await saved()).toEqual([
      { path: outside, text: 'mine\n' },
      { path: copy, text: 'mine, too\n' },
    ]);
  });

  it('without a text that is too large', async () => {
    const path = await stage.put('large.txt', 'a\n');
    await save(path, 'vim.api.nvim_buf_set_lines(0, 0, -1, false, { ("x"):rep(8 * 1024 * 1024) })');
    expect(await saved()).toEqual([{ path }]);
  });

  it('and neither one that it reads again nor lines that are written elsewhere', async () => {
    const path = await stage.put('part.txt', 'one\ntwo\n');
    await save(path, '', `1write ${stage.path('one-line.txt')}`);
    await writeFile(path, 'from elsewhere\n');
    await run('vim.o.autoread = true vim.cmd.checktime()');
    await expect.poll(() => neovim.lua('vim.fn.getline(1, "$")')).toEqual(['from elsewhere']);
    expect(await saved()).toEqual([]);
  });

  it('and saves without an error while Tandem does not run', async () => {
    const path = await stage.put('stopped.txt', 'one\n');
    await run('require("tandem").stop()');
    await save(path, setLines('mine'));
    expect(await readFile(path, 'utf8')).toBe('mine\n');
    expect(await saved()).toEqual([]);
  });
});
