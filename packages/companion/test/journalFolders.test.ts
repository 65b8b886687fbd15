import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { newReviewKey, type SavedReview } from '@tandem/reviews';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal } from '../src/index.js';
import { deadPid } from './support/crashedJournal.js';
import { age, minute, review, saved, writeAll } from './support/journalSamples.js';

describe('the journal of a workspace whose folders change', () => {
  let root: string;
  const opened: Journal[] = [];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'journals-'));
  });
  afterEach(() => {
    for (const memory of opened.splice(0)) memory.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** `folders` may change later; the name of the folder is that of the first ones. */
  function openFor(folders: readonly string[], window: string, pid?: number): Journal {
    const folder = join(root, folders.join('+').replaceAll('/', ''));
    const memory = Journal.open({
      folder,
      window,
      logger: silentLogger,
      folders: () => folders,
      ...(pid && { pid }),
    });
    opened.push(memory);
    return memory;
  }

  /** Passes on the paths of the reviews. */
  async function takeMore(memory: Journal, isKept = true): Promise<string[]> {
    const paths: string[] = [];
    await memory.takeMore(async (reviews) => {
      paths.push(...reviews.map(({ path }) => path));
      return isKept;
    });
    return paths;
  }

  const inB = { ...review, key: newReviewKey(), path: '/b/1.txt' };

  it('is taken over by a companion that serves one of the folders', async () => {
    const folders = ['/a'];
    const memory = openFor(folders, 'one', deadPid);
    await writeAll(memory, saved(1000));
    folders.push('/b');
    await writeAll(memory, saved(1000, { reviews: [inB] }));
    expect(await openFor(['/c'], 'two').take()).toBeUndefined();
    const taken = await openFor(['/b', '/c'], 'two').take();
    expect(taken?.port).toBe(1000);
    expect(taken?.reviews).toMatchObject([{ path: '/b/1.txt' }]);
    expect(await openFor(['/a'], 'three').take()).toBeUndefined();
  });

  it('names a folder as long as there is a review in it, also over a takeover', async () => {
    const folders = ['/a', '/b'];
    await writeAll(openFor(folders, 'one', deadPid), saved(1000, { interrupted: [inB] }));
    const second = openFor(['/a'], 'two', deadPid);
    await second.take();
    expect((await openFor(['/b'], 'three').take())?.interrupted).toMatchObject([{ path: '/b/1.txt' }]);
    await writeAll(openFor(folders, 'one', deadPid), saved(2000, { interrupted: [inB] }));
    const third = openFor(['/a'], 'two', deadPid);
    await third.take();
    await writeAll(third, saved(2000));
    expect(await openFor(['/b'], 'three').take()).toBeUndefined();
  });

  it('is taken over by its own window with any folders after a kill, before those of these folders', async () => {
    await writeAll(openFor(['/a'], 'one', deadPid), saved(1000));
    await writeAll(openFor(['/b'], 'two', deadPid), saved(2000));
    expect((await openFor(['/b'], 'one').take())?.port).toBe(1000);
    // A process that has the same pid later is another window.
    await writeAll(openFor(['/a'], 'one', deadPid), saved(3000));
    age(root, 2 * minute);
    expect((await openFor(['/c'], 'one').take())?.port).toBeUndefined();
    await writeAll(openFor(['/d'], 'one'), saved(4000), { hasEnded: true });
    expect(await openFor(['/c'], 'one').take()).toBeUndefined();
  });

  it('passes on what companions of added folders left, and keeps their history for the next one', async () => {
    const decided = { id: '1', at: Date.now(), how: 'accepted' as const };
    const history = [{ ...inB, key: newReviewKey(), decided }];
    await writeAll(openFor(['/b'], 'one', deadPid), saved(1000, { reviews: [inB], history }));
    const folders = ['/a'];
    const memory = openFor(folders, 'two');
    await memory.take();
    expect(await takeMore(memory)).toEqual([]);
    folders.push('/b');
    expect(await takeMore(memory)).toEqual(['/b/1.txt']);
    folders.push('/c');
    expect(await takeMore(memory)).toEqual([]);
    memory.close();
    for (const name of readdirSync(join(root, 'a'))) {
      renameSync(join(root, 'a', name), join(root, 'a', name.replace(/^\d+/, String(deadPid))));
    }
    const next = await openFor(['/b'], 'three').take();
    expect(next).toMatchObject({ reviews: [], interrupted: [], sessions: [] });
    expect(next?.history).toEqual(history);
  });

  it('loses nothing that another companion could not keep', async () => {
    await writeAll(openFor(['/b'], 'one', deadPid), saved(1000, { reviews: [inB] }));
    const folders = ['/a'];
    const memory = openFor(folders, 'two', deadPid);
    await memory.take();
    folders.push('/b');
    expect(await takeMore(memory, false)).toEqual(['/b/1.txt']);
    expect((await openFor(['/b'], 'three').take())?.reviews).toMatchObject([{ path: '/b/1.txt' }]);
  });

  it('gives the reviews of several companions different numbers', async () => {
    const decided = (path: string, id: string, how: 'accepted' | 'restored' = 'accepted'): SavedReview => ({
      ...review,
      key: newReviewKey(),
      path,
      decided: { id, at: 1, how },
    });
    const pending = { ...review, number: '3' };
    await writeAll(
      openFor(['/a'], 'one', deadPid),
      saved(1000, {
        interrupted: [{ ...pending, key: newReviewKey(), path: '/a/open' }],
        history: [decided('/a/1', '1'), decided('/a/3', '3'), decided('/a/r1', 'r1', 'restored')],
      }),
    );
    age(root, 2 * minute);
    await writeAll(
      openFor(['/b'], 'two', deadPid),
      saved(2000, {
        reviews: [pending],
        history: [decided('/b/1', '1'), decided('/b/r1', 'r1', 'restored')],
      }),
    );
    const taken = await openFor(['/a', '/b'], 'two').take();
    const ids = Object.fromEntries((taken?.history ?? []).map(({ path, decided }) => [path, decided?.id]));
    expect(ids).toEqual({ '/a/1': '4', '/a/3': '5', '/a/r1': 'r2', '/b/1': '1', '/b/r1': 'r1' });
    expect(taken?.reviews.map(({ number }) => number)).toEqual(['3']);
    expect(taken?.interrupted.map(({ number }) => number)).toEqual(['6']);
  });
});
