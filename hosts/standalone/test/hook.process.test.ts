import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
let settings: string;
beforeEach(() => {
  scratch = new Scratch();
  settings = join(scratch.home, '.claude/settings.json');
  mkdirSync(dirname(settings));
});
afterEach(() => scratch.dispose());

const read = (): string => readFileSync(settings, 'utf8');
const hook = (words: string, env = {}) => scratch.command(['hook', ...words.split(' ')], { env });
const commandIn = (text: string): string =>
  JSON.parse(text).hooks.PermissionRequest.at(-1).hooks.at(-1).command;

describe('tandem hook', () => {
  test('adds the hook once, shows it first, and removes it without a trace [HOK-9]', async () => {
    const before = '{\n    "model": "x",\n    "hooks": {\n        "Stop": []\n    }\n}';
    const target = join(scratch.root, 'dotfiles.json');
    writeFileSync(target, before, { mode: 0o640 });
    symlinkSync(target, settings);
    const asked = await hook('install claude');
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(asked.stdout).toContain(settings);
    expect(asked.stdout).toContain('"PermissionRequest"');
    expect(read()).toBe(before);
    const { code, stdout } = await hook('install claude --yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('tandem hook remove claude')]);
    const added = read();
    expect(added).toContain('\n    "model": "x"');
    expect(asked.stdout).toContain(JSON.stringify(commandIn(added)));
    const command = commandIn(added);
    const of = (waits: string) => [
      {
        matcher: 'Edit|Write|NotebookEdit',
        hooks: [{ type: 'command', command: waits, timeout: 86_400 }],
      },
    ];
    expect(JSON.parse(added).hooks).toMatchObject({
      // What records commands follows.
      PreToolUse: [...of(command.replace(' event ', ' call ')), expect.objectContaining({ matcher: 'Bash' })],
      PermissionRequest: of(command),
    });
    expect([readlinkSync(settings), statSync(target).mode & 0o777]).toEqual([target, 0o640]);
    expect((await hook('install claude')).stdout).toContain('already');
    expect(read()).toBe(added);
    expect((await hook('remove claude --yes')).code).toBe(0);
    expect(read()).toBe(before);
    expect((await hook('remove claude')).stdout).toContain('is not in');
  });

  test('replaces its hook of another installation, in the folder that Claude Code uses', async () => {
    const folder = scratch.folder('config');
    const env = { CLAUDE_CONFIG_DIR: folder };
    settings = join(folder, 'settings.json');
    expect((await hook('install claude --yes', env)).code).toBe(0);
    const added = read();
    expect(added.endsWith('}\n')).toBe(true);
    writeFileSync(settings, added.replaceAll(/ \S+hook\.sh/g, ' /elsewhere/hook.sh'));
    expect((await hook('install claude --yes', env)).code).toBe(0);
    expect(read()).toBe(added);
  });

  test.each([
    ['not JSON', () => writeFileSync(settings, '{"secret": 1')],
    ['JSON with comments', () => writeFileSync(settings, '// secret\n{}')],
    ['of another form', () => writeFileSync(settings, '{"hooks": ["secret"]}')],
    ['not text', () => writeFileSync(settings, Buffer.from([0xff, 0xfe, 0]))],
    ['a named pipe', () => void execFileSync('mkfifo', [settings])],
    ['a folder', () => mkdirSync(settings)],
    ['endless', () => symlinkSync('/dev/zero', settings)],
  ])('leaves settings alone that are %s', async (_case, make) => {
    make();
    const isFile = statSync(settings).isFile();
    const before = isFile ? readFileSync(settings) : undefined;
    for (const change of ['install', 'remove']) {
      const { code, stdout, stderr } = await hook(`${change} claude --yes`);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`${settings} cannot be changed: `);
      expect(stderr).not.toContain('secret');
    }
    if (isFile) expect(readFileSync(settings)).toEqual(before);
  });

  test.each([
    ['codex', '.codex/hooks.json', ['PreToolUse', 'Trust all and continue']],
    ['copilot', '.copilot/hooks/tandem.json', ['preToolUse']],
    ['gemini', '.gemini/settings.json', ['BeforeTool']],
    ['kilo', '.config/kilo/plugin/tandem.js', ['openCodePlugin.mjs']],
    ['opencode', '.config/opencode/plugin/tandem.js', ['openCodePlugin.mjs']],
    ['qwen', '.qwen/settings.json', ['PreToolUse']],
  ])('adds a file for %s that did not exist, and removes it', async (agent, name, words) => {
    const file = join(scratch.home, name);
    const asked = await hook(`install ${agent}`);
    expect(asked).toMatchObject({ code: 2, stdout: expect.stringContaining(file) });
    expect(existsSync(file)).toBe(false);
    const { code, stdout } = await hook(`install ${agent} --yes`);
    expect([code, ...words.filter((word) => !stdout.includes(word))]).toEqual([0]);
    expect((await hook(`install ${agent} --yes`)).stdout).toContain('already');
    const changed = await hook(`install ${agent} --hooks before --yes`);
    expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining('in any mode') });
    expect(readFileSync(file, 'utf8')).toContain(scratch.workspace);
    expect((await hook(`remove ${agent} --yes`)).stdout).toContain(`This removes ${file}`);
    expect(existsSync(file)).toBe(false);
    expect((await hook(`remove ${agent}`)).stdout).toContain('is not in');
  });

  test.each(['copilot', 'opencode'])('leaves a file for %s alone that has its name', async (agent) => {
    const name = agent === 'copilot' ? '.copilot/hooks/tandem.json' : '.config/opencode/plugin/tandem.js';
    const file = join(scratch.home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '// mine\n');
    for (const change of ['install', 'remove'])
      expect(await hook(`${change} ${agent} --yes`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('it is not from Tandem'),
      });
    expect(readFileSync(file, 'utf8')).toBe('// mine\n');
  });

  test('keeps the comments of Qwen Code, and the link to a file elsewhere', async () => {
    settings = join(scratch.home, '.qwen/settings.json');
    mkdirSync(dirname(settings));
    writeFileSync(settings, '{ // mine\n}\n');
    expect((await hook('install qwen --yes')).code).toBe(0);
    expect((await hook('remove qwen --yes')).code).toBe(0);
    expect(read()).toBe('{ // mine\n}\n');
    const target = join(scratch.root, 'hooks.json');
    writeFileSync(target, '');
    mkdirSync(join(scratch.home, '.codex'));
    const link = join(scratch.home, '.codex/hooks.json');
    symlinkSync(target, link);
    expect((await hook('install codex --yes')).code).toBe(0);
    expect((await hook('remove codex --yes')).code).toBe(0);
    expect([readlinkSync(link), readFileSync(target, 'utf8')]).toEqual([target, '{}\n']);
  });

  test('knows only agents that have hooks', async () => {
    expect((await hook('install aider')).code).toBe(2);
  });
});

