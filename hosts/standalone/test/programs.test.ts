import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { editorCall } from '../src/commands/review.js';
import { isInstalled } from '../src/runProgram.js';

test('a program is installed if the path has it as an executable file; on Windows only an attempt shows it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'claude'), '', { mode: 0o755 });
  writeFileSync(join(folder, 'gemini'), '', { mode: 0o644 });
  const found = (program: string, platform: NodeJS.Platform) => isInstalled(program, folder, platform);
  expect([found('claude', 'darwin'), found('gemini', 'darwin'), found('qwen', 'linux')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(found('qwen', 'win32')).toBe(true);
});

test('EDITOR is the start of a shell command, in which nothing of the file name is parsed', () => {
  expect(editorCall('code --wait', '/tmp/a "$(b)".ts', 'darwin')).toEqual({
    command: '/bin/sh',
    args: ['-c', 'code --wait "$1"', 'sh', '/tmp/a "$(b)".ts'],
    shell: false,
  });
  expect(editorCall('code --wait', 'C:\\tmp\\a %PATH% & b.ts', 'win32')).toEqual({
    command: 'code --wait "C:\\tmp\\a "^%"PATH"^%" & b.ts"',
    args: [],
    shell: true,
  });
});
