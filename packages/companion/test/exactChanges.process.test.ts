import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../changes/test/support/builtWorker.js';
import type { CompanionStage } from './support/companionStage.js';
import { HookedAgent } from './support/hookedAgent.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();
let workerFile: string;
beforeAll(async () => {
  workerFile = await buildWorker();
});

const picture = Buffer.from([0x89, 0x50, 0, 1, 2, 3, 0xff, 0, 0xfe]);
const other = Buffer.from([0x89, 0x50, 0, 9, 9, 0xff, 0xff, 0]);

async function site() {
  const { folder, begin } = createSite({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, { changes: { workerFile } });
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('a.bin'), picture);
  chmodSync(path('a.bin'), 0o750);
  symlinkSync('a.txt', path('link'));
  const stage = await begin();
  const agent = new HookedAgent(stage);
  await agent.prompt('first');
  return { folder, begin, path, stage, agent };
}

const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;
const idsOf = ({ companion }: CompanionStage): string[] =>
  companion.history.entries.map(({ decided }) => decided.id);
const sessionOf = ({ companion }: CompanionStage): string => companion.history.entries[0]?.session ?? '';

/** Everything below a folder: kinds, modes and contents. */
function snapshot(folder: string): string {
  return execFileSync(
    'sh',
    [
      '-c',
      'find . -path ./.git -prune -o -printf "%p %y %m %l\\n" | sort; find . -type f | sort | xargs sha256sum',
    ],
    { cwd: folder, encoding: 'utf8' },
  );
}

test('binary files, permissions and links are undone exactly, and the undo is undone', async () => {
  const { folder, path, stage, agent } = await site();
  const before = snapshot(folder);
  const moved = Buffer.concat([picture, other]);
  await agent.run('./script', () => {
    writeFileSync(path('a.bin'), other);
    chmodSync(path('a.bin'), 0o640);
    writeFileSync(path('new.bin'), moved);
    chmodSync(path('a.txt'), 0o755);
    rmSync(path('link'));
    symlinkSync('b.txt', path('link'));
    symlinkSync('nowhere', path('dangling'));
    rmSync(path('b.txt'));
    symlinkSync('a.txt', path('b.txt'));
  });
  await agent.stop();
  const after = snapshot(folder);
  const { changes } = stage.companion;
  const files = await changes.list();
  expect(files.map(({ path, isAbsent }) => ({ path, isAbsent }))).toHaveLength(6);
  expect(files.filter(({ isAbsent }) => isAbsent)).toEqual([]);
  const notes = files.flatMap((file) => file.notes);
  expect(notes).toContain('Its permissions changed from 644 to 755.');
  expect(notes).toContain('It is a link to b.txt now.');
  expect(notes).toContain('Before these changes it was a link to a.txt.');
  await changes.restore({ session: sessionOf(stage) });
  expect(snapshot(folder)).toBe(before);
  await agent.run('true', () => {});
  const redo = stage.companion.history.entries.flatMap(({ decided }) =>
    decided.reversed === 'undone' ? [decided.id] : [],
  );
  expect(redo).toHaveLength(6);
  expect(stage.companion.history.entries).toHaveLength(12);
  await changes.restore({ ids: redo });
  expect(snapshot(folder)).toBe(after);
});

test('a binary file is undone after a restart, and not if anything else has written it since', async () => {
  const { path, stage, agent, begin } = await site();
  await agent.run('./script', () => writeFileSync(path('a.bin'), other));
  await agent.stop();
  await stage.companion.stop();
  const next = await begin();
  writeFileSync(path('a.bin'), Buffer.from([0, 1, 2]));
  const refusal = /a.bin cannot be undone: it is binary and has changed since/;
  await expect(next.companion.changes.restore({ ids: idsOf(next) })).rejects.toThrow(refusal);
  expect(readFileSync(path('a.bin'))).toEqual(Buffer.from([0, 1, 2]));
  writeFileSync(path('a.bin'), other);
  await next.companion.changes.restore({ ids: idsOf(next) });
  expect(readFileSync(path('a.bin'))).toEqual(picture);
  expect(modeOf(path('a.bin'))).toBe(0o750);
});