describe('an entry that an earlier version added', () => {
  test('runs the program of today, which does nothing without a companion', async () => {
    const [node, command] = scratch.commandLine([]);
    const line = `'${node}' '${command}' hook run claude --pid "$PPID" || exit 0`;
    const { ended } = scratch.startProgram('/bin/sh', ['-c', line], { input: '{}' });
    expect(await ended).toMatchObject({ code: 0, stdout: '' });
  });

  test('is replaced when the hooks are added', async () => {
    const line = '/usr/bin/node /old/tandem.js hook run claude --pid "$PPID" || exit 0';
    const entry = { matcher: 'Edit|Write', hooks: [{ type: 'command', command: line }] };
    writeFileSync(settings, JSON.stringify({ hooks: { PermissionRequest: [entry] } }));
    expect((await hook('install claude --yes')).code).toBe(0);
    expect(read()).not.toContain('/old/');
    expect((await hook('remove claude --yes')).code).toBe(0);
    expect(existsSync(settings)).toBe(false);
  });
});

describe('where hooks wait', () => {
  test('is everywhere, or in chosen folders, by their real paths', async () => {
    const folder = scratch.folder("it's");
    const link = join(scratch.root, 'link');
    symlinkSync(folder, link);
    expect((await hook('install claude --yes')).stdout).toContain('about which it would ask you itself.');
    expect(commandIn(read())).toMatch(/ claude installed "\$PPID"$/);
    const asked = await scratch.command(['hook', 'install', 'claude', '--hooks', 'before', '--folder', link]);
    expect(asked.stdout).toContain(`before each edit in ${folder}, in any mode`);
    const yes = ['hook', 'install', 'claude', '--hooks', 'before', '--folder', link, '--yes'];
    expect((await scratch.command(yes)).code).toBe(0);
    const quoted = `'${folder.replace("'", "'\\''")}'`;
    expect(commandIn(read())).toContain(`claude installed "$PPID" before ${quoted}`);
    expect(JSON.parse(read()).hooks.PermissionRequest).toHaveLength(1);
    const missing = await scratch.command(['hook', 'install', 'claude', '--folder', join(folder, 'missing')]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') });
  });

  test('is the current folder if each edit is to wait and no folder is named', async () => {
    const { stdout } = await hook('install claude --hooks before');
    expect(stdout).toContain(`before each edit in ${scratch.workspace}`);
  });
});
