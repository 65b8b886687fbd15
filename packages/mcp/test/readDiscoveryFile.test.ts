import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openOwnFolder, readDiscoveryFile } from '../src/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('reads the file of a companion, and whether its process runs', () => {
  const { path } = openOwnFolder(folder).write('a.json', { token: 't' }, 5);
  expect(readDiscoveryFile(path)).toMatchObject({ content: { token: 't' }, isHeld: true });
  const text = readFileSync(path, 'utf8');
  // No process can have this pid.
  writeFileSync(path, text.replace(/"pid": \d+/, '"pid": 999999999'));
  expect(readDiscoveryFile(path)?.isHeld).toBe(false);
});

test('a later process with the same pid does not count as its owner', {
  skip: process.platform !== 'linux',
}, () => {
  const { path } = openOwnFolder(folder).write('a.json', {}, 5);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"startedAt": [\d.]+/, '"startedAt": 1000'));
  expect(readDiscoveryFile(path)?.isHeld).toBe(false);
});

test('ignores files without our mark', () => {
  const path = join(folder, 'a.json');
  expect(readDiscoveryFile(path)).toBeUndefined();
  for (const text of ['', '{', '{}', '{"tandem":1}', 'x'.repeat(100_000)]) {
    writeFileSync(path, text);
    expect(readDiscoveryFile(path)).toBeUndefined();
  }
  const ours = openOwnFolder(folder).write('b.json', {}, 5);
  const link = join(folder, 'link.json');
  symlinkSync(ours.path, link);
  expect(readDiscoveryFile(link)).toBeUndefined();
});
