import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

it.each([
  ['colors.lua', 'parser lua'],
  ['colors.ts', 'typescript'],
])('highlights both sides of %s as its language, and attaches no plugin', async (name, language) => {
  await stage.reset();
  await stage.pending(TEXT, name);
  await neovim.waitFor('reviews=1 tabs=1/2');
  await expect.poll(() => neovim.lua('languages()')).toEqual([language, language]);
  expect(await neovim.lua('vim.bo[require("tandem.reviews").all[1].right].filetype')).toBe('');
});

describe('a review opens in the background and leaves the user alone', () => {
  const states: readonly {
    readonly name: string;
    /** Keys to get there. */
    readonly keys: string;
    readonly mode: string;
    /** It opens when the user leaves this state. */
    readonly waits?: boolean;
    /** Keys to go on, and what the buffer then has in its lines. */
    readonly rest?: string;
    readonly lines?: readonly string[];
  }[] = [
    {
      name: 'in Normal mode',
      keys: '',
      mode: 'n',
      rest: 'x',
      lines: ['one', 'two', 'hree', 'four', 'five', 'six'],
    },
    {
      name: 'in Insert mode, and the text stays one change',
      keys: 'iab',
      mode: 'i',
      rest: 'cd\x1b.u',
      lines: ['one', 'two', 'abcdthree', 'four', 'five', 'six'],
    },
    {
      name: 'in Replace mode',
      keys: 'RT',
      mode: 'R',
      rest: 'H\x1b',
      lines: ['one', 'two', 'THree', 'four', 'five', 'six'],
    },
    {
      name: 'in Visual mode',
      keys: 'vj',
      mode: 'v',
      waits: true,
      rest: 'd',
      lines: ['one', 'two', 'our', 'five', 'six'],
    },
    {
      name: 'in Visual line mode',
      keys: 'Vj',
      mode: 'V',
      waits: true,
      rest: 'd',
      lines: ['one', 'two', 'five', 'six'],
    },
    {
      name: 'before a motion',
      keys: 'd',
      mode: 'no',
      waits: true,
      rest: 'd',
      lines: ['one', 'two', 'four', 'five', 'six'],
    },
    {
      name: 'on the command line',
      keys: ':s/three/3',
      mode: 'c',
      waits: true,
      rest: '3\r',
      lines: ['one', 'two', '33', 'four', 'five', 'six'],
    },
    {
      name: 'in the command-line window',
      keys: 'q:is/three/3',
      mode: 'i',
      waits: true,
      rest: '\r',
      lines: ['one', 'two', '3', 'four', 'five', 'six'],
    },
    {
      name: 'at the completion menu',
      keys: 'oT\x0e',
      mode: 'ic',
      waits: true,
      rest: '\x0e\x1b',
    },
  ];

  it.each(states)('$name', async ({ keys, mode, waits = false, rest = '', lines }) => {
    await stage.reset();
    await neovim.type(keys);
    await expect.poll(async () => pick(await neovim.situation(), 'mode')).toBe(mode);
    const before = await neovim.situation();
    const { withdraw } = await stage.pending();
    await expect.poll(() => neovim.lua('{ #require("tandem.reviews").all }')).toEqual([1]);
    await expect.poll(() => neovim.lua('{ #vim.api.nvim_list_tabpages() }')).toEqual([waits ? 1 : 2]);
    expect(await neovim.situation()).toEqual(before);
    await neovim.type(rest);
    await neovim.waitFor('tabs=1/2');
    const text = () => neovim.lua('vim.api.nvim_buf_get_lines(0, 0, -1, false)');
    if (lines) await expect.poll(text).toEqual(lines);
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
  });

  const layouts: readonly { readonly name: string; readonly keys: string; readonly mode?: string }[] = [
    { name: 'with only a terminal, in Terminal mode', keys: ':terminal cat\r:only\ri', mode: 't' },
    { name: 'with only a terminal, in Normal mode', keys: ':terminal cat\r:only\r', mode: 'nt' },
    { name: 'with only a list that keeps its window', keys: ':help\r:only\r:setlocal winfixbuf\r' },
    { name: 'with only a file explorer', keys: ':Explore\r:only\r' },
    { name: "with unsaved changes and 'nohidden'", keys: ':set nohidden\rx' },
    { name: 'with several windows', keys: ':vsplit\r:split\r:wincmd l\r' },
    { name: 'in a window of one line', keys: ':split\r:resize 1\r' },
    {
      name: 'with a floating window',
      keys: ':call nvim_open_win(0,1,#{relative:"editor",row:1,col:1,width:9,height:3})\r',
    },
  ];

  it.each(layouts)('$name', async ({ keys, mode = 'n' }) => {
    await stage.reset();
    await neovim.type(keys);
    await expect.poll(async () => pick(await neovim.situation(), 'mode')).toBe(mode);
    const before = await neovim.situation();
    const { withdraw } = await stage.pending();
    await neovim.waitFor('reviews=1 tabs=1/2');
    // A terminal's text moves with the size of its window, which the line of tab pages takes one from.
    const unlike = mode === 'n' ? {} : { cursor: expect.anything(), anchor: expect.anything() };
    expect(await neovim.situation()).toEqual(Object.assign({}, before, unlike));
    await neovim.type('\x1c\x0e');
    await neovim.command('2tabnext');
    await neovim.waitFor('FIVE');
    expect(await neovim.lua('vim.wo.diff and { vim.wo.number, #vim.api.nvim_tabpage_list_wins(0) }')).toEqual(
      [false, 2],
    );
    await withdraw();
    await neovim.waitFor('reviews=0 tabs=1/1');
    expect(pick(await neovim.situation(), 'layout')).toEqual(pick(before, 'layout'));
  });
});

