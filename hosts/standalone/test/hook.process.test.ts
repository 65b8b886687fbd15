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
    const waits = { type: 'command', command: commandIn(added), timeout: 86_400 };
    const entry = { matcher: 'Edit|Write|NotebookEdit', hooks: [waits] };
    expect(JSON.parse(added).hooks).toMatchObject({ PreToolUse: [entry], PermissionRequest: [entry] });
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
    writeFileSync(settings, added.replaceAll(/ \S+hook\.mjs/g, ' /elsewhere/hook.mjs'));
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

  test('knows only agents with such a hook', async () => {
    expect((await hook('install codex')).code).toBe(2);
    expect(existsSync(join(scratch.home, '.codex'))).toBe(false);
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
    expect(read()).toBe('{}');
  });
});

describe('where hooks wait', () => {
  test('is everywhere, or in chosen folders, by their real paths', async () => {
    const folder = scratch.folder("it's");
    const link = join(scratch.root, 'link');
    symlinkSync(folder, link);
    expect((await hook('install claude --yes')).stdout).toContain('about which it would ask you itself.');
    expect(commandIn(read())).toContain(' claude installed "$PPID" || exit 0');
    const asked = await scratch.command(['hook', 'install', 'claude', '--hooks', 'before', '--folder', link]);
    expect(asked.stdout).toContain(`before each edit in ${folder}, in any mode`);
    const yes = ['hook', 'install', 'claude', '--hooks', 'before', '--folder', link, '--yes'];
    expect((await scratch.command(yes)).code).toBe(0);
    const quoted = `'${folder.replace("'", "'\\''")}'`;
    expect(commandIn(read())).toContain(`claude installed "$PPID" before ${quoted} || exit 0`);
    expect(JSON.parse(read()).hooks.PermissionRequest).toHaveLength(1);
    const missing = await scratch.command(['hook', 'install', 'claude', '--folder', join(folder, 'missing')]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') });
  });

  test('is the current folder if each edit is to wait and no folder is named', async () => {
    const { stdout } = await hook('install claude --hooks before');
    expect(stdout).toContain(`before each edit in ${scratch.workspace}`);
  });
});
