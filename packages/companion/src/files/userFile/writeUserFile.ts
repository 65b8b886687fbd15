import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, messageOf, type Path } from '@tandem/core';
import { isAlive, temporaryFilePid } from '@tandem/mcp';
import { RpcError } from '@tandem/rpc';
import { onDisk } from '../diskGate.js';
import { RefusedFileError } from '../refusedFileError.js';
import { type FileTarget, openTarget } from './heldFolder.js';
import { keepOverwriteRecord } from './overwriteRecord.js';
import { maxWrittenBytes, readWhole, writeAt, writeWhole } from './writeWhole.js';

/** What must be true for a file to be written. */
export interface WriteConditions {
  /**
   * Whether the text was made from this content of the file; undefined if it does not exist. Called directly before and after the
   * file is replaced, so that what another program wrote meanwhile is not lost.
   */
  readonly isExpected: (now: Buffer | undefined) => boolean;
  /** Real folders: the file is written only inside one of them, whatever a link leads to. */
  readonly within?: readonly Path[];
  /** The permission bits that the file gets. Without them, it keeps its own. */
  readonly mode?: number | undefined;
  /** The path itself is meant, and not a file to which a link leads. */
  readonly exactly?: ExactPath | undefined;
}

/** A path that is written without following a link. */
export interface ExactPath {
  /** Its folder, without links. The path leads elsewhere if a link has taken the place of a folder. */
  readonly folder: Path;
  /** The target of the link that is there; undefined if it is a file, or nothing. */
  readonly link?: string | undefined;
  /** The target of the link to put there. */
  readonly newLink?: string | undefined;
  /** Only the permissions change, which were these. */
  readonly fromMode?: number | undefined;
}

/** Longer than reading may take: the content is written to the disk itself. */
const timeoutMs = 20_000;
const noFollow = constants.O_NOFOLLOW ?? 0;
/** The latest write of each file: two writes must not compare at the same time. */
const turns = new Map<Path, Promise<void>>();

interface Change {
  readonly path: Path;
  readonly target: FileTarget;
  readonly found: BigIntStats | undefined;
  readonly isExpected: WriteConditions['isExpected'];
  readonly mode: number | undefined;
  /** Throws if the caller has stopped waiting. */
  readonly check: () => void;
}

/**
 * Writes a file of the user, or removes it if there is no content. After a failure the file is as before. Missing folders are created.
 * A link stays, and its target is written, unless `exactly` says otherwise.
 *
 * A new file is written beside it and takes its place when it is whole; owner, group and mode stay. A file that would lose something
 * by that (several hard links, another owner, a read-only folder) is overwritten in place; see `keepOverwriteRecord` for a crash.
 *
 * Rejects with `RpcError`: with `changed` if the file is not the expected one, otherwise with `refused`.
 */
export async function writeUserFile(
  path: Path,
  content: string | Buffer | undefined,
  { isExpected, within, mode, exactly }: WriteConditions,
): Promise<void> {
  const bytes = content === undefined ? undefined : Buffer.from(content);
  const run = async (check: () => void): Promise<void> => {
    const followsLink = bytes !== undefined && exactly === undefined;
    const target = await openTarget(path, { within, followsLink });
    try {
      if (exactly !== undefined && target.folder.path !== exactly.folder) {
        throw new RpcError('refused', `${path} is behind a link by now. Nothing is written through it.`);
      }
      await inTurn(join(target.folder.path, target.name), async () => {
        await removeLeftovers(target.folder.at('.'));
        const found = await statAt(target.folder.at(target.name));
        const change = { path, target, found, isExpected, mode, check };
        if (exactly?.fromMode !== undefined) await changeMode(change, exactly.fromMode);
        else if (exactly?.link !== undefined || exactly?.newLink !== undefined)
          await replaceLink(change, exactly, bytes);
        else if (bytes === undefined) await remove(change);
        else if (!(await replace(change, bytes))) await overwrite(change, bytes);
        await target.folder.sync();
      });
    } finally {
      await target.folder.close();
    }
  };
  try {
    if (bytes !== undefined && bytes.length > maxWrittenBytes) {
      throw new Error(`it would have ${bytes.length} bytes; the limit is ${maxWrittenBytes}`);
    }
    await onDisk(path, run, { timeoutMs });
  } catch (cause) {
    if (cause instanceof RpcError) throw cause;
    const isRemoval =
      bytes === undefined && exactly?.newLink === undefined && exactly?.fromMode === undefined;
    const what = isRemoval ? 'removed' : 'written';
    throw new RpcError('refused', `${path} cannot be ${what}: ${reasonOf(cause)}`, { cause });
  }
}

