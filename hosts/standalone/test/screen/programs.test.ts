import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findDiffTool, lineArgument } from '../../src/screen/programs.js';

it.each([
  ['vim', ' +3'],
  ['/usr/bin/nvim -u NONE', ' +3'],
  ['emacsclient -t', ' +3'],
  ['code --wait', ''],
  ['my-editor', ''],
])('tells %s where to start, if it is known how', (editor, argument) => {
  expect(lineArgument(editor, 2)).toBe(argument);
});

it('takes the diff tool of the user, otherwise the first that is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tools-'));
  expect(findDiffTool({ PATH: folder })).toBeUndefined();
  for (const name of ['meld', 'vim']) writeFileSync(join(folder, name), '', { mode: 0o755 });
  expect(findDiffTool({ PATH: `:${folder}` })).toBe('vim -d');
  expect(findDiffTool({ PATH: folder, TANDEM_DIFF: 'delta' })).toBe('delta');
});
