import { expect, test } from 'vitest';
import { acceptLabel, dangersOf } from '../src/review/reviewWords.js';
import { pageReview } from './support/pageReview.js';

const path = '/w/.git/hooks/pre-commit';
const review = pageReview({ path, label: '.git/hooks/pre-commit', isNewFile: true });

test('a change to what Git runs is confirmed once, and one to another file of the workspace is not', () => {
  expect(dangersOf(review, false)).toEqual([]);
  expect(dangersOf({ ...review, isInGitFolder: true }, false)).toEqual([
    'The file is in a .git folder. Git may run commands that it contains.',
  ]);
});

test('each danger is named: a held-back file, one outside the workspace, a binary one, and one that changed', () => {
  const dangerous = { ...review, heldBack: 'the deny list', isOutsideWorkspace: true, isBinary: true };
  expect(dangersOf(dangerous, true).map((sentence) => sentence.split('.')[0])).toEqual([
    'The file is not text',
    'The file is held back from the agent: the deny list',
    'The file is outside the workspace: /w/',
    'The file changed on disk, on lines that this proposal also changes',
  ]);
});

test('a deleted file is created again', () => {
  const deleted = { ...review, isFileChanged: true, isFileDeleted: true };
  expect(dangersOf(deleted, true)).toEqual(['The file was deleted. Accepting creates it again.']);
  expect(acceptLabel(deleted, true)).toBe('Accept and create');
});

test('conflict markers are accepted only on a button that names them', () => {
  const marked = { ...review, hasConflictMarkers: true };
  expect(dangersOf(marked, false)).toEqual(['The text contains conflict markers.']);
  expect([acceptLabel(review, false), acceptLabel(marked, false), acceptLabel(marked, true)]).toEqual([
    'Accept',
    'Accept with conflict markers',
    'Accept and overwrite',
  ]);
});
