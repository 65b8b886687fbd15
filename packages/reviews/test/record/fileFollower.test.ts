import { DocumentError, silentLogger, toDisposable } from '@tandem/core';
import { FileConflictError, type FileContent, FileFollower, HunkConflictError } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { describe, expect, it } from 'vitest';
import { settle } from '../../../../test/settle.js';
import { makeReview } from '../support/makeReview.js';

const original = 'one\ntwo\nthree\nfour\nfive\n';
const proposed = 'ONE\ntwo\nthree\nfour\nfive\n';
const theirs = 'one\ntwo\nthree\nfour\n5\n';
const merged = 'ONE\ntwo\nthree\nfour\n5\n';
const conflicting = '1\ntwo\nthree\nfour\nfive\n';
const missing: FileContent = { kind: 'missing' };
const binary: FileContent = { kind: 'binary', size: 2 };

interface Disk {
  file: FileContent | undefined;
  reads: number;
  isWatched: boolean;
  /** Reads end when it resolves. */
  busy?: Promise<void> | undefined;
  /** What the user has not finished typing. */
  typed?: string;
}

/** A follower of a file on a disk in memory. */
function follow() {
  const clock = new FakeClock();
  const review = makeReview(original, proposed, { clock });
  const disk: Disk = { file: { kind: 'text', text: original }, reads: 0, isWatched: true };
  let touch = (): void => {};
  const follower = new FileFollower(review, {
    read: async () => {
      disk.reads += 1;
      const { file, busy } = disk;
      await busy;
      return file;
    },
    watch(onTouched) {
      touch = onTouched;
      return toDisposable(() => {
        disk.isWatched = false;
      });
    },
    flush() {
      if (disk.typed !== undefined) review.edit(disk.typed);
      delete disk.typed;
    },
    clock,
    logger: silentLogger,
  });
  const relations: string[] = [];
  follower.onDidChange(() => relations.push(follower.relation));
  const pause = async (): Promise<void> => {
    clock.advance(500);
    await settle();
  };
  const write = async (file: string | FileContent | undefined): Promise<void> => {
    disk.file = typeof file === 'string' ? { kind: 'text', text: file } : file;
    touch();
    await pause();
  };
  return { clock, review, disk, follower, relations, touch: () => touch(), pause, write };
}

describe('the file of a pending review', () => {
  it('is merged once it is written, and stays merged', async () => {
    const { review, disk, follower, relations, touch, write } = follow();
    touch();
    touch();
    await write(theirs);
    expect([review.content, disk.reads]).toEqual([merged, 1]);
    expect([relations, follower.relation, follower.isInConflict]).toEqual([['merged'], 'merged', false]);
    await write(theirs);
    expect([relations, await follower.check()]).toEqual([['merged'], undefined]);
  });

  it('is in conflict until its change is undone', async () => {
    const { review, follower, relations, write } = follow();
    await write(conflicting);
    expect([follower.relation, follower.canMarkConflicts]).toEqual(['conflict', true]);
    await write(binary);
    expect([follower.relation, follower.canMarkConflicts]).toEqual(['conflict', false]);
    await write(missing);
    expect([follower.isInConflict, follower.canMarkConflicts]).toEqual([true, false]);
    await write(original);
    expect(relations).toEqual(['conflict', 'deleted', 'unchanged']);
    expect([review.content, review.basis, follower.canUndoMerge]).toEqual([proposed, 0, false]);
  });

  it('is checked again when the review changes during a conflict', async () => {
    const { review, disk, follower, pause, write } = follow();
    review.edit(`${proposed}six\n`);
    await pause();
    expect(disk.reads).toBe(0);
    for (const file of [{ kind: 'text', text: conflicting }, missing] as const) {
      await write(file);
      const { reads } = disk;
      review.edit(`${proposed}${reads}\n`);
      await pause();
      expect([disk.reads, follower.isInConflict]).toEqual([reads + 1, true]);
    }
  });

  it('keeps its relation while it cannot be read', async () => {
    const { review, follower, write } = follow();
    await write(undefined);
    expect([follower.relation, await follower.check()]).toEqual(['unchanged', undefined]);
    review.edit('<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n');
    expect(await follower.check()).toBe('markers');
    await write(conflicting);
    await write(undefined);
    expect([follower.relation, await follower.check()]).toEqual(['conflict', 'conflict']);
  });

  it('is no longer read or watched once the review is decided', async () => {
    const { clock, review, disk, follower, touch, pause, write } = follow();
    await write(conflicting);
    touch();
    const checking = follower.check();
    review.accept();
    await pause();
    expect([await checking, await follower.check()]).toEqual([undefined, undefined]);
    const { reads } = disk;
    touch();
    await pause();
    expect([disk.isWatched, clock.pendingTimers, disk.reads]).toEqual([false, 0, reads]);
  });

  it('is merged into what the user is typing', async () => {
    const { review, disk, follower, write } = follow();
    disk.typed = `zero\n${proposed}`;
    await write(theirs);
    expect(review.content).toBe(`zero\n${merged}`);
    disk.typed = `0\n${merged}`;
    await follower.undoMerge();
    expect(review.content).toBe(`0\n${proposed}`);
  });
});

