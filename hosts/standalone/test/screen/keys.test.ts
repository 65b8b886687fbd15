import { expect, it } from 'vitest';
import { afterInput, footerItems } from '../../src/screen/keys.js';
import { diffRows, type State } from '../../src/screen/state.js';
import { after, press, proposed, review, screenOf } from './sample.js';

const reviews = [review('1'), review('2'), review('3')];
const rowAt = (state: State) => diffRows(state)[state.cursor];

it('starts at the first change, and goes to the next and the previous one', () => {
  const state = screenOf(reviews);
  expect(rowAt(state)).toMatchObject({ kind: 'change', old: 2 });
  const next = press(state, 'n').state;
  expect(rowAt(next)).toMatchObject({ kind: 'change', new: 12 });
  expect(rowAt(press(next, 'p').state)).toEqual(rowAt(state));
  expect(press(next, 'n', 'n').state.notice?.text).toBe('There is no change after this line.');
});

it('moves by lines and to both ends', () => {
  const state = screenOf(reviews);
  expect(press(state, 'j').state.cursor).toBe(state.cursor + 1);
  expect(press(state, 'up').state.cursor).toBe(state.cursor - 1);
  expect(press(state, 'G').state.cursor).toBe(diffRows(state).length - 1);
  expect(press(state, 'G', 'j', 'g').state.cursor).toBe(0);
});

it('keeps the cursor on the screen', () => {
  const long = Array.from({ length: 500 }, (_, at) => `${at}`).join('\n');
  let state = screenOf([review('1', { before: '', after: long, isNewFile: true })]);
  for (const key of ['pagedown', 'j', 'G', 'k', 'pageup', 'g']) {
    state = press(state, key).state;
    const { cursor, top, rows } = state;
    expect([key, cursor >= top, cursor < top + rows - 4]).toEqual([key, true, true]);
  }
});

it('goes to the next review, and asks for its texts', () => {
  const { state, effects } = press(screenOf(reviews), ']');
  expect([state.selected, state.shown, effects]).toEqual(['2', undefined, [{ kind: 'load', id: '2' }]]);
  expect(press(state, '[').state.selected).toBe('1');
  expect(press(state, ']', ']', ']').state.selected).toBe('3');
});

it('moves through the list after Tab', () => {
  const { state } = press(screenOf(reviews), 'tab', 'j');
  expect([state.focus, state.selected]).toEqual(['list', '2']);
  expect(press(state, 'enter').state.focus).toBe('diff');
});

it('accepts and rejects by the actions of the desk, and only the text that is shown', () => {
  expect(press(screenOf(reviews), 'a').effects).toEqual([
    { kind: 'act', id: '1', action: 'accept', version: 1 },
  ]);
  expect(press(screenOf(reviews), 'r').effects).toEqual([
    { kind: 'act', id: '1', action: 'reject', version: 1 },
  ]);
  const interrupted = review('4', {
    state: 'interrupted',
    actions: [
      { id: 'apply', label: 'Apply', isPrimary: true },
      { id: 'discard', label: 'Discard', isDangerous: true },
    ],
  });
  expect(press(screenOf([interrupted]), 'a').effects).toMatchObject([{ action: 'apply' }]);
  expect(press(screenOf([interrupted]), 'r').effects).toMatchObject([{ action: 'discard' }]);
  expect(footerItems(screenOf([interrupted])).map(({ label }) => label)).toEqual(
    expect.arrayContaining(['Apply', 'Discard']),
  );
});

it('decides nothing where the desk offers nothing', () => {
  const ended = screenOf([review('1', { actions: [], state: 'accepted' })]);
  for (const key of ['a', 'r', 'x', ' ', 'c']) expect(press(ended, key).effects).toEqual([]);
  for (const key of ['a', 'r', 'A', 'R', ' ', 'e', 'd', 'c', 'n', ']', 'u', 'x'])
    expect(press(screenOf([]), key).effects).toEqual([]);
});

it('offers every action of the desk, also those without a key', () => {
  const actions = [
    { id: 'accept', label: 'Accept', isPrimary: true },
    { id: 'reject', label: 'Reject' },
    { id: 'letGo', label: 'Let Claude Code go on' },
  ];
  const { state } = press(screenOf([review('1', { actions })]), 'x');
  expect(state.overlay).toMatchObject({ options: actions.map(({ label }) => ({ label })) });
  expect(press(state, '3').effects).toMatchObject([{ kind: 'act', action: 'letGo' }]);
  expect(press(state, 'j', 'j', 'enter').effects).toMatchObject([{ action: 'letGo' }]);
});

it('drops the hunk at the cursor, and keeps a dropped one', () => {
  expect(press(screenOf(reviews), 'n', ' ').effects).toEqual([
    { kind: 'hunk', id: '1', hunk: 1, isKept: false },
  ]);
  const content = proposed.replace('line three', 'line 3');
  const dropped = screenOf([review('1', { dropped: [0], content })]);
  expect(press(dropped, ' ').effects).toEqual([{ kind: 'hunk', id: '1', hunk: 0, isKept: true }]);
  expect(press(dropped, 'g', ' ').state.notice?.text).toContain('no change on this line');
});

it('asks for a whole session', () => {
  expect(press(screenOf(reviews), 'A').effects).toEqual([
    { kind: 'decide', session: 'session-1', decision: 'accept' },
  ]);
  expect(press(screenOf(reviews), 'R').effects).toMatchObject([{ decision: 'reject' }]);
});