test('one version of a binary file after another is undone', async () => {
  const { path, stage, agent } = await site();
  const third = Buffer.from([0, 7, 7]);
  await agent.run('./second', () => writeFileSync(path('a.bin'), other));
  await agent.run('./third', () => writeFileSync(path('a.bin'), third));
  await agent.run('./text', () => writeFileSync(path('a.bin'), 'text\n'));
  const { changes } = stage.companion;
  await changes.restore({ ids: ['w3'] });
  expect(readFileSync(path('a.bin'))).toEqual(third);
  await changes.restore({ session: sessionOf(stage) });
  expect(readFileSync(path('a.bin'))).toEqual(picture);
});

test('permissions that something else has changed since stay, and text is undone without them', async () => {
  const { path, stage, agent } = await site();
  chmodSync(path('a.txt'), 0o644);
  await agent.run('./script', () => {
    writeFileSync(path('a.txt'), 'ONE\n');
    chmodSync(path('a.txt'), 0o755);
  });
  chmodSync(path('a.txt'), 0o600);
  await stage.companion.changes.restore({ ids: idsOf(stage) });
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('one\n');
  expect(modeOf(path('a.txt'))).toBe(0o600);
});

test('a file that an agent has made read-only is undone, and a removed one gets its permissions back', async () => {
  const { path, stage, agent } = await site();
  chmodSync(path('a.txt'), 0o751);
  const { mtimeMs } = lstatSync(path('b.txt'));
  await agent.run('true', () => {});
  await agent.run('./script', () => {
    rmSync(path('a.txt'));
    chmodSync(path('b.txt'), 0o444);
  });
  const { companion } = stage;
  const made = companion.history.entries.filter(({ decided }) => decided.evidence?.kind === 'command');
  await companion.changes.restore({ ids: made.map(({ decided }) => decided.id) });
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('one\n');
  expect(modeOf(path('a.txt'))).toBe(0o751);
  expect(modeOf(path('b.txt'))).toBe(0o644);
  // Only the permissions are written.
  expect(lstatSync(path('b.txt')).mtimeMs).toBe(mtimeMs);
});

test('nothing is written through a link that has taken the place of a file or of its folder', async () => {
  const { path, stage, agent } = await site();
  mkdirSync(path('sub'));
  mkdirSync(path('trap'));
  writeFileSync(path('sub/a.bin'), picture);
  writeFileSync(path('sub/a.txt'), 'one\n');
  await agent.run('true', () => {});
  await agent.run('./script', () => {
    writeFileSync(path('sub/a.bin'), other);
    writeFileSync(path('sub/a.txt'), 'two\n');
    writeFileSync(path('a.txt'), 'changed\n');
  });
  const made = stage.companion.history.entries.filter(({ decided }) => decided.evidence?.kind === 'command');
  expect(made).toHaveLength(3);
  for (const name of ['a.bin', 'a.txt']) renameSync(path(`sub/${name}`), path(`trap/${name}`));
  rmSync(path('sub'), { recursive: true });
  symlinkSync('trap', path('sub'));
  renameSync(path('a.txt'), path('trap/real.txt'));
  symlinkSync('trap/real.txt', path('a.txt'));
  for (const { decided } of made)
    await expect(stage.companion.changes.restore({ ids: [decided.id] })).rejects.toThrow(/link/);
  expect(readFileSync(path('trap/a.bin'))).toEqual(other);
  expect(readFileSync(path('trap/a.txt'), 'utf8')).toBe('two\n');
  expect(readFileSync(path('trap/real.txt'), 'utf8')).toBe('changed\n');
  expect(readlinkSync(path('a.txt'))).toBe('trap/real.txt');
});

test('a binary file with several hard links is written in place', async () => {
  const { path, stage, agent } = await site();
  linkSync(path('a.bin'), path('second.bin'));
  await agent.run('true', () => {});
  await agent.run('./script', () => writeFileSync(path('a.bin'), other));
  const made = stage.companion.history.entries.filter(({ decided }) => decided.evidence?.kind === 'command');
  await stage.companion.changes.restore({ ids: made.slice(0, 1).map(({ decided }) => decided.id) });
  expect(readFileSync(path('a.bin'))).toEqual(picture);
  expect(readFileSync(path('second.bin'))).toEqual(picture);
  expect(lstatSync(path('a.bin')).nlink).toBe(2);
});
