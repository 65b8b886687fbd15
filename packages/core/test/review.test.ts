import {
  HunkConflictError,
  type Outcome,
  onceDecided,
  type Review,
  ReviewDecidedError,
  UnanswerableError,
} from '@tandem/core';
import { FakeClock } from '@tandem/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeReview } from './support/makeReview.js';

/** Texts of few different lines, with every line end, byte order marks and astral characters. */
const delicateText = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF'),
    fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', '😀'), fc.constantFrom('\n', '\r\n', '\r')), {
      maxLength: 6,
    }),
    fc.constantFrom('', 'last', '\ud800'),
  )
  .map(([bom, lines, last]) => bom + lines.map(([text, end]) => text + end).join('') + last);

const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const proposed = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';

describe('a text that is told of at each key', () => {
  const typed = () => {
    const review = makeReview(original, proposed);
    let text = proposed;
    let asked = 0;
    const type = (next: string): void => {
      text = next;
      review.editSoon(() => {
        asked++;
        return text;
      });
    };
    return { review, type, asked: () => asked };
  };

  it('is taken when somebody looks, once and the last one', () => {
    const { review, type, asked } = typed();
    let heard = 0;
    review.onDidChange(() => heard++);
    type('m');
    type('mine');
    expect([asked(), heard]).toEqual([0, 0]);
    expect([review.content, review.content, review.isEdited]).toEqual(['mine\n', 'mine\n', true]);
    expect([asked(), heard]).toEqual([1, 1]);
  });

  it('stays in the review, however it ends', () => {
    for (const end of [
      (review: Review) => review.accept(),
      (review: Review) => review.reject(),
      (review: Review) => review.withdraw('disconnected'),
    ]) {
      const { review, type } = typed();
      type('mine\n');
      end(review);
      expect([review.content, review.isEdited]).toEqual(['mine\n', true]);
    }
  });

  it('is heard of before the end', () => {
    const { review, type } = typed();
    const heard: string[] = [];
    review.onDidChange(() => heard.push('changed'));
    review.onDidDecide(() => heard.push('decided'));
    type('mine\n');
    review.withdraw('agent');
    expect(heard).toEqual(['changed', 'decided']);
  });

  it('counts when a hunk is dropped after it', () => {
    const { review, type } = typed();
    type(proposed.replace('four', '4'));
    review.dropHunk(0);
    expect(review.content).toBe('one\ntwo\nthree\n4\nfive\nsix\nSEVEN\n');
    type(review.content.replace('seven', '7'));
    review.edit('whole\n');
    expect(review.content).toBe('whole\n');
  });

  it('cannot be told of after the end, nor change what was decided', () => {
    const { review, type } = typed();
    review.onDidChange(() => review.reject());
    type('mine\n');
    expect(review.accept()).toBe(false);
    expect(review.outcome).toEqual({ kind: 'rejected' });
    expect(() => type('more\n')).toThrow(ReviewDecidedError);
    expect(review.content).toBe('mine\n');
  });
});

