import type { ReviewSummary } from '@tandem/rpc';
import { expect, test } from 'vitest';
import { plainReviewLine } from '../src/reviewText.js';

const review: ReviewSummary = {
  id: '3',
  agent: 'gemini',
  session: 's',
  path: '/w/.git/config',
  state: 'pending',
  openedAt: 0,
  isNewFile: false,
  isOutsideWorkspace: false,
  isBinary: false,
  isEdited: false,
  hunks: 1,
  added: 1,
  removed: 0,
};

test('a line of the list shows the marks of the file', () => {
  expect(plainReviewLine(review, '/w')).toBe('  3  gemini  .git/config  +1 -0');
  const marks = { heldBack: 'a reason', isInGitFolder: true, isOutsideWorkspace: true };
  expect(plainReviewLine({ ...review, ...marks }, '/w')).toBe(
    '  3  gemini  .git/config  +1 -0  held back from the agent, in a .git folder, outside the workspace',
  );
});