describe('a check before an acceptance', () => {
  it('reports a merge that the user has not seen, also if another check made it', async () => {
    const { disk, follower, touch, clock } = follow();
    disk.file = { kind: 'text', text: theirs };
    touch();
    clock.advance(100);
    expect(await follower.check()).toBe('merged');
    expect(await follower.check()).toBeUndefined();
  });

  it('does not apply an earlier content of the file after a later one', async () => {
    const { review, disk, follower } = follow();
    let finish = (): void => {};
    disk.busy = new Promise((resolve) => {
      finish = resolve;
    });
    const earlier = follower.check();
    await settle();
    disk.busy = undefined;
    disk.file = { kind: 'text', text: theirs };
    const later = follower.check();
    await settle();
    finish();
    expect([await earlier, await later, review.content]).toEqual([undefined, 'merged', merged]);
  });
});

describe('a conflict', () => {
  it('is marked in the text, and is then no conflict', async () => {
    const { review, follower, relations, pause, write } = follow();
    await write(conflicting);
    await follower.markConflicts();
    expect(review.content).toContain('ONE\n=======\n1\n>>>>>>> the file\n');
    expect([follower.relation, relations]).toEqual(['merged', ['conflict', 'merged']]);
    await pause();
    expect([follower.relation, await follower.check()]).toEqual(['merged', 'markers']);
  });

  it.each([
    ['was deleted', missing, FileConflictError],
    ['is no longer text', binary, FileConflictError],
    ['cannot be read', undefined, DocumentError],
  ])('is not marked if the file %s', async (_what, file, error) => {
    const { review, follower, write } = follow();
    await write(conflicting);
    await write(file);
    await expect(follower.markConflicts()).rejects.toThrow(error);
    expect([review.content, follower.relation]).toEqual([
      proposed,
      file === missing ? 'deleted' : 'conflict',
    ]);
  });
});

describe('a merge', () => {
  it('is undone without what was typed since', async () => {
    const { review, follower, relations, write } = follow();
    await write(theirs);
    review.edit(merged.replace('two', 'typed'));
    await follower.check();
    expect(follower.canUndoMerge).toBe(true);
    await follower.undoMerge();
    expect([review.content, follower.canUndoMerge]).toEqual([proposed.replace('two', 'typed'), false]);
    expect([relations, await follower.check()]).toEqual([['merged', 'merged'], undefined]);
  });

  it('is not undone if its lines were edited since', async () => {
    const { review, follower, write } = follow();
    await write(theirs);
    review.edit(merged.replace('5', 'mine'));
    await expect(follower.undoMerge()).rejects.toThrow(HunkConflictError);
    expect([review.content, follower.canUndoMerge]).toEqual([merged.replace('5', 'mine'), true]);
  });
});
