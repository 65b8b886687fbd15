import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readBoundedFile, readFileHead } from '../src/files/boundedFile.js';
import { isDiskFree, onDisk } from '../src/files/diskGate.js';
import { makeWorkspace } from './support/companionStage.js';

const kib = 1024;

describe('reading a file that others control', () => {
  test('returns all bytes and the metadata, and follows links', async () => {
    const folder = makeWorkspace({ empty: '' });
    const bytes = Buffer.from(Array.from({ length: 200 * kib }, (_, at) => at % 251));
    writeFileSync(join(folder, 'large'), bytes, { mode: 0o640 });
    symlinkSync('large', join(folder, 'link'));
    const found = await readBoundedFile(join(folder, 'link'), { maxBytes: bytes.length });
    expect(found.bytes.equals(bytes)).toBe(true);
    expect(found.stats.mode & 0o777).toBe(0o640);
    expect((await readBoundedFile(join(folder, 'empty'), { maxBytes: 1 })).bytes).toHaveLength(0);
    const head = await readFileHead(join(folder, 'large'), { maxBytes: 512 });
    expect(head.bytes.equals(bytes.subarray(0, 512))).toBe(true);
  });

  test('rejects with the error of the file system if the file is missing or its links form a cycle', async () => {
    const folder = makeWorkspace();
    symlinkSync('circle', join(folder, 'circle'));
    for (const [name, code] of [
      ['none', 'ENOENT'],
      ['circle', 'ELOOP'],
    ] as const) {
      await expect(readBoundedFile(join(folder, name), { maxBytes: 1 })).rejects.toMatchObject({ code });
    }
  });

  test('rejects a folder, a pipe, a device and a socket with the path and the reason', async () => {
    const folder = makeWorkspace();
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('/dev/zero', join(folder, 'device'));
    const server = createServer().listen(join(folder, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    for (const [name, reason, why] of [
      ['folder', 'folder', 'it is a folder'],
      ['pipe', 'special', 'it is a named pipe'],
      ['device', 'special', 'it is a device'],
      ['socket', 'special', 'it is a socket'],
    ] as const) {
      const path = join(folder, name);
      for (const read of [readBoundedFile, readFileHead]) {
        await expect(read(path, { maxBytes: 64 * kib })).rejects.toMatchObject({
          reason,
          message: `${path} is not read: ${why} and not a regular file.`,
        });
      }
    }
  });

  test('rejects a file above the limit before reading it, and reads one at the limit', async () => {
    const path = join(makeWorkspace({ file: 'x'.repeat(100) }), 'file');
    await expect(readBoundedFile(path, { maxBytes: 99 })).rejects.toMatchObject({
      reason: 'too-large',
      why: 'it has 100 bytes; the limit is 99',
    });
    expect((await readBoundedFile(path, { maxBytes: 100 })).bytes).toHaveLength(100);
    truncateSync(path, 2 ** 40);
    await expect(readBoundedFile(path, { maxBytes: 2 ** 30 })).rejects.toMatchObject({ reason: 'too-large' });
  });

  test('rejects a file that holds more than its size states', async () => {
    const before = process.memoryUsage().arrayBuffers;
    // The second would reveal our environment, including tokens.
    for (const name of ['pagemap', 'environ']) {
      const path = join(makeWorkspace(), 'link');
      symlinkSync(`/proc/self/${name}`, path);
      await expect(readBoundedFile(path, { maxBytes: 2 ** 30 })).rejects.toMatchObject({
        reason: 'endless',
        message: `${path} is not read: it contains more bytes than its reported size.`,
      });
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * kib);
  });

  test('reads a file whole while another process appends to it, and never beyond the limit', async () => {
    const path = join(makeWorkspace({ log: 'x'.repeat(10) }), 'log');
    let isOver = false;
    const append = (): void => {
      if (isOver) return;
      appendFileSync(path, 'x'.repeat(1000));
      setImmediate(append);
    };
    append();
    onTestFinished(() => {
      isOver = true;
    });
    for (let times = 0; times < 50; times++) {
      const read = readBoundedFile(path, { maxBytes: 20 * kib }).then(
        ({ bytes }) => bytes.length,
        (error) => error.reason,
      );
      const result = await read;
      if (result === 'too-large') return;
      expect(result).toBeLessThanOrEqual(20 * kib);
    }
    expect(readFileSync(path).length).toBeGreaterThan(20 * kib);
  });

  test('stops when the caller aborts', async () => {
    const path = join(makeWorkspace({ file: 'x' }), 'file');
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(readBoundedFile(path, { maxBytes: 1, signal: gone })).rejects.toThrow('gone');
    const leaving = new AbortController();
    const reading = readBoundedFile(path, { maxBytes: 1, signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(reading).rejects.toThrow('left');
    expect((await readBoundedFile(path, { maxBytes: 1 })).bytes.toString()).toBe('x');
  });
});

describe('a disk that does not answer', () => {
  test('is abandoned after the limit and holds at most half of the threads', async () => {
    const endings: (() => void)[] = [];
    const started: string[] = [];
    const hang = (path: string) =>
      onDisk(
        path,
        () => {
          started.push(path);
          return new Promise<void>((resolve) => endings.push(resolve));
        },
        { timeoutMs: 200 },
      );
    const asked = ['/hung/1', '/hung/2', '/hung/3', '/hung/4'];
    const answers = await Promise.allSettled(asked.map(hang));
    expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.message)).toEqual(
      asked.map((path) => `${path} is not read: its disk does not answer.`),
    );
    expect(started).toEqual(['/hung/1', '/hung/2']);
    expect(await isDiskFree(0)).toBe(false);
    await expect(hang('/hung/2')).rejects.toThrow('/hung/2 is not read: its disk does not answer.');

    // A request at this point fails at once: no thread is left for it.
    const path = join(makeWorkspace({ file: 'x' }), 'file');
    const refused = readBoundedFile(path, { maxBytes: 1, timeoutMs: 600_000 });
    await expect(refused).rejects.toThrow(
      `${path} is not read: the disk of /hung/1 does not answer, and no other file is read until it does.`,
    );
    for (const answer of endings) answer();
    expect(await isDiskFree(10_000)).toBe(true);
    expect((await readBoundedFile(path, { maxBytes: 1 })).bytes.toString()).toBe('x');
  });

  test('does not block other operations after it answers in the end', async () => {
    const order: number[] = [];
    const work = Array.from({ length: 20 }, (_, at) => onDisk('/any', async () => void order.push(at)));
    await Promise.all(work);
    expect(order).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });
});
