import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, type Logger, type Path } from '@tandem/core';
import { isRunning, openOwnFolder, processStartedAt, readPrivateBytes, readPrivateFile } from '@tandem/mcp';
import * as z from 'zod';
import { onDisk } from '../diskGate.js';
import { recordsFolder } from './recordsFolder.js';
import { maxWrittenBytes, readWhole, writeAt, writeWhole } from './writeWhole.js';

/** The pid, the start time of that process, and random digits. */
const recordName = /^(\d{1,10})-(\d{1,15})-[0-9a-f]{8}$/;
const keptForMs = 30 * 24 * 60 * 60_000;
const target = z.object({ path: z.string() });

/** Both texts of a file that is being overwritten in place, in a private folder, so that a crash can be undone. */
export interface OverwriteRecord {
  readonly folder: Path;
  remove(): Promise<void>;
}

/** Writes both texts to the disk. Rejects with the file system's error, and leaves nothing then. */
export async function keepOverwriteRecord(
  path: Path,
  before: Buffer,
  after: Buffer,
): Promise<OverwriteRecord> {
  const parent = openOwnFolder(recordsFolder()).path;
  const folder = join(
    parent,
    `${process.pid}-${Math.round(processStartedAt)}-${randomBytes(4).toString('hex')}`,
  );
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder, { mode: 0o700 });
    await write(join(folder, 'before'), before);
    await write(join(folder, 'after'), after);
    // The last one: without it, the file has not been touched.
    await write(join(folder, 'target.json'), Buffer.from(JSON.stringify({ path })));
    await syncFolders([folder, parent]);
    return { folder, remove };
  } catch (error) {
    await remove().catch(() => {});
    throw error;
  }
}

/**
 * Undoes what processes that were killed left half written in place: such a file gets its earlier text back. A file that something
 * else has changed since is left alone, and the log names its earlier text. Never rejects.
 */
export async function undoBrokenOverwrites(logger: Logger): Promise<void> {
  const parent = recordsFolder();
  for (const name of await readdir(parent).catch(() => [])) {
    const [, pid, startedAt] = recordName.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid), Number(startedAt))) continue;
    const folder = join(parent, name);
    try {
      if (await isSettled(folder, logger)) await rm(folder, { recursive: true, force: true });
    } catch (error) {
      logger.warn('a file that was being written when Tandem was killed cannot be checked', {
        before: join(folder, 'before'),
        error: describeError(error),
      });
    }
  }
}

async function isSettled(folder: Path, logger: Logger): Promise<boolean> {
  const path = targetIn(readPrivateFile(join(folder, 'target.json')));
  const before = readPrivateBytes(join(folder, 'before'), maxWrittenBytes);
  const after = readPrivateBytes(join(folder, 'after'), maxWrittenBytes);
  if (path === undefined || before === undefined || after === undefined) return true;
  const found = await onDisk(path, () => undoOverwrite(path, before, after));
  if (found === 'undone') logger.warn('a write that Tandem did not finish is undone', { path });
  if (found !== 'changed') return true;
  const { mtimeMs } = await stat(folder);
  if (Date.now() - mtimeMs > keptForMs) return true;
  logger.warn('a file was half written when Tandem was killed, and has been changed since', {
    path,
    before: join(folder, 'before'),
  });
  return false;
}

/** Undefined if the process was killed while it wrote the record: the file has not been touched. */
function targetIn(json: string | undefined): Path | undefined {
  try {
    return target.parse(JSON.parse(json ?? '')).path;
  } catch {
    return undefined;
  }
}

async function undoOverwrite(
  path: Path,
  before: Buffer,
  after: Buffer,
): Promise<'whole' | 'undone' | 'changed'> {
  const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > maxWrittenBytes) return 'changed';
    const now = await readWhole(handle);
    if (now.equals(before) || now.equals(after)) return 'whole';
    if (!isMixture(now, before, after)) return 'changed';
    await writeAt(handle, before, 0);
    await handle.truncate(before.length);
    await handle.sync();
    return 'undone';
  } finally {
    await handle.close();
  }
}

/** Whether each byte is of one of both texts, as after an overwrite that was interrupted. */
function isMixture(now: Buffer, before: Buffer, after: Buffer): boolean {
  if (now.length < Math.min(before.length, after.length)) return false;
  return now.every((byte, at) => byte === before[at] || byte === after[at]);
}

async function write(path: Path, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await writeWhole(handle, bytes);
  } finally {
    await handle.close();
  }
}

async function syncFolders(folders: readonly Path[]): Promise<void> {
  for (const folder of folders) {
    // Windows cannot open a folder.
    const handle = await open(folder, 'r').catch(() => undefined);
    await handle?.sync().catch(() => {});
    await handle?.close();
  }
}
