import {
  HunkConflictError,
  type Outcome,
  onceDecided,
  type Review,
  ReviewDecidedError,
  UnanswerableError,
} from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeReview } from '../support/makeReview.js';

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

describe('a text that an editor reports at each key stroke', () => {
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

  it('is evaluated once, on the next read, and only the latest one', () => {
    const { review, type, asked } = typed();
    let events = 0;
    review.onDidChange(() => events++);
    type('m');
    type('mine');
    expect([asked(), events]).toEqual([0, 0]);
    expect([review.content, review.content, review.isEdited]).toEqual(['mine\n', 'mine\n', true]);
    expect([asked(), events]).toEqual([1, 1]);
  });

  it('stays in the review after every kind of end', () => {
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

  it('fires the change event before the end', () => {
    const { review, type } = typed();
    const events: string[] = [];
    review.onDidChange(() => events.push('changed'));
    review.onDidDecide(() => events.push('decided'));
    type('mine\n');
    review.withdraw('agent');
    expect(events).toEqual(['changed', 'decided']);
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

  it('cannot be reported after the end, and does not change the outcome', () => {
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
  it('is pending until it is decided, and then has the outcome and the time of the decision', () => {
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

  it('answers with the exact proposal when it was not edited', () => {
    fc.assert(
      fc.property(delicateText, delicateText, (before, content) => {
        const review = makeReview(before, content);
        review.accept();
        expect(review.outcome).toEqual({ kind: 'accepted', content, isEdited: false });
      }),
    );
  });

  it('answers with the exact proposal even when an editor changes the line ends', () => {
    fc.assert(
      fc.property(delicateText, delicateText, (before, content) => {
        const review = makeReview(before, content);
        review.accept(content.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'));
        expect(review.outcome).toEqual({ kind: 'accepted', content, isEdited: false });
      }),
    );
  });

  it('keeps the line ends, byte order mark and final newline of the proposal in an edited text', () => {
    const review = makeReview('a\n', '\uFEFFa\r\nb');
    review.edit('a\nB\nc\n');
    expect(review.content).toBe('\uFEFFa\r\nB\r\nc');
    expect(review.isEdited).toBe(true);
    expect(review.accept()).toBe(true);
    expect(review.outcome).toEqual({ kind: 'accepted', content: '\uFEFFa\r\nB\r\nc', isEdited: true });
  });

  it('is no longer edited when the edit is undone', () => {
    const review = makeReview('a\n', 'b\n');
    review.edit('c\n');
    review.edit('b\n');
    expect(review.isEdited).toBe(false);
  });

  it('fires events only for edits that change something', () => {
    const review = makeReview('a\n', 'b\r\n');
    let changes = 0;
    review.onDidChange(() => changes++);
    review.edit('b\n');
    expect(changes).toBe(0);
    review.edit('c\n');
    review.edit('c\n');
    expect(changes).toBe(1);
  });

  it('carries over an earlier edit', () => {
    const review = makeReview('a\n', 'b\n', { edits: { content: 'mine\n', keptHunks: [true] } });
    expect([review.content, review.isEdited]).toEqual(['mine\n', true]);
  });

  it('has no hunks and is decided as a whole if the file is not text', () => {
    const review = makeReview({ kind: 'binary', size: 3 }, 'now\ntext\n');
    expect(review.hunks).toEqual([]);
    expect(() => review.dropHunk(0)).toThrow(RangeError);
    expect(review.accept()).toBe(true);
    expect(review.outcome).toEqual({ kind: 'accepted', content: 'now\ntext\n', isEdited: false });
  });

  it('has one hunk for a missing file', () => {
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

  it.each(pairs)('%s, then %s: the first wins, and fires one event', (_one, _other, first, second) => {
    const review = makeReview('a\n', 'b\n');
    const outcomes: Outcome[] = [];
    review.onDidDecide((outcome) => outcomes.push(outcome));
    expect(first(review)).toBe(true);
    const { outcome, content, decidedAt } = review;
    expect(second(review)).toBe(false);
    expect([review.outcome, review.content, review.decidedAt]).toEqual([outcome, content, decidedAt]);
    expect(outcomes).toEqual([outcome]);
  });

  it('is too late in a listener of another decision', () => {
    const review = makeReview('a\n', 'b\n');
    const answers: boolean[] = [];
    review.onDidDecide(() => answers.push(review.reject(), review.withdraw('agent')));
    expect(review.accept()).toBe(true);
    expect(answers).toEqual([false, false]);
    expect(review.state).toBe('accepted');
  });

  it('wins in a listener of the edit that an accept makes, and the accept fails', () => {
    const review = makeReview('a\n', 'b\n');
    review.onDidChange(() => review.reject());
    expect(review.accept('mine\n')).toBe(false);
    expect(review.state).toBe('rejected');
    expect(review.content).toBe('mine\n');
  });

  it('ends all edits, and the edited text stays readable', () => {
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

  it('is refused with an empty text when the agent would write its own proposal instead', () => {
    const review = makeReview('a\n', 'b\n', { proposal: { cannotAnswerEmpty: true } });
    expect(() => review.accept('')).toThrow(UnanswerableError);
    expect([review.state, review.content]).toEqual(['pending', '']);
    review.edit('c\n');
    expect(review.accept()).toBe(true);
  });

  it('is possible with an empty text when that was proposed, or when the agent accepts it', () => {
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

  it('are zero for a file that is not text', () => {
    expect(makeReview({ kind: 'binary', size: 3 }, 'text\n').lineCounts).toEqual({ added: 0, removed: 0 });
  });
});

describe('onceDecided', () => {
  it('reports a later decision and an earlier one', () => {
    const review = makeReview('a\n', 'b\n');
    const events: string[] = [];
    onceDecided(review, ({ kind }) => events.push(`before: ${kind}`));
    review.reject();
    onceDecided(review, ({ kind }) => events.push(`after: ${kind}`));
    expect(events).toEqual(['before: rejected', 'after: rejected']);
  });

  it('reports nothing after dispose', () => {
    const review = makeReview('a\n', 'b\n');
    let wasCalled = false;
    onceDecided(review, () => {
      wasCalled = true;
    }).dispose();
    review.reject();
    expect(wasCalled).toBe(false);
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

  it('keeps edits elsewhere when it is dropped and kept again', () => {
    const review = makeReview(original, proposed);
    review.edit(proposed.replace('four', 'edited'));
    review.dropHunk(1);
    expect(review.content).toBe('ONE\ntwo\nthree\nedited\nfive\nsix\nseven\n');
    review.keepHunk(1);
    expect(review.content).toBe(proposed.replace('four', 'edited'));
  });

  it('cannot be dropped when its lines were edited, and nothing changes', () => {
    const review = makeReview(original, proposed);
    review.edit(proposed.replace('SEVEN', 'edited'));
    expect(() => review.dropHunk(1)).toThrow(HunkConflictError);
    expect(review.keptHunks).toEqual([true, true]);
    expect(review.content).toBe(proposed.replace('SEVEN', 'edited'));
  });

  it('cannot be dropped if it does not exist', () => {
    const review = makeReview(original, proposed);
    for (const index of [-1, 2, 0.5, Number.NaN]) expect(() => review.dropHunk(index)).toThrow(RangeError);
  });

  it('restores the lines of the file when dropped, even if an editor unifies line ends', () => {
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

  it('uses the line ends of the proposal for text that is typed after it was dropped from a new file', () => {
    const review = makeReview({ kind: 'missing' }, '\uFEFFa\r\nb\r\n');
    review.dropHunk(0);
    review.edit('mine\nand mine\n');
    expect(review.content).toBe('\uFEFFmine\r\nand mine\r\n');
  });

  it('leaves the lines of the file when all hunks are dropped', () => {
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
