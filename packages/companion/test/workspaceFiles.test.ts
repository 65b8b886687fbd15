import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DocumentError, silentLogger, systemClock } from '@tandem/core';
import { type FileContent, findStop, Review } from '@tandem/reviews';
import { describe, expect, test } from 'vitest';
import { readIfPossible, WorkspaceFiles } from '../src/files/workspaceFiles.js';
import { makeWorkspace } from './support/companionStage.js';

const files = new WorkspaceFiles();

function reviewOf(path: string, original: FileContent = { kind: 'text', text: 'x' }): Review {
  return new Review(
    {
      id: '1',
      proposal: { path, content: 'y', agent: 'claude', session: 's1' },
      original,
      isOutsideWorkspace: false,
    },
    { clock: systemClock, logger: silentLogger },
  );
}

describe('reading a file for a review', () => {
  test('returns its complete text', async () => {
    const text = '\uFEFFone\r\ntwo\rthree\n😀 no newline';
    expect(await files.read(join(makeWorkspace({ a: text }), 'a'))).toEqual({ kind: 'text', text });
  });

  test('distinguishes a missing file, a file that is not text, a folder, and a path below a file', async () => {
    const folder = makeWorkspace({ 'a.txt': 'x' });
    writeFileSync(join(folder, 'latin1'), Buffer.from([0x66, 0xfc, 0x72]));
    expect(await files.read(join(folder, 'none'))).toEqual({ kind: 'missing' });
    expect(await files.read(join(folder, 'none', 'below'))).toEqual({ kind: 'missing' });
    expect(await files.read(join(folder, 'latin1'))).toEqual({ kind: 'binary', size: 3 });
    await expect(files.read(folder)).rejects.toMatchObject({ code: 'not-a-file' });
    await expect(files.read(join(folder, 'a.txt', 'below'))).rejects.toMatchObject({ code: 'failed' });
  });

  test('does not block on a named pipe or read a huge file', async () => {
    const folder = makeWorkspace({ huge: '' });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(files.read(join(folder, 'pipe'))).rejects.toMatchObject({ code: 'not-a-file' });
    truncateSync(join(folder, 'huge'), 65 * 1024 * 1024);
    await expect(files.read(join(folder, 'huge'))).rejects.toThrow('the limit is 67108864');
  });

  test('reads no more of an endless file than its size states', async () => {
    const path = join(makeWorkspace(), 'link');
    symlinkSync('/proc/self/environ', path);
    await expect(files.read(path)).rejects.toMatchObject({
      code: 'failed',
      message: `${path} is not read: it contains more bytes than its reported size.`,
    });
  });
});

describe('reading the file of a pending review', () => {
  test('finds a file that grew too large not text, and one below a file missing', async () => {
    const folder = makeWorkspace({ huge: '', 'a.txt': 'x' });
    truncateSync(join(folder, 'huge'), 65 * 1024 * 1024);
    expect(await readIfPossible(files, reviewOf(join(folder, 'huge')))).toEqual({
      kind: 'binary',
      size: 65 * 1024 * 1024,
    });
    expect(await readIfPossible(files, reviewOf(join(folder, 'a.txt', 'below')))).toEqual({
      kind: 'missing',
    });
    expect(await readIfPossible(files, reviewOf(join(folder, 'a.txt')))).toEqual({ kind: 'text', text: 'x' });
  });

  test.each([{ kind: 'text', text: 'x' } as const, { kind: 'missing' } as const])(
    'stops the acceptance of a change to a file ($kind before) that became a folder',
    async (original) => {
      const folder = makeWorkspace({});
      mkdirSync(join(folder, 'a.txt'));
      const review = reviewOf(join(folder, 'a.txt'), original);
      expect(findStop(review, await readIfPossible(files, review))).toBe('conflict');
      rmdirSync(join(folder, 'a.txt'));
      if (original.kind === 'text') writeFileSync(join(folder, 'a.txt'), original.text);
      expect(findStop(review, await readIfPossible(files, review))).toBeUndefined();
    },
  );

  test('logs why a file cannot be read', async () => {
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warned.push(line) };
    const error = new DocumentError('failed', '/w/a.txt cannot be read (EIO).');
    const broken = { read: () => Promise.reject(error) };
    expect(await readIfPossible(broken, reviewOf('/w/a.txt'), {}, logger)).toBeUndefined();
    expect(warned).toEqual([['the file of a review cannot be read', { error: error.message }]]);
  });
});

describe('reading an ignore file', () => {
  test('detects a change, even of the same size, and a removal', async () => {
    const folder = makeWorkspace({ '.ignore': 'aa\n' });
    const path = join(folder, '.ignore');
    expect(await files.readText(path)).toBe('aa\n');
    writeFileSync(path, 'bb\n');
    utimesSync(path, 1, 1);
    expect(await files.readText(path)).toBe('bb\n');
    rmSync(path);
    expect(await files.readText(path)).toBeUndefined();
    mkdirSync(path);
    expect(await files.readText(path)).toBeUndefined();
  });

  test('rejects with the path and the reason if the file exists and cannot be read', async () => {
    const folder = makeWorkspace({ huge: '' });
    truncateSync(join(folder, 'huge'), 2 * 1024 * 1024);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('/dev/zero', join(folder, 'device'));
    symlinkSync('/proc/self/environ', join(folder, 'endless'));
    for (const [name, why] of [
      ['huge', 'it has 2097152 bytes; the limit is 1048576'],
      ['pipe', 'it is a named pipe and not a regular file'],
      ['device', 'it is a device and not a regular file'],
      ['endless', 'it contains more bytes than its reported size'],
    ] as const) {
      const path = join(folder, name);
      await expect(files.readText(path)).rejects.toThrow(`${path} is not read: ${why}.`);
    }
  });
});

describe('the real path', () => {
  test('follows links, including those above a file that does not exist yet', async () => {
    const folder = makeWorkspace({ 'a.txt': 'x' });
    const link = join(makeWorkspace(), 'link');
    symlinkSync(folder, link);
    expect(await files.realPath(join(link, 'a.txt'))).toBe(join(folder, 'a.txt'));
    expect(await files.realPath(join(link, 'new', 'b.txt'))).toBe(join(folder, 'new', 'b.txt'));
  });
});

describe('the real path', () => {
  test('of a file that does not exist is where it would be created, also through links', async () => {
    const [folder, outside] = [realpathSync(makeWorkspace()), realpathSync(makeWorkspace())];
    symlinkSync(outside, join(folder, 'out'));
    symlinkSync(join('out', 'new'), join(folder, 'first'));
    symlinkSync('first', join(folder, 'second'));
    symlinkSync('loop', join(folder, 'loop'));
    expect(await files.realPath(join(folder, 'a', 'b'))).toBe(join(folder, 'a', 'b'));
    expect(await files.realPath(join(folder, 'out', 'new'))).toBe(join(outside, 'new'));
    expect(await files.realPath(join(folder, 'second'))).toBe(join(outside, 'new'));
    expect(await files.realPath(join(folder, 'loop'))).toBe(join(folder, 'loop'));
  });
});
