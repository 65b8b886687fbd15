import { execFile } from 'node:child_process';
import { copyFile, cp, readFile, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseJson, pickList } from '../src/json.js';
import { neovimPath, neovimPlugin } from '../src/neovim/neovimPrograms.js';
import { tandemCommand } from '../src/pinnedPrograms.js';
import { Sandbox } from '../src/sandbox.js';

/** What the plugin has, by the kinds that the help has tags for. */
const facts = `{
  commands = vim.fn.getcompletion("Tandem ", "cmdline"),
  options = vim.tbl_keys(require("tandem.config").current),
  functions = vim.tbl_keys(require("tandem")),
  mappings = vim.tbl_map(function(map) return map.lhs end, vim.api.nvim_get_keymap("n")),
}`;

const run = promisify(execFile);

let sandbox: Sandbox;
let found: unknown;
let tags: string[];

beforeAll(async () => {
  sandbox = await Sandbox.create();
  const help = await sandbox.folder('help');
  await copyFile(`${neovimPlugin}/doc/tandem.txt`, `${help}/tandem.txt`);
  const { stdout, stderr } = await run(
    neovimPath(),
    [
      ...['--headless', '--clean', '--cmd', `set runtimepath^=${neovimPlugin}`],
      // Fails for a tag that is defined twice.
      ...['-c', `helptags ${help}`, '-c', `lua io.write(vim.json.encode(${facts}))`, '-c', 'quitall'],
    ],
    { env: sandbox.environment() },
  );
  expect(stderr).toBe('');
  found = parseJson(stdout);
  tags = (await readFile(`${help}/tags`, 'utf8')).split('\n').map((line) => line.replace(/\t.*/, ''));
});

afterAll(() => sandbox.dispose());

/** The names in the tags of this form, in the order of names. */
function tagged(form: RegExp): string[] {
  return tags.flatMap((tag) => form.exec(tag)?.[1] ?? []).sort();
}

const names = (kind: string): string[] => pickList(found, kind).map(String).sort();

describe('the README', () => {
  let checkout: string;
  let readme: string;

  beforeAll(async () => {
    checkout = await sandbox.folder('checkout');
    readme = await readFile(`${neovimPlugin}/README.md`, 'utf8');
    await cp(neovimPlugin, `${checkout}/editors/neovim`, { recursive: true });
  });

  /** The first example in this language. */
  function example(language: string): string {
    return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(readme)?.[1] ?? '';
  }

  /** Whether Neovim then has the command and its help. */
  async function isInstalled(args: readonly string[], env = sandbox.environment()): Promise<string> {
    const answer =
      'lua io.write(vim.fn.exists(":Tandem"), " ", #vim.fn.getcompletion(":Tandem-acc", "help"))';
    const words = ['--headless', ...args, '-c', answer, '-c', 'quitall!'];
    return (await run(neovimPath(), words, { cwd: checkout, env })).stdout;
  }

  it.each([
    ['without a plugin manager', 'start', []],
    ['for :packadd', 'opt', ['-c', 'packadd tandem']],
  ])('installs the plugin %s', async (_, kind, args) => {
    const home = await sandbox.folder(`home-${kind}`);
    // The shell finds the Neovim of the tests.
    await symlink(neovimPath(), `${home}/nvim`);
    const { PATH, ...rest } = sandbox.environment();
    const env = { ...rest, HOME: home, PATH: `${home}:${PATH}` };
    expect(await isInstalled([], env)).toBe('0 0');
    const script = example('sh').replaceAll('/start', `/${kind}`);
    await run('sh', ['-ec', script], { cwd: checkout, env });
    expect(await isInstalled(args, env)).toBe('2 2');
  });

  it('installs it with what lazy.nvim does for a plugin', async () => {
    const config = await sandbox.write(
      `${sandbox.root}/lazy.lua`,
      `vim.go.loadplugins = false
local spec = (function() ${example('lua')} end)()
local plugin = { dir = '${checkout}' }
spec.build(plugin)
vim.opt.runtimepath:append(plugin.dir)
spec.config(plugin)\n`,
    );
    expect(await isInstalled(['-u', config])).toBe('2 2');
  });

  it('installs it with what vim-plug does for a plugin', async () => {
    const config = await sandbox.write(
      `${sandbox.root}/plug.vim`,
      `function! s:Plug(repository, options)
  let folder = '${checkout}/' . a:options.rtp
  execute 'set runtimepath^=' . folder
  execute 'helptags' folder . '/doc'
endfunction
command! -nargs=+ Plug call s:Plug(<args>)
${example('vim')}`,
    );
    expect(await isInstalled(['-u', config])).toBe('2 2');
  });
});

