import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFolderScan, type FolderScan, type FolderScanOptions } from '../src/index.js';
import { buildWorker } from './support/builtWorker.js';

let workerFile: string;
const scans: FolderScan[] = [];

beforeAll(async () => {
  workerFile = await buildWorker();
});
afterEach(async () => {
  await Promise.all(scans.splice(0).map((scan) => scan.close()));
});

function place() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'folder-scan-')));
  const root = join(folder, 'root');
  mkdirSync(root);
  return { root, stateFolder: join(folder, 'state') };
}

function scanOf(
  options: Partial<FolderScanOptions> & { readonly folder: string; readonly stateFolder: string },
) {
  const scan = createFolderScan({ workerFile, logger: silentLogger, home: '/nowhere', ...options });
  scans.push(scan);
  return scan;
}

describe('a scan with its worker', () => {
  it('starts no worker and writes nothing before the first call', () => {
    const { root, stateFolder } = place();
    const scan = scanOf({ folder: root, stateFolder });
    expect(scan.status().mode).toBe('whole');
    expect(existsSync(stateFolder)).toBe(false);
  });

  it('reports changes with absolute paths, and gives their bytes', async () => {
    const { root, stateFolder } = place();
    const file = join(root, 'a');
    writeFileSync(file, 'one');
    const scan = scanOf({ folder: root, stateFolder });
    expect(await scan.look()).toMatchObject({ changes: [], isComplete: true });
    await vi.waitFor(async () => {
      await scan.look([file]);
      expect(scan.status().unread).toBe(0);
    });
    writeFileSync(file, Buffer.from([0, 255, 13, 10]));
    const { changes } = await scan.look();
    expect(changes.map(({ path }) => path)).toEqual([file]);
    const { before, after } = changes[0] ?? {};
    if (before?.kind !== 'file' || after?.kind !== 'file') throw new Error('It was not read.');
    expect((await scan.content(before.hash))?.toString()).toBe('one');
    expect(await scan.content(after.hash)).toEqual(Buffer.from([0, 255, 13, 10]));
    expect(await scan.content('0'.repeat(64))).toBeUndefined();
  });

  it('keeps its files private', async () => {
    const { root, stateFolder } = place();
    writeFileSync(join(root, 'a'), 'one');
    const scan = scanOf({ folder: root, stateFolder });
    await scan.look();
    await scan.pin(new Set());
    const { folder } = scan.status();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it('gives whole looks that have not begun one result, and reports each change once', async () => {
    const { root, stateFolder } = place();
    const scan = scanOf({ folder: root, stateFolder });
    await scan.look();
    for (let at = 0; at < 1_100; at += 1) writeFileSync(join(root, `f${at}`), `${at}`);
    const looks = await Promise.all([scan.look(), scan.look(), scan.look([join(root, 'f0')]), scan.look()]);
    expect(looks[1]).toBe(looks[0]);
    expect(looks[0]?.changes.length).toBe(1_100);
    expect(looks[2]?.changes).toEqual([]);
  });

  it('leaves the store to the first of two, and takes it when the first is closed', async () => {
    const { root, stateFolder } = place();
    const first = scanOf({ folder: root, stateFolder });
    const second = scanOf({ folder: root, stateFolder });
    await first.look();
    expect(await second.look()).toMatchObject({ changes: [], isComplete: false });
    expect(second.status()).toMatchObject({ mode: 'off', owner: process.pid });
    await first.close();
    expect(await second.look()).toMatchObject({ isComplete: true });
    expect(second.status()).toMatchObject({ mode: 'whole', owner: undefined });
  });

  it('takes the store of a process that has ended', async () => {
    const { root, stateFolder } = place();
    const scan = scanOf({ folder: root, stateFolder });
    const { folder } = scan.status();
    mkdirSync(folder, { recursive: true });
    // The pid is ours, the start is not.
    writeFileSync(join(folder, 'owner'), JSON.stringify({ pid: process.pid, start: '1', id: 'gone' }));
    expect(await scan.look()).toMatchObject({ isComplete: true });
  });

  it('starts a worker that fails again, then looks at hints only, then not at all', async () => {
    const { root, stateFolder } = place();
    const broken = join(root, 'broken.mjs');
    writeFileSync(broken, 'throw new Error("broken");');
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...said: unknown[]) => warnings.push(said) };
    const scan = scanOf({ folder: root, stateFolder, workerFile: broken, logger });
    expect(await scan.look()).toMatchObject({ changes: [], isComplete: false });
    expect(warnings).toHaveLength(3);
    expect(scan.status()).toMatchObject({ mode: 'off', why: 'looking at it failed twice' });
    expect(await scan.content('0'.repeat(64))).toBeUndefined();
  });

  it('removes all that it stored', async () => {
    const { root, stateFolder } = place();
    writeFileSync(join(root, 'a'), 'one');
    const scan = scanOf({ folder: root, stateFolder });
    await scan.look([join(root, 'a')]);
    await scan.delete();
    expect(readdirSync(stateFolder)).toEqual([]);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('one');
  });

  it('reports paths below the folder as its user named it', async () => {
    const { root, stateFolder } = place();
    const named = `${root}-link`;
    symlinkSync(root, named);
    const scan = scanOf({ folder: named, stateFolder });
    await scan.look();
    writeFileSync(join(root, 'a'), 'one');
    const { changes } = await scan.look();
    expect(changes.map(({ path }) => path)).toEqual([join(named, 'a')]);
    expect(await scan.look([join(named, 'a')])).toMatchObject({ changes: [] });
  });
});
