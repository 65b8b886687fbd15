import { history, redo, undo } from '@codemirror/commands';
import { EditorState, type StateEffect } from '@codemirror/state';
import { expect, it } from 'vitest';
import { decided, decisionHistory } from '../src/review/reviewEditor.js';

it('undoes and redoes decisions on hunks in turn with edits', () => {
  let state = EditorState.create({ doc: 'text', extensions: [history(), decisionHistory] });
  let effects: readonly StateEffect<unknown>[] = [];
  const step = (command: typeof undo): unknown => {
    effects = [];
    command({
      state,
      dispatch: (transaction) => {
        ({ state } = transaction);
        ({ effects } = transaction);
      },
    });
    return [state.doc.toString(), ...effects.map((effect) => effect.is(decided) && effect.value)];
  };
  state = state.update({ changes: { from: 0, insert: 'a ' } }).state;
  state = state.update({ effects: decided.of({ hunk: 2, isKept: false }) }).state;
  state = state.update({ changes: { from: 0, insert: 'b ' } }).state;
  expect(step(undo)).toEqual(['a text']);
  expect(step(undo)).toEqual(['a text', { hunk: 2, isKept: true }]);
  expect(step(undo)).toEqual(['text']);
  expect(step(redo)).toEqual(['a text']);
  expect(step(redo)).toEqual(['a text', { hunk: 2, isKept: false }]);
  expect(step(redo)).toEqual(['b a text']);
});