/** Puts a new file in its place. Resolves to false, and has changed nothing, if that would lose something of the old one. */
async function replace(change: Change, bytes: Buffer): Promise<boolean> {
  const { found, target, check } = change;
  if (found !== undefined) {
    requireRegular(found);
    if (found.nlink > 1n) return false;
  }
  const temporary = target.folder.at(temporaryName());
  let handle: FileHandle;
  try {
    handle = await open(temporary, 'wx', found === undefined ? 0o666 : 0o600);
  } catch (error) {
    if (found !== undefined && isDenied(error)) return false;
    throw error;
  }
  try {
    try {
      if (found !== undefined && !(await takeAttributes(handle, found))) return false;
      await writeWhole(handle, bytes);
      if (change.mode !== undefined) await handle.chmod(change.mode);
    } finally {
      await handle.close();
    }
    check();
    await target.folder.verify();
    await (found === undefined ? create(change, temporary) : exchange(change, temporary));
  } finally {
    await rm(temporary, { force: true });
  }
  return true;
}

/** Unlike a rename, a link replaces no file that another program has just created. */
async function create({ path, target, isExpected }: Change, temporary: Path): Promise<void> {
  if (!isExpected(undefined)) throw changed(path);
  const file = target.folder.at(target.name);
  try {
    await link(temporary, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw changed(path);
    // A file system without hard links.
    if ((await statAt(file)) !== undefined) throw changed(path);
    await rename(temporary, file);
  }
}

/**
 * Replaces a file unless its content is not the expected one. Another name holds the old file meanwhile. So what another program writes
 * to it between the comparison and the rename is noticed, and the old file is put back. File systems without hard links lack that.
 */
async function exchange(change: Change, temporary: Path): Promise<void> {
  const { path, target, found, isExpected, check } = change;
  const file = target.folder.at(target.name);
  const old = target.folder.at(temporaryName());
  const isHeld = await link(file, old).then(
    () => true,
    () => false,
  );
  try {
    if (!isExpected(await readAt(isHeld ? old : file))) throw changed(path);
    check();
    const now = await statAt(file);
    if (now === undefined || now.ino !== found?.ino || now.dev !== found.dev) throw changed(path);
    await rename(temporary, file);
    if (!isHeld || isExpected(await readAt(old))) return;
    await rename(old, file);
    throw changed(path);
  } finally {
    if (isHeld) await rm(old, { force: true });
  }
}

/** Moves the file aside before it compares it, so that what is removed is what was compared. */
async function remove({ path, target, found, isExpected, check }: Change): Promise<void> {
  const file = target.folder.at(target.name);
  if (found === undefined || !isExpected(await readAt(file))) throw changed(path);
  const aside = target.folder.at(temporaryName());
  check();
  await target.folder.verify();
  await rename(file, aside);
  if (isExpected(await readAt(aside).catch(() => undefined))) return rm(aside);
  // Unlike a rename, a link replaces no file that another program has just created.
  await link(aside, file).then(
    () => rm(aside),
    () => rename(aside, file),
  );
  throw changed(path);
}

/** Overwrites a file. Both texts are on the disk before its first byte changes; after a failure the earlier one is put back. */
async function overwrite({ path, target, isExpected, mode, check }: Change, bytes: Buffer): Promise<void> {
  const handle = await openRegular(target.folder.at(target.name), constants.O_RDWR | noFollow);
  try {
    const before = await readWhole(handle);
    if (!isExpected(before)) throw changed(path);
    const record = await keepOverwriteRecord(join(target.folder.path, target.name), before, bytes);
    try {
      check();
      await target.folder.verify();
      if (!isExpected(await readWhole(handle))) throw changed(path);
    } catch (error) {
      await record.remove();
      throw error;
    }
    try {
      await overwriteWith(handle, before, bytes);
      if (mode !== undefined) await handle.chmod(mode);
    } catch (cause) {
      await handle.truncate(before.length).catch(() => {});
      await overwriteWith(handle, before, before).catch(() => {});
      const isBack = await readWhole(handle).then(
        (now) => now.equals(before),
        () => false,
      );
      if (!isBack) {
        const before = join(record.folder, 'before');
        throw new Error(`${messageOf(cause)}. It may be incomplete; its text before is in ${before}`, {
          cause,
        });
      }
      await record.remove();
      throw cause;
    }
    await record.remove();
  } finally {
    await handle.close();
  }
}

/** The longer part comes first: it is what a full disk refuses, and it does not change the old text. */
async function overwriteWith(handle: FileHandle, before: Buffer, after: Buffer): Promise<void> {
  const common = Math.min(before.length, after.length);
  await writeAt(handle, after.subarray(common), common);
  await handle.sync();
  await writeAt(handle, after.subarray(0, common), 0);
  await handle.truncate(after.length);
  await handle.sync();
}

/** Changes only the permissions of a file, which stays as it is otherwise. */
async function changeMode(
  { path, target, found, isExpected, mode, check }: Change,
  from: number,
): Promise<void> {
  const file = target.folder.at(target.name);
  const handle = await openRegular(file, constants.O_RDONLY | noFollow);
  try {
    if (!isExpected(await readWhole(handle))) throw changed(path);
    check();
    await target.folder.verify();
    const opened = await handle.stat({ bigint: true });
    const isSame = opened.ino === found?.ino && opened.dev === found.dev;
    if (mode === undefined || !isSame || (Number(opened.mode) & 0o7777) !== from) throw changed(path);
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

/**
 * Puts a link in the place of a file, or something else in the place of a link. What is there is moved aside before it is compared, so
 * that what is replaced is what was compared; what another program puts there meanwhile stays.
 */
async function replaceLink(
  change: Change,
  { link: from, newLink: to }: ExactPath,
  bytes: Buffer | undefined,
): Promise<void> {
  const { path, target, found, isExpected, mode, check } = change;
  const file = target.folder.at(target.name);
  const [temporary, aside] = [target.folder.at(temporaryName()), target.folder.at(temporaryName())];
  const isSame = async (at: Path): Promise<boolean> =>
    from === undefined ? isExpected(await readAt(at, noFollow)) : (await readlink(at)) === from;
  if (found !== undefined && !(await isSame(file).catch(() => false))) throw changed(path);
  if (found === undefined && (from !== undefined || !isExpected(undefined))) throw changed(path);
  const put = async (): Promise<void> => {
    if (to !== undefined) await symlink(to, file);
    else if (bytes !== undefined) await link(temporary, file);
  };
  try {
    if (bytes !== undefined) await writeNew(temporary, bytes, mode);
    check();
    await target.folder.verify();
    if (found === undefined) await put();
    else await exchangeAside({ file, aside, isSame: () => isSame(aside), put, changed: () => changed(path) });
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? changed(path) : error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Moves what is at `file` aside, and puts something else there if it is what was compared, then and afterwards. */
async function exchangeAside(of: {
  readonly file: Path;
  readonly aside: Path;
  readonly isSame: () => Promise<boolean>;
  readonly put: () => Promise<void>;
  readonly changed: () => RpcError;
}): Promise<void> {
  const { file, aside, isSame, put, changed } = of;
  await rename(file, aside);
  let isCompared = await isSame().catch(() => false);
  try {
    if (!isCompared) throw changed();
    await put();
    // Another program may have the old file open.
    isCompared = await isSame();
    if (!isCompared) {
      await rm(file, { force: true });
      throw changed();
    }
    await rm(aside);
  } catch (error) {
    const isBack = await link(aside, file).then(
      () => true,
      () => false,
    );
    if (isBack || isCompared) await rm(aside, { force: true });
    // Something else is there by now: what was moved aside stays, under a name that nothing removes.
    else await rename(aside, `${file}.${randomBytes(3).toString('hex')}.saved`);
    throw error;
  }
}

async function writeNew(path: Path, bytes: Buffer, mode: number | undefined): Promise<void> {
  const handle = await open(path, 'wx', 0o666);
  try {
    await writeWhole(handle, bytes);
    if (mode !== undefined) await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

/** Gives a new file the owner, group and mode of the old one. Resolves to whether it has them. */
async function takeAttributes(handle: FileHandle, { uid, gid, mode }: BigIntStats): Promise<boolean> {
  const [owner, group, bits] = [Number(uid), Number(gid), Number(mode) & 0o7777];
  try {
    const own = await handle.stat();
    if (own.uid !== owner || own.gid !== group) await handle.chown(owner, group);
    await handle.chmod(bits);
    const { uid, gid, mode } = await handle.stat();
    return uid === owner && gid === group && (mode & 0o7777) === bits;
  } catch {
    return false;
  }
}

async function readAt(path: Path, flags = 0): Promise<Buffer> {
  const handle = await openRegular(path, constants.O_RDONLY | flags);
  try {
    return await readWhole(handle);
  } finally {
    await handle.close();
  }
}

async function openRegular(path: Path, access: number): Promise<FileHandle> {
  // Opening some devices has side effects.
  requireRegular(await stat(path, { bigint: true }));
  const handle = await open(path, access | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  try {
    const stats = await handle.stat({ bigint: true });
    requireRegular(stats);
    if (stats.size > maxWrittenBytes) {
      throw new Error(`it has ${stats.size} bytes; the limit is ${maxWrittenBytes}`);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Follows no link. Undefined if nothing exists at the path. */
async function statAt(path: Path): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

function requireRegular(stats: BigIntStats): void {
  if (!stats.isFile()) throw new Error('it is not a regular file');
}

function temporaryName(): string {
  return `.tandem-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
}

/** Removes temporary files that a crash left. With one of them, a file would look as if it had several links. */
async function removeLeftovers(folder: Path): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = temporaryFilePid(name);
    if (pid !== undefined && !isAlive(pid)) await rm(join(folder, name), { force: true });
  }
}

async function inTurn(key: Path, run: () => Promise<void>): Promise<void> {
  const turn = (turns.get(key) ?? Promise.resolve()).then(run);
  const settled = turn.catch(() => {});
  turns.set(key, settled);
  await turn.finally(() => turns.get(key) === settled && turns.delete(key));
}

function changed(path: Path): RpcError {
  return new RpcError('changed', `${path} has just been changed by another program. Try again.`);
}

function isDenied(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
}

/** The reason with the way out. The names of temporary files would only confuse. */
function reasonOf(cause: unknown): string {
  if (cause instanceof RefusedFileError) return `${cause.why}.`;
  const reason = messageOf(cause).replace(/,? '[^']*'(?: -> '[^']*')?/g, '');
  const code = errorCode(cause) ?? '';
  if (['ENOSPC', 'EDQUOT'].includes(code))
    return `${reason}. The file is as before. Free some space, then try again.`;
  if (isDenied(cause)) return `${reason}. The file is as before. Make it writable, then try again.`;
  return `${reason}.`;
}
