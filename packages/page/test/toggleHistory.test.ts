import { expect, it } from 'vitest';
import { ToggleHistory } from '../src/review/useDecision.js';

it('takes back a hunk only when it was the last thing done', () => {
  const history = new ToggleHistory();
  history.add(2, false, 1);
  expect(history.undo(2)).toBeUndefined();
  expect(history.undo(1)).toEqual({ hunk: 2, isKept: true });
  expect(history.undo(1)).toBeUndefined();
});

it('does again what was taken back, in its turn', () => {
  const history = new ToggleHistory();
  history.add(0, false, 1);
  history.undo(1);
  expect(history.redo(0)).toBeUndefined();
  expect(history.redo(1)).toEqual({ hunk: 0, isKept: false });
  expect(history.undo(1)).toEqual({ hunk: 0, isKept: true });
});

it('forgets what was taken back once something else is done', () => {
  const history = new ToggleHistory();
  history.add(0, false, 0);
  history.undo(0);
  history.forgetUndone();
  expect(history.redo(0)).toBeUndefined();
});
