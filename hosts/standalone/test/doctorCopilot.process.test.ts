import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DoctorScratch, named } from './support/doctorScratch.js';

let scratch: DoctorScratch;

beforeEach(() => {
  scratch = new DoctorScratch();
});
afterEach(() => scratch.dispose());

/** The findings about Copilot CLI. */
async function found(options: Parameters<DoctorScratch['report']>[0] = {}) {
  return (await scratch.report(options)).findings.filter(({ agent }) => agent === 'copilot');
}

function set(ide: object): string {
  return scratch.put(join(scratch.home, '.copilot/settings.json'), { ide });
}

test('says that Copilot CLI is not installed, and nothing else about it', async () => {
  await scratch.serve();
  rmSync(join(scratch.root, 'bin/copilot'));
  expect(await found()).toEqual([]);
  expect((await scratch.command(['doctor'])).stdout).toContain('Copilot CLI  not installed');
  // Its settings show that it is used here.
  set({});
  expect((await scratch.command(['doctor'])).stdout).toContain('Copilot CLI  not on the PATH');
});

test('in a subfolder, names the command with which Copilot CLI connects [COP-16]', async () => {
  await scratch.serve();
  const sub = join(scratch.workspace, 'sub');
  mkdirSync(sub);
  expect(await found()).toEqual([]);
  expect(await found({ cwd: sub })).toMatchObject([
    {
      id: 'by-hand',
      severity: 'note',
      cause: expect.stringContaining(scratch.workspace),
      fix: { command: 'tandem run copilot', place: 'shell' },
    },
  ]);
  expect(named(await scratch.report({ cwd: scratch.home }), 'wrong-folder')).toHaveLength(1);
});

test('removes the lock file and names the socket of a companion of Copilot CLI that was killed', async () => {
  const killed = await scratch.serve();
  const { url, discovery } = (await killed.event('ready')).agents.copilot;
  await killed.signal('SIGKILL');
  expect(await found()).toMatchObject([
    {
      id: 'stale-file',
      cause: expect.stringContaining(url),
      files: discovery,
      fix: { isAutomatic: true },
    },
  ]);
  const { removed } = await scratch.report({}, '--fix');
  expect(removed?.map(({ file }) => file)).toEqual(expect.arrayContaining(discovery));
  expect(await found()).toEqual([]);
});

test('names each setting that switches the connection or the diffs off [COP-17]', async () => {
  await scratch.serve();
  set({ autoConnect: false });
  expect(await found()).toMatchObject([
    {
      id: 'ide-mode-off',
      severity: 'error',
      cause: expect.stringContaining('"autoConnect": false'),
      fix: { command: '/ide', place: 'agent' },
    },
  ]);
  set({ openDiffOnEdit: false });
  expect(await found()).toMatchObject([
    {
      id: 'no-diffs',
      severity: 'warning',
      cause: expect.stringContaining('"openDiffOnEdit": false'),
      fix: { command: '/ide', place: 'agent' },
    },
  ]);
});

test('names the variable with which Copilot CLI approves its own edits, and removes it [COP-17]', async () => {
  await scratch.serve();
  expect(await found({ env: { COPILOT_ALLOW_ALL: 'true' } })).toMatchObject([
    {
      id: 'no-diffs',
      severity: 'warning',
      cause: expect.stringContaining('COPILOT_ALLOW_ALL=true'),
      fix: { command: 'unset COPILOT_ALLOW_ALL', place: 'shell' },
    },
  ]);
  expect(await found({ env: { COPILOT_ALLOW_ALL: 'false' } })).toEqual([]);
});