describe(':checkhealth tandem', () => {
  async function health(command: string): Promise<string> {
    const { stdout } = await run(
      neovimPath(),
      [
        ...['--headless', '--clean', '--cmd', `set runtimepath^=${neovimPlugin}`],
        ...['-c', `lua require("tandem").setup({ command = { "${command}", "editor" } })`],
        ...['-c', 'checkhealth tandem', '-c', '%print', '-c', 'quitall!'],
      ],
      { env: sandbox.environment() },
    );
    return stdout;
  }

  it('says how to install a command that is missing', async () => {
    const text = await health('no-such-tandem');
    expect(text).toContain('ERROR "no-such-tandem" is not on the PATH');
    expect(text).toContain('npm install --global tandem-cli');
    expect(text).not.toContain('companion');
  });

  it('quotes a command that is too old', async () => {
    const old = await sandbox.write(
      `${sandbox.bin}/old-tandem`,
      '#!/bin/sh\necho "error: unknown command \'editor\'" >&2\nexit 2\n',
      0o755,
    );
    const text = await health(old);
    expect(text).toContain('does not work');
    expect(text).toContain("unknown command 'editor'");
    expect(text).toContain('npm install --global tandem-cli');
  });
});

it('maps nothing by default', async () => {
  const script = await sandbox.write(
    'maps.lua',
    `local function maps()
  local found = {}
  for _, mode in ipairs({ 'n', 'x', 's', 'o', 'i', 'c', 't' }) do
    for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
      if not vim.startswith(map.lhs, '<Plug>(tandem-') then
        table.insert(found, mode .. map.lhs)
      end
    end
  end
  return found
end
local before = maps()
vim.opt.runtimepath:prepend('${neovimPlugin}')
vim.cmd.runtime('plugin/tandem.lua')
require('tandem.commands')
io.write(vim.json.encode({ before, maps() }))\n`,
  );
  const args = ['--headless', '--clean', '-c', `luafile ${script}`, '-c', 'quitall'];
  const { stdout } = await run(neovimPath(), args, { env: sandbox.environment() });
  const [before, after] = z.tuple([z.array(z.string()), z.array(z.string())]).parse(parseJson(stdout));
  expect(before).not.toEqual([]);
  expect(after).toEqual(before);
});

it.each([
  [':Tandem start', 'vim.cmd("Tandem start")'],
  // Neovim is also its own client.
  [
    'a user interface that comes later',
    'vim.rpcrequest(vim.fn.sockconnect("pipe", vim.v.servername, { rpc = true }), "nvim_ui_attach", 80, 24, {})',
  ],
])('sends what is open after %s', async (_, start) => {
  const file = await sandbox.write('open/file.txt', 'one\n');
  const command = JSON.stringify(JSON.stringify([process.execPath, tandemCommand, 'editor']));
  const script = await sandbox.write(
    'start.lua',
    `local client = require('tandem.client')
require('tandem').setup({ command = vim.json.decode(${command}) })
vim.api.nvim_create_autocmd('VimEnter', {
  callback = vim.schedule_wrap(function()
    local state = client.state
    ${start}
    vim.wait(20000, function()
      return client.status and client.status.activeFile
    end, 5)
    io.write(vim.json.encode({ state, client.status and client.status.activeFile.path }))
    vim.cmd('quitall!')
  end),
})\n`,
  );
  const { stdout } = await run(
    neovimPath(),
    ['--headless', '--clean', '--cmd', `set runtimepath^=${neovimPlugin}`, '-c', `luafile ${script}`, file],
    { env: sandbox.environment(), cwd: dirname(file) },
  );
  expect(parseJson(stdout)).toEqual(['stopped', file]);
});

it('has help for each subcommand, option and function, and for no other', () => {
  expect(tagged(/^:Tandem-(.+)/)).toEqual(names('commands'));
  expect(tagged(/^tandem-option-(.+)/)).toEqual(names('options'));
  expect(tagged(/^tandem\.(\w+)\(\)$/)).toEqual(names('functions'));
});

it('has help for each mapping, and for no other', () => {
  const mapped = names('mappings').filter((name) => name.startsWith('<Plug>(tandem-'));
  expect(tagged(/^(<Plug>.*)/)).toEqual(mapped);
});

it('has help for each autocommand, and for no other', async () => {
  const modules = ['changes', 'client', 'reviews'].map((name) =>
    readFile(`${neovimPlugin}/lua/tandem/${name}.lua`, 'utf8'),
  );
  const code = (await Promise.all(modules)).join('\n');
  const emitted = [...code.matchAll(/\bemit\('(\w+)'/g)].map(([, name]) => `Tandem${name}`);
  expect(tagged(/^(Tandem\w+)/)).toEqual(emitted.sort());
});
