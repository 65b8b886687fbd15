import { silentLogger } from '@tandem/core';
import {
  type FileContent,
  HunkConflictError,
  type Proposal,
  Review,
  ReviewDecidedError,
  UnanswerableError,
} from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { FakeClock } from '@tandem/testing';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../../../test/machineTime.js';
import { FileWatches } from '../../src/editor/fileWatches.js';
import { ShownReview } from '../../src/editor/shownReview.js';
import { pushInto, until } from './support/documentFolder.js';

function show(
  original: string | FileContent,
  content: string,
  proposal: Partial<Proposal> = {},
): ShownReview {
  const review = new Review(
    {
      id: '7',
      proposal: { path: '/ws/a.txt', content, agent: 'qwen', session: 's1', ...proposal },
      original: typeof original === 'string' ? { kind: 'text', text: original } : original,
      isOutsideWorkspace: false,
    },
    { clock: new FakeClock(1000), logger: silentLogger },
  );
  return new ShownReview(review, { logger: silentLogger, watches });
}

const watches = new FileWatches(silentLogger, []);
afterAll(() => watches.dispose());

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at} of the file\n`).join('');

describe('a shown review', () => {
  test('shows what the agent proposes, without its line ends and byte order mark', () => {
    const shown = show('\uFEFFone\r\ntwo\r\n', '\uFEFFone\r\nTWO\r\n', {
      title: 'a tab',
      cannotAnswerEmpty: true,
    });
    expect({ ...shown.details(), review: shown.summary({}) }).toEqual({
      review: {
        id: '7',
        agent: 'qwen',
        agentName: 'Qwen Code',
        session: 's1',
        title: 'a tab',
        path: '/ws/a.txt',
        label: '/ws/a.txt',
        actions: [
          { id: 'accept', label: 'Accept', isPrimary: true },
          { id: 'reject', label: 'Reject' },
        ],
        state: 'pending',
        openedAt: 1000,
        isNewFile: false,
        notes: [],
        concerns: [],
        isBinary: false,
        isEdited: false,
        hunks: 1,
        added: 1,
        removed: 1,
      },
      original: 'one\ntwo\n',
      proposed: 'one\nTWO\n',
      hunks: [{ original: { start: 1, count: 1 }, proposed: { start: 1, count: 1 }, isKept: true }],
      comments: [],
      text: { version: 0, content: 'one\nTWO\n' },
    });
  });

  test('describes a new file, a file that is not text, and a file that is emptied', () => {
    const created = show({ kind: 'missing' }, 'a\n');
    expect(created.details()).toMatchObject({ original: '' });
    expect(created.summary({}).notes).toMatchObject([{ kind: 'new-file', text: 'This is a new file.' }]);
    expect(show({ kind: 'binary', size: 3 }, 'a\n').details()).toMatchObject({ original: '', hunks: [] });
    const emptied = show('a\n', '', { cannotAnswerEmpty: true });
    expect(emptied.summary({}).notes).toMatchObject([
      { text: 'The proposal empties the file.' },
      { isWarning: false, text: expect.stringContaining('so the result is the same') },
    ]);
  });

  test('sends the typed text with the line ends of the proposal', () => {
    const shown = show('one\r\ntwo\r\n', '\uFEFFone\r\nTWO\r\n');
    expect(pushInto(shown, 'one\n2\nthree\n')).toBe(true);
    shown.review.accept();
    expect(shown.review.outcome).toEqual({
      kind: 'accepted',
      content: '\uFEFFone\r\n2\r\nthree\r\n',
      isEdited: true,
    });
  });

  test('keeps the text as typed where the review restores something', () => {
    const shown = show('one\n', 'two\n');
    let version = 0;
    for (const typed of ['two', 'two and', '', '\uFEFFx', 'x\n\n', 'x\n']) {
      pushInto(shown, typed);
      expect([shown.text.content, shown.text.version]).toEqual([typed, ++version]);
    }
    expect(shown.review.content).toBe('x\n');
    pushInto(shown, 'x');
    expect([shown.text.content, shown.review.content]).toEqual(['x', 'x\n']);
  });

  test('never changes the text while the user types', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\n', '\n', '\r\n', '\r', '\uFEFF', '😀'), { maxLength: 12 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 5 }), (original, content, typings) => {
        const shown = show(original, content);
        for (const typed of typings.map((each) => each.replace(/\r\n?/g, '\n'))) {
          pushInto(shown, typed);
          expect(shown.text.content).toBe(typed);
        }
        const shownLast = shown.text.content;
        shown.review.withdraw('agent');
        expect(shown.text.content).toBe(shownLast);
      }),
    );
  });

  test('drops and keeps a hunk without affecting text typed beside it', async () => {
    const shown = show('a\nb\nc\nd\ne\n', 'A\nb\nc\nd\nE\n');
    expect(shown.text.version).toBe(0);
    await shown.review.setHunk(0, false, () => undefined);
    expect([shown.text.content, shown.review.keptHunks]).toEqual(['a\nb\nc\nd\nE\n', [false, true]]);
    expect(shown.text.updatesSince(0)).toEqual([{ clientId: 'host', changes: [[1, 'a'], 9] }]);
    pushInto(shown, 'a\nb\nC\nd\nE\n');
    await shown.review.setHunk(0, true, () => undefined);
    expect(shown.text.content).toBe('A\nb\nC\nd\nE\n');
    expect(shown.details().hunks.map(({ isKept }) => isKept)).toEqual([true, true]);
  });

  test('refuses a hunk that was edited by hand, and one that does not exist', async () => {
    const shown = show('a\n', 'A\n');
    pushInto(shown, 'mine\n');
    await expect(shown.review.setHunk(0, false, () => undefined)).rejects.toThrow(HunkConflictError);
    await expect(shown.review.setHunk(1, false, () => undefined)).rejects.toThrow(RangeError);
    expect(shown.text.content).toBe('mine\n');
  });

  test('follows changes from elsewhere, such as a terminal', () => {
    const shown = show('one\r\ntwo\r\n', 'one\r\nTWO\r\n');
    expect(shown.text.version).toBe(0);
    shown.review.edit('one\r\nfrom the terminal\r\n');
    expect(shown.text.content).toBe('one\nfrom the terminal\n');
    expect(shown.text.updatesSince(0)).toHaveLength(1);
  });

  test('has another version if it changed before a page showed it', () => {
    const shown = show('one\n', 'two\n');
    shown.review.edit('from the terminal\n');
    expect(shown.version).toBe(1);
    expect(shown.details().text).toEqual({ version: 1, content: 'from the terminal\n' });
  });

  test('reports why an agent cannot receive an empty answer', () => {
    const shown = show('one\n', 'two\n', { cannotAnswerEmpty: true });
    pushInto(shown, '');
    expect(shown.summary({}).notes).toMatchObject([
      { kind: 'empty-answer', text: expect.stringContaining('Leave at least one line') },
      { text: 'Your text empties the file.' },
    ]);
    expect(() => shown.review.accept()).toThrow(UnanswerableError);
    expect(shown.review.state).toBe('pending');
  });

  test('refuses invalid changes', () => {
    const shown = show('one\n', 'two\n');
    expect(() => shown.push(0, [{ clientId: 'page', changes: [1] }])).toThrow(RpcError);
    expect(shown.push(3, [])).toBe(false);
  });
});

describe('a review that has ended', () => {
  test('keeps its text and refuses further edits', async () => {
    const shown = show('one\n', 'two\n');
    pushInto(shown, 'mine\n');
    shown.review.withdraw('disconnected');
    expect(() => pushInto(shown, 'more\n')).toThrow(ReviewDecidedError);
    await expect(shown.review.setHunk(0, false, () => undefined)).rejects.toThrow(ReviewDecidedError);
    expect(shown.summary({})).toMatchObject({
      state: 'withdrawn',
      withdrawReason: 'disconnected',
      decidedAt: 1000,
      isEdited: true,
    });
    expect(shown.details().text).toEqual({ version: 1, content: 'mine\n' });
  });
});

describe('the last typed character before a review ends', () => {
  const ends: [string, (review: Review) => unknown][] = [
    ['withdrawn', (review) => review.withdraw('agent')],
    ['rejected', (review) => review.reject()],
    ['accepted', (review) => review.accept()],
  ];

  test.each(ends)('is in the review, also in a large one: %s', (state, end) => {
    for (const count of [10, 40_000]) {
      const content = lines(count);
      const shown = show('', content);
      pushInto(shown, `${content}and the last key`);
      end(shown.review);
      expect(shown.review.state).toBe(state);
      expect(shown.review.content.endsWith('and the last key\n')).toBe(true);
      expect(shown.text.content.endsWith('and the last key')).toBe(true);
    }
  });

  test('is in it when it is accepted in the page, when a hunk is dropped, and when the view is closed', async () => {
    const content = `TOP\n${lines(40_000)}`;
    const accepted = show(`top\n${lines(40_000)}`, content);
    pushInto(accepted, `${content}last\n`);
    accepted.review.accept();
    expect(accepted.review.outcome).toMatchObject({ kind: 'accepted', content: `${content}last\n` });
    const dropped = show(`top\n${lines(40_000)}`, content);
    pushInto(dropped, `${content}last\n`);
    await dropped.review.setHunk(0, false, () => undefined);
    expect(dropped.text.content === `top\n${lines(40_000)}last\n`).toBe(true);
    const closed = show('', content);
    pushInto(closed, `${content}last\n`);
    closed.dispose();
    expect(closed.review.content.endsWith('last\n')).toBe(true);
  });
});

describe('a large review', () => {
  test('accepts typed text without comparing each time, and reports it with a delay', async () => {
    const content = lines(200_000);
    const shown = show('', content);
    shown.summary({});
    let reported = 0;
    shown.review.onDidChange(() => reported++);
    const keys = 100;
    const typing = cpuTimeOf(() => {
      for (let at = 0; at < keys; at++) {
        const { version, length } = shown.text;
        shown.push(version, [{ clientId: 'page', changes: [length, [0, 'x']] }]);
        shown.summary({});
      }
    });
    expect([reported, shown.summary({}).isEdited]).toEqual([0, true]);
    await until(() => reported > 0, shown.review.onDidChange);
    expect(shown.review.content.endsWith(`${'x'.repeat(keys)}\n`)).toBe(true);
    const comparing = cpuTimeOf(() => shown.review.edit(`${content}another`));
    expect(typing / keys).toBeLessThan(comparing / 4);
  });
});