it('sends the answer that the user chose with the same call', () => {
  const effect = press(screenOf(reviews), 'a').effects[0];
  if (effect === undefined) throw new Error('a does nothing');
  const question = {
    message: 'Accept?',
    detail: 'It runs.',
    concerns: [],
    choices: [
      { kind: 'save', label: 'Save first', answer: { saves: true } },
      { kind: 'confirm', label: 'Accept anyway', isDangerous: true, answer: { confirmed: ['runs'] } },
    ],
  };
  const asked = after(screenOf(reviews), { kind: 'asked', effect, question });
  expect(press(asked, 'j', 'enter').effects).toEqual([{ ...effect, answer: { confirmed: ['runs'] } }]);
  expect(press(asked, '1').effects).toEqual([{ ...effect, answer: { saves: true } }]);
  expect(press(asked, 'escape')).toMatchObject({ effects: [], state: { overlay: undefined } });
  // No other key decides meanwhile.
  expect(press(asked, 'a').effects).toEqual([]);
  const danger = { ...question, choices: question.choices.slice(1) };
  const onlyDanger = after(screenOf(reviews), { kind: 'asked', effect, question: danger });
  expect(press(onlyDanger, 'enter').effects).toEqual([]);
  expect(press(onlyDanger, '1').effects).toHaveLength(1);
});

it('comments on the line at the cursor, and keeps what was typed until it is saved', () => {
  const typed = press(screenOf(reviews), 'j', 'c', 'W', 'h', 'y', 'x', 'backspace', '?').state;
  const { state, effects } = press(typed, 'enter');
  expect(effects).toEqual([
    { kind: 'comment', id: '1', text: 'Why?', side: 'proposal', lines: { first: 2, last: 2 } },
  ]);
  expect(state.overlay).toMatchObject({ text: 'Why?' });
  const [effect] = effects;
  if (effect === undefined) throw new Error('nothing was sent');
  expect(after(state, { kind: 'done', effect }).overlay).toBeUndefined();
  // The review ends meanwhile.
  const without = after(typed, { kind: 'lists', reviews: reviews.slice(1), sessions: [] });
  expect(without.overlay).toMatchObject({ text: 'Why?' });
  expect(after(without, { kind: 'failed', message: 'Ended' }).overlay).toMatchObject({ text: 'Why?' });
});

it('comments on a removed line of the file', () => {
  expect(press(screenOf(reviews), 'c', 'a', 'enter').effects).toMatchObject([
    { side: 'file', lines: { first: 2 } },
  ]);
});

it('takes pasted text as text, also with line ends', () => {
  const typing = press(screenOf(reviews), 'c').state;
  const { state } = afterInput(typing, { kind: 'paste', text: 'a\r\nq' });
  expect(state.overlay).toMatchObject({ text: 'a\nq' });
  expect(afterInput(screenOf(reviews), { kind: 'paste', text: 'aAq' }).effects).toEqual([]);
});

it('searches, and goes through the matches until Esc', () => {
  const found = press(screenOf(reviews), '/', ...'line 12', 'enter').state;
  expect(rowAt(found)).toMatchObject({ kind: 'same', old: 11 });
  const next = press(found, 'n').state;
  expect(rowAt(next)).toMatchObject({ kind: 'change', new: 12 });
  expect(press(next, 'p').state.cursor).toBe(found.cursor);
  expect(press(next, 'escape').state.search).toBe('');
  expect(press(screenOf(reviews), '/', 'z', 'z', 'enter').state.notice?.text).toBe('Not found: zz');
});

it('opens the text at the line of the cursor', () => {
  expect(press(screenOf(reviews), 'n', 'e').effects).toEqual([
    { kind: 'edit', id: '1', line: 12, isDiff: false },
  ]);
  expect(press(screenOf(reviews), 'd').effects).toMatchObject([{ isDiff: true }]);
});

it('undoes the last step, once', () => {
  const undo = { kind: 'hunk', id: '1', hunk: 0, isKept: true } as const;
  const done = after(screenOf(reviews), { kind: 'done', effect: { ...undo, isKept: false }, undo });
  const { state, effects } = press(done, 'u');
  expect(effects).toEqual([{ ...undo, isUndo: true }]);
  const [effect] = effects;
  if (effect === undefined) throw new Error('nothing is undone');
  const undone = after(state, { kind: 'done', effect, undo: { ...undo, isKept: false } });
  expect(press(undone, 'u').state.notice?.text).toBe('There is nothing to undo.');
});

it('shows folded lines', () => {
  const state = screenOf(reviews);
  const fold = diffRows(state).findIndex(({ kind }) => kind === 'fold');
  const opened = press({ ...state, cursor: fold }, 'enter').state;
  expect(diffRows(opened).length).toBeGreaterThan(diffRows(state).length);
});

it('leaves without deciding, and goes back to the shell', () => {
  for (const key of ['q', 'ctrl+c'])
    expect(press(screenOf(reviews), key).effects).toEqual([{ kind: 'quit' }]);
  expect(press(screenOf(reviews), 'ctrl+z').effects).toEqual([{ kind: 'suspend' }]);
  expect(press(screenOf(reviews), '?', 'q')).toMatchObject({ effects: [], state: { overlay: undefined } });
});

it('works with the mouse', () => {
  const state = screenOf(reviews);
  const at = (column: number, row: number, what: 'press' | 'up' | 'down' = 'press') =>
    afterInput(state, { kind: 'mouse', what, column, row });
  expect(at(5, 3)).toMatchObject({ state: { selected: '2' }, effects: [{ kind: 'load', id: '2' }] });
  expect(at(40, 4).state.cursor).toBe(state.top + 2);
  expect(at(40, 10, 'down').state.cursor).toBe(state.cursor + 3);
  expect(at(5, 10, 'down').state.selected).toBe('2');
  expect(at(2, 23).effects).toMatchObject([{ kind: 'act', action: 'accept' }]);
  expect(at(40, 0).effects).toEqual([]);
});