describe('files', () => {
  it('accepts a proposal for a file that is not text, which a note replaces', async () => {
    await stage.reset();
    const { answer } = await stage.pending(Buffer.from([0, 159, 146, 150]), 'picture.bin');
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem review');
    await neovim.waitFor('binary (4 bytes)');
    await neovim.command('w');
    await neovim.waitFor('(A)ccept anyway');
    await neovim.type('a');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1');
  });

  it('merges a later change of the file, and accepts a conflict only when it is merged or overridden', async () => {
    const { path, answer } = await stage.reviewing();
    await neovim.type('5GA!\x1b');
    await stage.put(basename(path), TEXT.replace('two', '2').replace('five', '5'));
    await neovim.waitFor('conflict: :Tandem merge');
    await neovim.command('w');
    await neovim.waitFor('[C]ancel');
    await neovim.type('\r');
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    await neovim.command('Tandem merge');
    await neovim.waitFor('<<<<<<<');
    await neovim.command('Tandem accept');
    await neovim.waitFor('[C]ancel');
    await neovim.type('\r');
    await neovim.waitFor('reviews=1 tabs=2/2 decided=>');
    await neovim.command('g/^=======/,/^>>>>>>>/d');
    await neovim.command('g/^<<<<<<</d');
    await neovim.command('w');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED.replace('FIVE', 'FIVE!')]);
    await neovim.waitFor('reviews=0 tabs=1/1');
  });

  /** Opens a file, which need not exist, and accepts a change of it that the agent has not written yet. */
  async function accepted(name: string) {
    await stage.reset();
    await neovim.command(`edit ${name}`);
    const { path, answer } = stage.propose(stage.path(name));
    await neovim.waitFor('reviews=1 tabs=1/2');
    await neovim.command('Tandem accept');
    await answer;
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    return path;
  }

  /** The lines of each window of the second tab page. */
  const sides = `vim.tbl_map(function(window)
    return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  end, vim.api.nvim_tabpage_list_wins(vim.api.nvim_list_tabpages()[2]))`.replaceAll('\n', ' ');

  const lines = (text: string): string[] => text.trimEnd().split('\n');

  it('reloads a file that the agent has written', async () => {
    await stage.put('reloaded.txt');
    await accepted('reloaded.txt');
    await stage.put('reloaded.txt', PROPOSED);
    // It takes a tenth of a second.
    await neovim.terminal.waitFor('FIVE', 5_000);
  });

  it('reads a file that the agent has created after its buffer, and agents then see it', async () => {
    const path = await accepted('created.txt');
    await neovim.type('i');
    await stage.put('created.txt', PROPOSED);
    await neovim.waitFor('FIVE');
    await expect
      .poll(async () => (await stage.call('getOpenEditors')).join())
      .toMatch(/"isActive":true,"label":"created.txt"/);
    await neovim.type('mine\r\x1b');
    await expect
      .poll(async () => (await stage.call('checkDocumentDirty', { filePath: path })).join())
      .toContain('"isDirty":true');
    expect((await stage.call('saveDocument', { filePath: path })).join()).toContain('"saved":true');
    expect(await readFile(path, 'utf8')).toBe(`mine\n${PROPOSED}`);
  });

  it('keeps unsaved changes when the agent has written the file, and compares both', async () => {
    await stage.put('unsaved.txt');
    await accepted('unsaved.txt');
    await neovim.type('Omine\x1b');
    await neovim.waitFor('mine');
    await stage.put('unsaved.txt', PROPOSED);
    await neovim.waitFor('tabs=1/2');
    await neovim.command('tabnext');
    await neovim.waitFor('your unsaved changes');
    expect(await neovim.lua(sides)).toEqual([lines(PROPOSED), ['mine', ...lines(TEXT)]]);
    await stage.put('unsaved.txt', `${PROPOSED}seven\n`);
    await neovim.waitFor('seven');
    await neovim.waitFor('tabs=2/2');
    await neovim.command('tabclose');
  });

  it('keeps the unsaved text of a file that the agent has created, and compares both', async () => {
    await accepted('created-too.txt');
    await neovim.type('imine\x1b');
    await neovim.waitFor('mine');
    await stage.put('created-too.txt', PROPOSED);
    await neovim.waitFor('tabs=1/2');
    expect(await neovim.lua(sides)).toEqual([lines(PROPOSED), ['mine']]);
  });

  it.each(['useopen', 'usetab'])("compares both in a new tab page with 'switchbuf' %s", async (option) => {
    onTestFinished(() => neovim.command('set switchbuf&'));
    await stage.put(`${option}.txt`);
    await accepted(`${option}.txt`);
    await neovim.command(`set switchbuf=${option}`);
    await neovim.type('Omine\x1b');
    await neovim.waitFor('mine');
    await expect.poll(async () => pick(await neovim.situation(), 'mode')).toBe('n');
    const before = await neovim.situation();
    await stage.put(`${option}.txt`, PROPOSED);
    await neovim.waitFor('tabs=1/2');
    expect(await neovim.situation()).toEqual(before);
    expect(await neovim.lua(sides)).toEqual([lines(PROPOSED), ['mine', ...lines(TEXT)]]);
  });

  it.each<[string, (text: string) => Buffer]>([
    ['CRLF line ends', (text) => Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['a byte order mark', (text) => Buffer.from(`\uFEFF${text}`)],
    ['Latin-1', (text) => Buffer.from(text, 'latin1')],
  ])('compares a file with %s by its lines', async (name, encode) => {
    const before = TEXT.replace('two', 'zwölf');
    await stage.put(`${name}.txt`, encode(before));
    await accepted(`${name}.txt`);
    await neovim.type('Omine\x1b');
    await neovim.waitFor('mine');
    const after = before.replace('five', 'FIVE');
    await stage.put(`${name}.txt`, encode(after));
    await neovim.waitFor('tabs=1/2');
    expect(await neovim.lua(sides)).toEqual([lines(after), ['mine', ...lines(before)]]);
  });

  it('reviews a change of a file that has unsaved changes, which stay', async () => {
    await stage.reset();
    await stage.put('edited.txt');
    await neovim.command('edit edited.txt');
    await neovim.type('Omine\x1b');
    await neovim.waitFor('mine');
    const { answer } = stage.propose(stage.path('edited.txt'));
    await neovim.waitFor('reviews=1 tabs=1/2');
    expect(await neovim.lua(sides)).toEqual([lines(TEXT), lines(PROPOSED)]);
    await neovim.command('Tandem accept');
    await neovim.waitFor('(A)ccept anyway');
    await neovim.type('a');
    expect(await answer).toEqual(['FILE_SAVED', PROPOSED]);
    await neovim.waitFor('reviews=0 tabs=1/1 decided=a');
    await stage.put('edited.txt', PROPOSED);
    await neovim.waitFor('tabs=1/2');
    expect(await neovim.lua(sides)).toEqual([lines(PROPOSED), ['mine', ...lines(TEXT)]]);
  });
});
