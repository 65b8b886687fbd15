import { type FileContent, findOverwritten, findStop, followFile, hasConflictMarkers } from '@tandem/reviews';
import { describe, expect, it, test } from 'vitest';
import { makeReview } from '../support/makeReview.js';

const original = 'one\ntwo\nthree\nfour\nfive\n';
const proposed = 'ONE\ntwo\nthree\nfour\nFIVE\n';
const text = (content: string): FileContent => ({ kind: 'text', text: content });

describe('a file that changes on disk while it is under review', () => {
  it('is merged at once if its changes merge cleanly', () => {
    const review = makeReview(original, proposed);
    expect(followFile(review, text('one\ntwo\n3\nfour\nfive\n'))).toBe('merged');
    expect(review.content).toBe('ONE\ntwo\n3\nfour\nFIVE\n');
    expect(followFile(review, text('one\ntwo\n3\nfour\nfive\n'))).toBe('unchanged');
  });

  test.each<[string, FileContent, string]>([
    ['the same lines changed', text('1\ntwo\nthree\nfour\nfive\n'), 'conflict'],
    ['it is no longer text', { kind: 'binary', size: 2 }, 'conflict'],
    ['it was deleted', { kind: 'missing' }, 'deleted'],
    ['it has other line endings', text(original.replaceAll('\n', '\r\n')), 'unchanged'],
    ['it already contains the proposal', text(proposed), 'unchanged'],
  ])('leaves the review alone if %s', (_what, file, relation) => {
    const review = makeReview(original, proposed);
    expect(followFile(review, file)).toBe(relation);
    expect([review.content, review.basis]).toEqual([proposed, 0]);
  });

  it('leaves an edited review alone if the agent has written its own proposal', () => {
    const review = makeReview(original, proposed);
    review.dropHunk(1);
    expect(followFile(review, text(proposed))).toBe('unchanged');
    expect(review.content).toBe('ONE\ntwo\nthree\nfour\nfive\n');
  });

  it('is not undone by a text that contains its changes', () => {
    const file = text('one\ntwo\n3\nfour\nfive\n');
    const review = makeReview(original, proposed);
    expect(findOverwritten(review, proposed, file)).toBe('changed');
    expect(findOverwritten(review, 'one\ntwo\n3\nfour\nFIVE\n', file)).toBeUndefined();
  });

  it('is not followed by a review of a file that was never text', () => {
    const review = makeReview({ kind: 'binary', size: 2 }, proposed);
    expect(followFile(review, text('other\n'))).toBe('unchanged');
  });
});

describe('an acceptance', () => {
  const markers = '<<<<<<< a\nONE\n=======\n1\n>>>>>>> b\ntwo\nthree\nfour\nFIVE\n';
  const elsewhere = text('one\ntwo\n3\nfour\nfive\n');

  it.each<[string, FileContent | undefined, string | undefined]>([
    ['the file is unchanged', text(original), undefined],
    ['the file cannot be read', undefined, undefined],
    ['the file was merged just now', elsewhere, 'merged'],
    ['the same lines of the file changed', text('1\ntwo\nthree\nfour\nfive\n'), 'conflict'],
    ['the file was deleted', { kind: 'missing' }, 'deleted'],
  ])('if %s, and if the text also contains conflict markers', (_what, file, stop) => {
    expect(findStop(makeReview(original, proposed), file)).toBe(stop);
    const review = makeReview(original, proposed);
    review.edit(markers);
    expect(findStop(review, file)).toBe(stop ?? 'markers');
    review.reject();
    expect(findStop(review, file)).toBeUndefined();
  });

  it('is not stopped by what was merged before', () => {
    const review = makeReview(original, proposed);
    expect([findStop(review, elsewhere), findStop(review, elsewhere)]).toEqual(['merged', undefined]);
  });
});

describe('conflict markers', () => {
  const marked = '<<<<<<< the proposal\nONE\n=======\n1\n>>>>>>> the file\n';

  it('are found where merging or the user put them', () => {
    const review = makeReview(original, proposed);
    expect(hasConflictMarkers(review)).toBe(false);
    review.mergeFile(text('1\ntwo\nthree\nfour\nfive\n'), { marksConflicts: true });
    expect(hasConflictMarkers(review)).toBe(true);
    review.edit(proposed);
    expect(hasConflictMarkers(review)).toBe(false);
  });

  it.each([
    ['in the file', marked, `${marked}more\n`],
    ['in the proposal', original, marked],
    ['incomplete', original, marked.replace('=======', 'none')],
  ])('are ignored if they are %s', (_where, before, content) => {
    const review = makeReview(before, proposed);
    const withMarks = makeReview(before, content);
    expect(hasConflictMarkers(withMarks)).toBe(false);
    expect(hasConflictMarkers(review)).toBe(false);
  });
});
