import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { HookMode } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EditorProcess } from './support/editorProcess.js';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
const editors: EditorProcess[] = [];
beforeEach(() => {
  scratch = new Scratch('a "work" é');
});
afterEach(async () => {
  await Promise.all(editors.splice(0).map((editor) => editor.dispose()));
  await scratch.dispose();
});

async function start(hooks?: HookMode, env: Record<string, string> = {}): Promise<EditorProcess> {
  const editor = await EditorProcess.start(scratch, { env, initialize: { settings: { hooks } } });
  editors.push(editor);
  return editor;
}

const programs = ['claude', 'codex', 'copilot', 'kilo', 'opencode', 'pi', 'qwen'];

/** The texts of all files in a folder, by their paths. */
function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map(({ name, parentPath }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'latin1')]));
}

/** Starts an agent as its user does in a terminal, whose shell reads a start-up file. Returns how it was started. */
async function type(
  editor: EditorProcess,
  line: string,
  startUp = '',
): Promise<{ args: string[]; env: Record<string, string> }> {
  const bin = join(scratch.root, 'bin');
  const report = join(scratch.root, 'report');
  mkdirSync(bin, { recursive: true });
  for (const program of programs) {
    const text = `require('fs').writeFileSync('${report}', JSON.stringify({ args: process.argv.slice(2), env: process.env }))`;
    writeFileSync(join(bin, program), `#!${process.execPath}\n${text}\n`);
    chmodSync(join(bin, program), 0o755);
  }
  writeFileSync(join(scratch.root, 'rc'), startUp);
  const { TANDEM_PATH: first, ...variables } = editor.environment;
  const PATH = [first, bin, process.env.PATH].filter((each) => each !== undefined).join(':');
  const shell = `bash --rcfile '${scratch.root}/rc' -i`;
  rmSync(report, { force: true });
  const { code } = await scratch.startProgram(
    'script',
    ['--quiet', '--return', '--command', shell, '/dev/null'],
    {
      env: { ...variables, ...(first && { TANDEM_PATH: first }), PATH, BIN: bin, HISTFILE: '' },
      input: `${line}\nexit\n`,
    },
  ).ended;
  expect(code).toBe(0);
  return JSON.parse(readFileSync(report, 'utf8'));
}

describe('an agent in a terminal of an editor', () => {
  it('is started by a file that no other user can read or replace', async () => {
    const { TANDEM_PATH: folder = '' } = (await start()).environment;
    const paths = [folder, ...programs.map((program) => join(folder, program))];
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual(paths.map(() => 0o700));
  });

  it('is started with the hooks that tandem run gives it, for itself alone', async () => {
    const editor = await start();
    const port = editor.environment.TANDEM_HOOK_PORT;
    const home = contentsOf(scratch.home);
    for (const program of programs) {
      const { args, env } = await type(editor, `${program} "a b" --flag`);
      expect(args.slice(-2)).toEqual(['a b', '--flag']);
      expect(env).toMatchObject({
        TANDEM_HOOK_AGENT: program,
        TANDEM_HOOK_MODE: 'follow',
        TANDEM_HOOK_PORT: port,
      });
      const injected = JSON.stringify([
        args,
        env.OPENCODE_CONFIG_CONTENT,
        env.KILO_CONFIG_CONTENT,
        env.QWEN_CODE_SYSTEM_DEFAULTS_PATH,
      ]);
      expect(injected).toMatch(/tandem\/(hooks\/[0-9a-f]{16}\/|qwen-defaults-)/);
    }
    expect(contentsOf(scratch.home)).toEqual(home);
    expect((await type(editor, 'pi install x')).args).toEqual(['install', 'x']);
    const { args, env } = await type(editor, 'TANDEM_HOOK_AGENT=claude qwen -p x');
    expect([args, env.QWEN_CODE_SYSTEM_DEFAULTS_PATH]).toEqual([['-p', 'x'], undefined]);
  });

  it('has no hooks if a start-up file puts its program first, unless the file also uses the variable', async () => {
    const editor = await start();
    const first = 'PATH=$BIN:$PATH\n';
    expect((await type(editor, 'claude', first)).args).toEqual([]);
    const { args } = await type(editor, 'claude', `${first}PATH=\${TANDEM_PATH:+$TANDEM_PATH:}$PATH\n`);
    expect(args[0]).toBe('--plugin-dir');
  });

  it('has the mode that the user has chosen last, in open terminals, too', async () => {
    const editor = await start('before');
    const modeNow = async () => (await type(editor, 'claude')).env.TANDEM_HOOK_MODE;
    expect(await modeNow()).toBe('before');
    await editor.peer.connection.request('terminals/hooks', { hooks: 'after' });
    expect(await modeNow()).toBe('after');
    const off = await editor.peer.connection.request('terminals/hooks', { hooks: 'off' });
    expect(off).toEqual({ environment: expect.not.objectContaining({ TANDEM_PATH: expect.anything() }) });
    expect(await modeNow()).toBeUndefined();
  });

  it('gets nothing where the user wants no hooks', async () => {
    const editor = await start('off');
    expect(Object.keys(editor.environment).filter((name) => /^TANDEM_(HOOK|PATH)/.test(name))).toEqual([]);
    expect(existsSync(join(scratch.state, 'tandem/hooks'))).toBe(false);
  });

  it('keeps the defaults and the configuration that a user or an administrator has set', async () => {
    const QWEN_CODE_SYSTEM_DEFAULTS_PATH = join(scratch.root, 'defaults.json');
    const own = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'mine' }] }] }, theme: 'x' };
    writeFileSync(QWEN_CODE_SYSTEM_DEFAULTS_PATH, JSON.stringify(own));
    const OPENCODE_CONFIG_CONTENT = '{"theme": "x", "plugin": ["mine"]}';
    const user = { QWEN_CODE_SYSTEM_DEFAULTS_PATH, OPENCODE_CONFIG_CONTENT };
    const editor = await start('follow', user);
    const words = Object.entries(user)
      .map(([name, value]) => `${name}='${value}'`)
      .join(' ');
    const qwen = (await type(editor, `${words} qwen`)).env.QWEN_CODE_SYSTEM_DEFAULTS_PATH ?? '';
    const defaults = JSON.parse(readFileSync(qwen, 'utf8'));
    expect(defaults).toMatchObject({ theme: 'x', hooks: { PreToolUse: [own.hooks.PreToolUse[0], {}, {}] } });
    const { env } = await type(editor, `${words} opencode`);
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '')).toMatchObject({
      theme: 'x',
      plugin: ['mine', expect.anything()],
    });
    // Set in the terminal only, it is not known: the user's value stays, and the agent has no hooks.
    const other = await type(editor, 'OPENCODE_CONFIG_CONTENT={} opencode');
    expect(other.env).toMatchObject({ OPENCODE_CONFIG_CONTENT: '{}' });
    expect(other.env.TANDEM_HOOK_AGENT).toBeUndefined();
  });

  it('starts without hooks once the editor has ended or was killed, and the launchers are removed', async () => {
    const folders = () => readdirSync(join(scratch.state, 'tandem/hooks/terminals'));
    const ended = await start('before');
    const killed = await start('before');
    expect(folders()).toHaveLength(2);
    await ended.peer.connection.request('shutdown', {});
    await ended.ended;
    expect(folders()).toHaveLength(1);
    expect((await type(ended, 'claude')).args).toEqual([]);
    await killed.dispose();
    expect((await type(killed, 'claude')).args).toEqual([]);
    expect(folders()).toHaveLength(1);
    const next = await start();
    expect(folders()).toEqual([next.environment.TANDEM_HOOK_PORT]);
  });
});
