import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderIn } from '../src/folderSetting.js';

it('takes an absolute folder or one below the home, and no folder that depends on where VS Code was started', () => {
  expect(folderIn(' /settings/.claude ')).toBe('/settings/.claude');
  expect([folderIn('~'), folderIn('~/.claude-work')]).toEqual([homedir(), join(homedir(), '.claude-work')]);
  for (const value of ['', '.claude', './.claude', '../.claude', '~other/.claude', 7, undefined]) {
    expect(folderIn(value), String(value)).toBeUndefined();
  }
});
