import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { editorCall } from '../src/commands/review.js';
import { findProgram } from '../src/runProgram.js';

test('a program is on the path or in the project; on Windows only an attempt shows it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'claude'), '', { mode: 0o755 });
  writeFileSync(join(folder, 'gemini'), '', { mode: 0o644 });
  for (const name of ['claude', 'opencode', 'kilo.cmd']) writeFileSync(join(bin, name), '', { mode: 0o755 });
  const find = (program: string, platform: NodeJS.Platform = 'linux') =>
    findProgram(program, { cwd: join(folder, 'sub'), path: folder, platform });
  expect(find('claude')).toBe('claude');
  expect(find('gemini')).toBeUndefined();
  expect(find('qwen')).toBeUndefined();
  expect(find('opencode')).toBe(join(bin, 'opencode'));
  expect(find('qwen', 'win32')).toBe('qwen');
  expect(find('kilo', 'win32')).toBe(join(bin, 'kilo.cmd'));
});

test('a program is not taken from a folder of another user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'opencode'), '', { mode: 0o755 });
  const find = (user: number) => findProgram('opencode', { cwd: folder, path: '', platform: 'linux', user });
  const user = process.getuid?.() ?? 0;
  expect(find(user)).toBe(join(bin, 'opencode'));
  expect(find(user + 1)).toBeUndefined();
});

test('EDITOR is the start of a shell command, in which nothing of the file name is parsed', () => {
  expect(editorCall('code --wait', ['/tmp/a "$(b)".ts'], 'darwin')).toEqual({
    command: '/bin/sh',
    args: ['-c', 'code --wait "$@"', 'sh', '/tmp/a "$(b)".ts'],
    shell: false,
  });
  expect(editorCall('code --wait', ['C:\\tmp\\a %PATH% & b.ts'], 'win32')).toEqual({
    command: 'code --wait "C:\\tmp\\a "^%"PATH"^%" & b.ts"',
    args: [],
    shell: true,
  });
});
