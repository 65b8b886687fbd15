import { expect, test } from 'vitest';
import { isOpenToOthers } from '../src/discovery/privateFile.js';
import { isSameProcess } from '../src/discovery/processStart.js';

test('a mode opens a file to other users, except on Windows, where Node.js reports 0666 for every file', () => {
  expect(isOpenToOthers({ mode: 0o100600 }, 'darwin')).toBe(false);
  expect(isOpenToOthers({ mode: 0o100644 }, 'darwin')).toBe(true);
  expect(isOpenToOthers({ mode: 0o100666 }, 'win32')).toBe(false);
});

test('only Linux reports when another process started', () => {
  for (const platform of ['darwin', 'win32'] as const) {
    expect(isSameProcess(process.pid, 0, platform)).toBeUndefined();
  }
});
