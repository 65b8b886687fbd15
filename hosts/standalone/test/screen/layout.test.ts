import { expect, it } from 'vitest';
import { widthOfLine } from '../../src/screen/cells.js';
import { layout } from '../../src/screen/layout.js';
import type { State } from '../../src/screen/state.js';
import { after, press, proposed, review, screenOf, textOf } from './sample.js';

const warned = review('2', {
  notes: [
    { kind: 'git', isWarning: true, title: 'Git runs it', text: 'Git runs this file by itself.' },
    { kind: 'unseen', isWarning: false, title: 'x', text: 'Line endings change from LF to CRLF.' },
  ],
});
const reviews = [review('1'), warned, review('3', { isEdited: true, comments: 2 })];

it('shows reviews, and one below the other the lines that differ', () => {
  expect(textOf(screenOf(reviews))).toMatchSnapshot();
});

it('shows both texts side by side from 120 columns, unless the user chose', () => {
  const wide = screenOf(reviews, 120, 20);
  expect(textOf(wide)).toMatchSnapshot();
  expect(textOf(press(wide, 'v').state)).not.toBe(textOf(wide));
});

it('says what the desk says of a review, the warnings first', () => {
  const state = after(press(screenOf(reviews), ']').state, { kind: 'shown', details: warned });
  expect(textOf(state)).toMatch(/! Git runs this file by itself\.[\s\S]*Line endings change/);
});

it('shows the keys, and a question with its choices', () => {
  expect(textOf(press(screenOf(reviews), '?').state)).toMatchSnapshot();
  const [effect] = press(screenOf(reviews), 'a').effects;
  if (effect === undefined) throw new Error('a does nothing');
  const question = {
    message: 'Accept src/file1.ts?',
    detail: 'Git runs this file by itself.\nIt is hidden from agents.',
    concerns: [],
    choices: [{ kind: 'confirm', label: 'Accept anyway', isDangerous: true, answer: {} }],
  };
  expect(textOf(after(screenOf(reviews), { kind: 'asked', effect, question }))).toMatchSnapshot();
});

it('says when the companion has ended, and that nothing is pending', () => {
  const lost = after(screenOf(reviews), { kind: 'connection', connection: 'lost' });
  expect(textOf(lost)).toContain('the companion has ended; waiting for the next one');
  expect(textOf(screenOf([]))).toContain('Nothing is pending.');
});

it('shows dropped hunks, long lines from any column, tabs and wide characters', () => {
  const long = `${'x'.repeat(300)}end`;
  const after = proposed.replace('line three', `\ttab 日本語 ${long}`);
  const state = screenOf([review('1', { after })]);
  expect(textOf(state)).toContain('+    tab 日本語 xxx');
  const moved = Array.from({ length: 40 }, () => 'l');
  expect(textOf(press(state, ...moved).state)).toMatch(/xxend$/m);
  const content = proposed.replace('line three', 'line 3');
  expect(textOf(screenOf([review('1', { dropped: [0], content })]))).toContain('#line three');
});

const sizes = [
  [80, 24],
  [200, 50],
  [300, 100],
  [40, 10],
  [20, 5],
  [1, 1],
] as const;

it.each(sizes)('fills exactly %i columns and %i rows, whatever is shown', (columns, rows) => {
  const base = screenOf(reviews, columns, rows);
  const all: State[] = [
    base,
    screenOf([], columns, rows),
    press(base, '?').state,
    press(base, 'c', 'x').state,
    press(base, 'x').state,
    press(base, 'G', 'l').state,
    press(base, '/', 'l', 'enter').state,
  ];
  for (const state of all) {
    const lines = layout(state);
    expect(lines).toHaveLength(rows);
    expect([...new Set(lines.map(widthOfLine))]).toEqual([columns]);
  }
});

it('lets no control character of a file, an agent or a comment onto the screen', () => {
  const bad = '\u001b[31m\u0007\u009b0m\r\u202e';
  const hostile = review('1', {
    label: `src/${bad}.ts`,
    title: bad,
    agentName: bad,
    before: `${bad}\n`,
    after: `${bad} more\n`,
    notes: [{ kind: 'git', isWarning: true, title: bad, text: bad }],
    actions: [{ id: 'accept', label: bad, isPrimary: true }],
    commentList: [{ id: '1', side: 'proposal', lines: { first: 0, last: 0 }, quote: bad, text: bad }],
  });
  const base = screenOf([hostile]);
  const typed = { ...press(base, 'c').state.overlay, text: bad } as State['overlay'];
  const all = [base, press(base, 'x').state, { ...base, overlay: typed }, { ...base, search: bad }];
  for (const state of [...all, after(base, { kind: 'failed', message: bad })])
    for (const line of layout(state))
      for (const { text } of line) expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
});

it('draws 20,000 lines in less time than a frame of the screen', () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `const value${at} = ${at};`);
  const changed = lines.map((line, at) => (at % 7 === 0 ? line.replace('const', 'let') : line));
  const state = screenOf([review('1', { before: lines.join('\n'), after: changed.join('\n') })], 200, 50);
  layout(press(state, 'n').state);
  const startedAt = performance.now();
  let moving = state;
  for (const key of ['j', 'n', 'pagedown', 'G', 'k', 'p', 'g', 'n', 'j', 'v']) {
    moving = press(moving, key).state;
    layout(moving);
  }
  expect((performance.now() - startedAt) / 10).toBeLessThan(30);
});
