import { stripVTControlCharacters } from 'node:util';
import type { ReviewSummary } from '@tandem/rpc';
import { expect, test } from 'vitest';
import { plainReviewLine, reviewLines } from '../src/reviewText.js';

const review: ReviewSummary = {
  id: '3',
  agent: 'gemini',
  agentName: 'Gemini CLI',
  session: 's',
  path: '/w/.git/config',
  label: '.git/config',
  actions: [],
  state: 'pending',
  openedAt: 0,
  isNewFile: false,
  concerns: [],
  isBinary: false,
  isEdited: false,
  notes: [],
  hunks: 1,
  added: 1,
  removed: 0,
};

test('a line of the list shows the marks of the file', () => {
  expect(plainReviewLine(review, '/w')).toBe('  3  gemini  .git/config  +1 -0');
  const concerns = [
    { kind: 'git', text: 'Git may run it.' },
    { kind: 'outside', text: 'It is outside.' },
  ];
  expect(plainReviewLine({ ...review, concerns }, '/w')).toBe(
    '  3  gemini  .git/config  +1 -0  in a .git folder, outside the workspace',
  );
});

test('the list has a line for each warning, unless the review is decided', () => {
  const notes = [
    { kind: 'git', isWarning: true, title: 'In a .git folder', text: 'Git may run it.' },
    { kind: 'new-file', isWarning: false, title: 'New file', text: 'This is a new file.' },
  ];
  const lines = reviewLines({ ...review, notes }, '/w').map((line) => stripVTControlCharacters(line));
  expect(lines).toEqual(['  3  gemini  .git/config  +1 -0', '     Git may run it.']);
  expect(reviewLines({ ...review, notes, state: 'accepted' }, '/w')).toHaveLength(1);
});