describe('a review', () => {
  it('is pending, and then ended as it was decided, at that time', () => {
    const clock = new FakeClock(1000);
    const review = makeReview('a\n', 'b\n', { clock });
    expect([review.state, review.outcome, review.decidedAt, review.openedAt]).toEqual([
      'pending',
      undefined,
      undefined,
      1000,
    ]);
    clock.advance(5);
    expect(review.reject()).toBe(true);
    expect([review.state, review.outcome, review.decidedAt]).toEqual([
      'rejected',
      { kind: 'rejected' },
      1005,
    ]);
  });

  it('answers what was proposed to the last code unit when nobody edited it', () => {
    fc.assert(
      fc.property(delicateText, delicateText, (before, content) => {
        const review = makeReview(before, content);
        review.accept();
        expect(review.outcome).toEqual({ kind: 'accepted', content, isEdited: false });
      }),
    );
  });

  it('answers what was proposed also when an editor gives its text back with other line ends', () => {
    fc.assert(
      fc.property(delicateText, delicateText, (before, content) => {
        const review = makeReview(before, content);
        review.accept(content.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'));
        expect(review.outcome).toEqual({ kind: 'accepted', content, isEdited: false });
      }),
    );
  });

  it('keeps the line ends, byte order mark and final newline of the proposal in what a person edits', () => {
    const review = makeReview('a\n', '\uFEFFa\r\nb');
    review.edit('a\nB\nc\n');
    expect(review.content).toBe('\uFEFFa\r\nB\r\nc');
    expect(review.isEdited).toBe(true);
    expect(review.accept()).toBe(true);
    expect(review.outcome).toEqual({ kind: 'accepted', content: '\uFEFFa\r\nB\r\nc', isEdited: true });
  });

  it('is not edited any more when the edit is undone', () => {
    const review = makeReview('a\n', 'b\n');
    review.edit('c\n');
    review.edit('b\n');
    expect(review.isEdited).toBe(false);
  });

  it('tells of edits that change something, and of no others', () => {
    const review = makeReview('a\n', 'b\r\n');
    let changes = 0;
    review.onDidChange(() => changes++);
    review.edit('b\n');
    expect(changes).toBe(0);
    review.edit('c\n');
    review.edit('c\n');
    expect(changes).toBe(1);
  });

  it('takes along an edit that was made before', () => {
    const review = makeReview('a\n', 'b\n', { edits: { content: 'mine\n', keptHunks: [true] } });
    expect([review.content, review.isEdited]).toEqual(['mine\n', true]);
  });

  it('of what is not text has no hunks and is decided whole', () => {
    const review = makeReview({ kind: 'binary', size: 3 }, 'now\ntext\n');
    expect(review.hunks).toEqual([]);
    expect(() => review.dropHunk(0)).toThrow(RangeError);
    expect(review.accept()).toBe(true);
    expect(review.outcome).toEqual({ kind: 'accepted', content: 'now\ntext\n', isEdited: false });
  });

  it('of a missing file is one hunk', () => {
    const review = makeReview({ kind: 'missing' }, 'a\nb\n');
    expect(review.hunks).toHaveLength(1);
    review.dropHunk(0);
    expect(review.content).toBe('');
  });
});

describe('a decision', () => {
  const ends: [string, (review: Review) => boolean][] = [
    ['accept', (review) => review.accept()],
    ['accept with a text', (review) => review.accept('mine\n')],
    ['reject', (review) => review.reject()],
    ['withdraw', (review) => review.withdraw('agent')],
    ['another withdraw', (review) => review.withdraw('disconnected')],
  ];
  const pairs = ends.flatMap(([one, first]) =>
    ends.map(([other, second]) => [one, other, first, second] as const),
  );

  it.each(pairs)('%s, then %s: the first counts, and is told once', (_one, _other, first, second) => {
    const review = makeReview('a\n', 'b\n');
    const told: Outcome[] = [];
    review.onDidDecide((outcome) => told.push(outcome));
    expect(first(review)).toBe(true);
    const { outcome, content, decidedAt } = review;
    expect(second(review)).toBe(false);
    expect([review.outcome, review.content, review.decidedAt]).toEqual([outcome, content, decidedAt]);
    expect(told).toEqual([outcome]);
  });

  it('by a listener of another one comes too late', () => {
    const review = makeReview('a\n', 'b\n');
    const answers: boolean[] = [];
    review.onDidDecide(() => answers.push(review.reject(), review.withdraw('agent')));
    expect(review.accept()).toBe(true);
    expect(answers).toEqual([false, false]);
    expect(review.state).toBe('accepted');
  });

  it('by a listener of the very edit that an accept makes counts, and the accept does not', () => {
    const review = makeReview('a\n', 'b\n');
    review.onDidChange(() => review.reject());
    expect(review.accept('mine\n')).toBe(false);
    expect(review.state).toBe('rejected');
    expect(review.content).toBe('mine\n');
  });

  it('ends all edits, and what was edited stays readable', () => {
    for (const [, end] of ends) {
      const review = makeReview(original, proposed);
      review.edit('edited\n');
      end(review);
      const { content } = review;
      expect(() => review.edit('late\n')).toThrow(ReviewDecidedError);
      expect(() => review.dropHunk(0)).toThrow(ReviewDecidedError);
      expect(review.content).toBe(content);
      expect(['edited\n', 'mine\n']).toContain(content);
    }
  });

  it('with an empty text is refused when the agent would write its own instead', () => {
    const review = makeReview('a\n', 'b\n', { proposal: { cannotAnswerEmpty: true } });
    expect(() => review.accept('')).toThrow(UnanswerableError);
    expect([review.state, review.content]).toEqual(['pending', '']);
    review.edit('c\n');
    expect(review.accept()).toBe(true);
  });

  it('with an empty text is taken when that is what was proposed, or when the agent takes it', () => {
    expect(makeReview('a\n', '', { proposal: { cannotAnswerEmpty: true } }).accept()).toBe(true);
    expect(makeReview('a\n', 'b\n').accept('')).toBe(true);
  });
});

describe('its line counts', () => {
  it('follow dropped and kept hunks and edits by hand', () => {
    const review = makeReview(original, proposed);
    expect(review.lineCounts).toEqual({ added: 2, removed: 2 });
    review.dropHunk(0);
    expect(review.lineCounts).toEqual({ added: 1, removed: 1 });
    review.edit('one\ntwo\nthree\nmine\nfour\nfive\nsix\nSEVEN\n');
    expect(review.lineCounts).toEqual({ added: 2, removed: 1 });
    review.keepHunk(0);
    expect(review.lineCounts).toEqual({ added: 3, removed: 2 });
  });

  it('are none for a file that is not text', () => {
    expect(makeReview({ kind: 'binary', size: 3 }, 'text\n').lineCounts).toEqual({ added: 0, removed: 0 });
  });
});

describe('onceDecided', () => {
  it('hears of a decision that comes, and of one that has come', () => {
    const review = makeReview('a\n', 'b\n');
    const heard: string[] = [];
    onceDecided(review, ({ kind }) => heard.push(`before: ${kind}`));
    review.reject();
    onceDecided(review, ({ kind }) => heard.push(`after: ${kind}`));
    expect(heard).toEqual(['before: rejected', 'after: rejected']);
  });

  it('hears nothing when disposed before', () => {
    const review = makeReview('a\n', 'b\n');
    let hasHeard = false;
    onceDecided(review, () => {
      hasHeard = true;
    }).dispose();
    review.reject();
    expect(hasHeard).toBe(false);
  });
});

describe('a hunk', () => {
  it('is kept at first, and can be dropped and kept again', () => {
    const review = makeReview(original, proposed);
    let changes = 0;
    review.onDidChange(() => changes++);
    expect(review.keptHunks).toEqual([true, true]);
    review.dropHunk(0);
    review.dropHunk(0);
    expect(review.keptHunks).toEqual([false, true]);
    expect(review.content).toBe('one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    expect([review.isEdited, changes]).toEqual([true, 1]);
    review.keepHunk(0);
    expect([review.content, review.isEdited, changes]).toEqual([proposed, false, 2]);
  });

  it('dropped leaves what a person edited elsewhere, and kept again too', () => {
    const review = makeReview(original, proposed);
    review.edit(proposed.replace('four', 'edited'));
    review.dropHunk(1);
    expect(review.content).toBe('ONE\ntwo\nthree\nedited\nfive\nsix\nseven\n');
    review.keepHunk(1);
    expect(review.content).toBe(proposed.replace('four', 'edited'));
  });

  it('whose lines a person edited cannot be dropped, and nothing changes', () => {
    const review = makeReview(original, proposed);
    review.edit(proposed.replace('SEVEN', 'edited'));
    expect(() => review.dropHunk(1)).toThrow(HunkConflictError);
    expect(review.keptHunks).toEqual([true, true]);
    expect(review.content).toBe(proposed.replace('SEVEN', 'edited'));
  });

  it('that does not exist cannot be dropped', () => {
    const review = makeReview(original, proposed);
    for (const index of [-1, 2, 0.5, Number.NaN]) expect(() => review.dropHunk(index)).toThrow(RangeError);
  });

  it('dropped brings the lines of the file back, and an editor that unifies line ends changes nothing', () => {
    fc.assert(
      fc.property(delicateText, delicateText, fc.infiniteStream(fc.boolean()), (before, content, drops) => {
        const review = makeReview(before, content);
        for (const [index] of review.hunks.entries()) if (drops.next().value) review.dropHunk(index);
        const composed = review.content;
        if (composed === '') return;
        review.edit(composed.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'));
        expect(review.content).toBe(composed);
      }),
    );
  });

  it('of a new file dropped, and then a text of the person: it has the line ends of the proposal', () => {
    const review = makeReview({ kind: 'missing' }, '\uFEFFa\r\nb\r\n');
    review.dropHunk(0);
    review.edit('mine\nand mine\n');
    expect(review.content).toBe('\uFEFFmine\r\nand mine\r\n');
  });

  it('of all hunks dropped leaves the lines of the file', () => {
    fc.assert(
      fc.property(delicateText, delicateText, (before, content) => {
        const review = makeReview(before, content);
        for (const [index] of review.hunks.entries()) review.dropHunk(index);
        const lines = (text: string) =>
          text
            .replace(/^\uFEFF/, '')
            .split(/\r\n|\r|\n/)
            .join('\n')
            .replace(/\n$/, '');
        expect(lines(review.content)).toBe(lines(before));
      }),
    );
  });
});
