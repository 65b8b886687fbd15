import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiscoveryError, openOwnFolder, openSharedFolder } from '../src/index.js';

const isRoot = process.getuid?.() === 0;
const someoneElse = 65_534;
let root: string;
let umask: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'discovery-'));
  // The most permissive umask: modes must not depend on it.
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
});

const modeOf = (path: string) => statSync(path).mode & 0o777;
const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const faultOf = (run: () => unknown): DiscoveryError => {
  try {
    run();
  } catch (error) {
    if (error instanceof DiscoveryError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('an own folder', () => {
  test('is created with its missing parents, all private', () => {
    openOwnFolder(join(root, 'a/b/c'));
    expect(['a', 'a/b', 'a/b/c'].map((path) => modeOf(join(root, path)))).toEqual([0o700, 0o700, 0o700]);
  });

  test('leaves existing parents alone', () => {
    mkdirSync(join(root, 'a'), { mode: 0o755 });
    openOwnFolder(join(root, 'a/b'));
    expect(modeOf(join(root, 'a'))).toBe(0o755);
  });

  test('is made private if other users have access', () => {
    mkdirSync(join(root, 'a'), { mode: 0o777 });
    openOwnFolder(join(root, 'a'));
    expect(modeOf(join(root, 'a'))).toBe(0o700);
  });

  test('is refused if it is a symbolic link, and nothing is written through the link', () => {
    mkdirSync(join(root, 'real'), { mode: 0o755 });
    symlinkSync(join(root, 'real'), join(root, 'link'));
    const error = faultOf(() => openOwnFolder(join(root, 'link')));
    expect(error.fault).toBe('symlink');
    expect(error.message).toContain(join(root, 'link'));
    expect(error.message).toContain('symbolic link');
    expect(error.message).toContain('Remove it');
    expect(modeOf(join(root, 'real'))).toBe(0o755);
    expect(readdirSync(join(root, 'real'))).toEqual([]);
  });

  test('is refused when it is a dangling symbolic link', () => {
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    expect(faultOf(() => openOwnFolder(join(root, 'link'))).fault).toBe('symlink');
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
  });

  test('is refused when it belongs to another user', () => {
    const error = faultOf(() => openOwnFolder(foreignFolder(join(root, 'a'))));
    expect(error.fault).toBe('foreign-owner');
    expect(error.message).toContain('another user');
  });

  test('is refused if it is a file', () => {
    writeFileSync(join(root, 'a'), '');
    expect(faultOf(() => openOwnFolder(join(root, 'a'))).fault).toBe('not-a-directory');
  });

  test('is refused when it cannot be created, with the cause', () => {
    writeFileSync(join(root, 'file'), '');
    const error = faultOf(() => openOwnFolder(join(root, 'file/folder')));
    expect(error.fault).toBe('not-writable');
    expect(error.message).toContain(join(root, 'file/folder'));
    expect(error.message).toMatch(/ENOTDIR|EEXIST/);
    expect(error.message).toContain('Make it writable');
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('is refused if it is not writable', () => {
    // Modes do not apply to root, but no one can create a folder below /proc.
    const readOnly = isRoot ? '/proc' : join(root, 'read-only');
    if (!isRoot) mkdirSync(readOnly, { mode: 0o500 });
    expect(faultOf(() => openOwnFolder(join(readOnly, 'tandem', 'ide'))).fault).toBe('not-writable');
  });
});

describe('a discovery file', () => {
  test('contains the fields of the agent and our mark, and is private', () => {
    const file = openOwnFolder(join(root, 'ide')).write('1234.lock', { authToken: 'abc' }, 1234);
    expect(jsonOf(file.path)).toEqual({
      authToken: 'abc',
      tandem: { pid: process.pid, startedAt: expect.any(Number), port: 1234 },
    });
    expect(jsonOf(file.path).tandem.startedAt).toBeCloseTo(performance.timeOrigin, -1);
    expect(modeOf(file.path)).toBe(0o600);
    expect(readdirSync(join(root, 'ide'))).toEqual(['1234.lock']);
  });

  test('replaces a public file of the same name with a private one', () => {
    writeFileSync(join(root, 'a.lock'), 'old', { mode: 0o644 });
    openOwnFolder(root).write('a.lock', { new: true }, 1);
    expect(modeOf(join(root, 'a.lock'))).toBe(0o600);
    expect(jsonOf(join(root, 'a.lock')).new).toBe(true);
  });

  test('is rewritten as a whole', async () => {
    const file = openOwnFolder(root).write('a.lock', { workspaceFolders: ['/a'] }, 7);
    await file.rewrite({ workspaceFolders: ['/a', '/b'] });
    expect(jsonOf(file.path)).toMatchObject({ workspaceFolders: ['/a', '/b'], tandem: { port: 7 } });
    expect(modeOf(file.path)).toBe(0o600);
    expect(readdirSync(root)).toEqual(['a.lock']);
  });

  test('is lost if it or its folder was moved, or a different copy is in its place', async () => {
    const path = join(root, 'ide');
    const file = openOwnFolder(path).write('a.json', { authToken: 't' }, 1);
    expect(file.isLost).toBe(false);
    await file.rewrite({ authToken: 't', folders: [] });
    expect(file.isLost).toBe(false);

    renameSync(file.path, `${file.path}.moved`);
    expect(file.isLost).toBe(true);
    await file.rewrite({ authToken: 't' });
    expect(file.isLost).toBe(false);

    renameSync(path, `${path}.moved`);
    mkdirSync(path, { mode: 0o700 });
    expect(file.isLost).toBe(true);
    cpSync(`${path}.moved`, path, { recursive: true });
    chmodSync(file.path, 0o644);
    expect(file.isLost).toBe(true);
    chmodSync(file.path, 0o600);
    expect(file.isLost).toBe(false);
    const older = { ...jsonOf(file.path), authToken: 'older' };
    writeFileSync(file.path, JSON.stringify(older));
    expect(file.isLost).toBe(true);
  });

  test('is not lost if a file of another program is in its place', () => {
    const file = openOwnFolder(join(root, 'ide')).write('a.json', { authToken: 't' }, 1);
    const content = jsonOf(file.path);
    for (const text of [
      JSON.stringify({ ...content, tandem: { ...content.tandem, port: 2 } }),
      '{"port":5}',
      '',
    ]) {
      writeFileSync(file.path, text);
      expect([text, file.isLost]).toEqual([text, false]);
    }
  });

  test('is gone after remove, and rewrite does not restore it', async () => {
    const file = openOwnFolder(root).write('a.lock', {}, 1);
    await file.remove();
    await file.rewrite({ late: true });
    await file.remove();
    file.removeSync();
    expect(readdirSync(root)).toEqual([]);
  });

  test('is removed synchronously for exit handlers', () => {
    const file = openOwnFolder(root).write('a.lock', {}, 1);
    file.removeSync();
    expect(readdirSync(root)).toEqual([]);
  });

  test.each([
    ['another companion of the same port', { tandem: { pid: 1, startedAt: 1, port: 1 } }],
    ['a program without our mark', { authToken: 'theirs' }],
  ])('is not removed when %s has replaced it', async (_who, content) => {
    const file = openOwnFolder(root).write('a.lock', {}, 1);
    writeFileSync(file.path, JSON.stringify(content));
    await file.remove();
    expect(jsonOf(file.path)).toEqual(content);
  });

  test.each(['', '..', '../a.lock', 'a/b.lock', 'a\\b'])('is not written under the name %j', (name) => {
    expect(faultOf(() => openOwnFolder(root).write(name, {}, 1)).fault).toBe('bad-name');
  });

  test('leaves no temporary file if it cannot be written', () => {
    mkdirSync(join(root, 'a.lock'));
    const error = faultOf(() => openOwnFolder(root).write('a.lock', {}, 1));
    expect(error.fault).toBe('not-writable');
    expect(readdirSync(root)).toEqual(['a.lock']);
  });
});

describe('a shared folder', () => {
  test('keeps its mode', () => {
    chmodSync(root, 0o1777);
    const file = openSharedFolder(root).write('qwen-code-ide-server-1.json', { port: 1 }, 1);
    expect(statSync(root).mode & 0o7777).toBe(0o1777);
    expect(modeOf(file.path)).toBe(0o600);
  });

  test('may be reached through a symbolic link', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    openSharedFolder(join(root, 'link')).write('a.json', {}, 1);
    expect(readdirSync(join(root, 'real'))).toEqual(['a.json']);
  });

  test('is never written to through a symbolic link', () => {
    writeFileSync(join(root, 'victim'), 'untouched');
    symlinkSync(join(root, 'victim'), join(root, 'a.json'));
    expect(readlinkSync(join(root, 'a.json'))).toBe(join(root, 'victim'));
    openSharedFolder(root).write('a.json', { port: 1 }, 1);
    expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('untouched');
    expect(lstatSync(join(root, 'a.json')).isFile()).toBe(true);
  });

  test('is not written to if the file belongs to another user', () => {
    const theirs = foreignFile(join(root, 'a.json'));
    const before = readFileSync(theirs, 'utf8');
    const error = faultOf(() => openSharedFolder(dirname(theirs)).write(basename(theirs), {}, 1));
    // If root's folder is not writable for us either, that is reported first.
    expect(['foreign-owner', 'not-writable']).toContain(error.fault);
    if (isRoot) expect(error.fault).toBe('foreign-owner');
    expect(readFileSync(theirs, 'utf8')).toBe(before);
  });

  test('is refused when it does not exist or is a file', () => {
    writeFileSync(join(root, 'file'), '');
    expect(faultOf(() => openSharedFolder(join(root, 'none'))).fault).toBe('not-writable');
    expect(faultOf(() => openSharedFolder(join(root, 'file'))).fault).toBe('not-a-directory');
  });
});

/** A folder of another user: as root, one whose owner we change; otherwise one of root. */
function foreignFolder(path: string): string {
  if (!isRoot) return '/usr';
  mkdirSync(path);
  chownSync(path, someoneElse, someoneElse);
  return path;
}

/** A file of another user, made in the same way. */
function foreignFile(path: string): string {
  if (!isRoot) return '/etc/passwd';
  writeFileSync(path, 'theirs');
  chownSync(path, someoneElse, someoneElse);
  return path;
}
