import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';
import { diffByLines } from '@tandem/chat-panel/code';
import { Review } from '@tandem/reviews';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChangeRange,
  changeRanges,
  changeStops,
  hunkSpans,
  rangeAt,
  rangeFrom,
} from '../src/review/changeRanges.js';
import { isSpaceChange } from '../src/review/spaceChanges.js';

function reviewOf(original: string, content: string): Review {
  const proposal = { path: '/a', content, agent: 'claude', session: 's' };
  return new Review(
    { id: 'r', proposal, original: { kind: 'text', text: original }, isOutsideWorkspace: false },
    {
      clock: { now: () => 0, setTimeout: () => ({ dispose: () => {} }) },
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    },
  );
}

function rangesOf(review: Review, original: string, text = review.content): ChangeRange[] {
  const before = Text.of(original.split('\n'));
  const after = Text.of(text.split('\n'));
  const hunks = review.hunks.map((hunk, at) => ({ ...hunk, isKept: review.keptHunks[at] ?? true }));
  const chunks = Chunk.build(before, after, { override: diffByLines });
  return changeRanges(hunkSpans(before, hunks), review.keptHunks, chunks, before, after);
}

const original = 'a\nb\nc\nd\ne\nf\ng\nh\n';
const proposed = 'a\nB\nc\nd\ne\nnew\nf\ng\n';

describe('changeRanges', () => {
  it('finds every hunk with the lines it changes', () => {
    const ranges = rangesOf(reviewOf(original, proposed), original);
    expect(ranges.map(({ hunk, added, removed }) => ({ hunk, added, removed }))).toEqual([
      { hunk: 0, added: 1, removed: 1 },
      { hunk: 1, added: 1, removed: 0 },
      { hunk: 2, added: 0, removed: 1 },
    ]);
    const [first] = ranges;
    expect(proposed.slice(first?.fromB, first?.toB)).toBe('B\n');
  });

  it('says where a dropped hunk would be', () => {
    const review = reviewOf(original, proposed);
    review.dropHunk(1);
    const ranges = rangesOf(review, original);
    expect(ranges.map(({ hunk, isDropped }) => [hunk, isDropped])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
    expect(review.content.slice(ranges[1]?.fromB)).toBe('f\ng\n');
  });

  it('distinguishes an edit of the user from a hunk', () => {
    const review = reviewOf(original, proposed);
    const ranges = rangesOf(review, original, proposed.replace('d\n', 'D!\n'));
    expect(ranges.map(({ hunk }) => hunk)).toEqual([0, undefined, 1, 2]);
  });

  it('leaves out a hunk that was undone by hand', () => {
    const review = reviewOf(original, proposed);
    const ranges = rangesOf(review, original, proposed.replace('B\n', 'b\n'));
    expect(ranges.map(({ hunk }) => hunk)).toEqual([1, 2]);
  });

  it('separates hunks that are one short line apart', () => {
    const before = 'one\n}\ntwo\n';
    const review = reviewOf(before, 'ONE\n}\nTWO\n');
    const ranges = rangesOf(review, before);
    expect(ranges.map(({ hunk }) => hunk)).toEqual([0, 1]);
    expect(ranges.map(({ fromB, toB }) => review.content.slice(fromB, toB))).toEqual(['ONE\n', 'TWO\n']);
  });

  it('knows a new function by its size where its last lines are those of the one before', () => {
    const before = 'f() {\n  one();\n}\n\ng() {\n  two();\n}\n';
    const after = 'f() {\n  one();\n}\n\nh() {\n  new();\n}\n\ng() {\n  two();\n}\n';
    const ranges = rangesOf(reviewOf(before, after), before);
    expect(ranges.map(({ hunk, added }) => ({ hunk, added }))).toEqual([{ hunk: 0, added: 4 }]);
  });

  it('shows every dropped hunk once, and every kept one that changes something', () => {
    const line = fc.constantFrom('', '}', '  call();', '  other();', 'end', 'const a = 1;');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(''));
    void fc.assert(
      fc.property(
        text,
        text,
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        (before, after, drops) => {
          const review = reviewOf(before, after);
          for (const { index } of review.hunks) if (drops[index]) review.dropHunk(index);
          const ranges = rangesOf(review, before);
          const shown = ranges.flatMap(({ hunk }) => (hunk === undefined ? [] : [hunk]));
          expect(new Set(shown).size).toBe(shown.length);
          const dropped = ranges.filter(({ isDropped }) => isDropped).map(({ hunk }) => hunk);
          expect(dropped.toSorted()).toEqual(
            review.hunks
              .map(({ index }) => index)
              .filter((index) => drops[index])
              .toSorted(),
          );
          const { length } = review.content;
          for (const { fromB } of ranges) expect(fromB).toBeLessThanOrEqual(length + 1);
          for (const [at, { fromB }] of ranges.entries()) {
            expect(fromB).toBeGreaterThanOrEqual(ranges[at - 1]?.fromB ?? 0);
          }
        },
      ),
      {
        numRuns: 1_000,
        examples: [['\n}\n  other();\n', '}\n\n  other();\n\n  other();\nend\n', [false, true]]],
      },
    );
  });
});

describe('going from range to range', () => {
  const range = (fromB: number, toB: number): ChangeRange => ({
    hunk: 0,
    isDropped: false,
    fromA: 0,
    toA: 0,
    fromB,
    toB,
    removed: 0,
    added: 1,
  });
  const ranges = [range(10, 20), range(30, 40)];

  it('knows the range that the caret is at', () => {
    expect([5, 10, 19, 20, 30].map((caret) => rangeAt(ranges, caret))).toEqual([-1, 0, 0, -1, 1]);
  });

  it('goes on from between two ranges', () => {
    expect([rangeFrom(ranges, 5, 1), rangeFrom(ranges, 25, 1), rangeFrom(ranges, 25, -1)]).toEqual([0, 1, 0]);
  });

  it('goes around the ends', () => {
    expect([rangeFrom(ranges, 35, 1), rangeFrom(ranges, 12, -1), rangeFrom(ranges, 50, 1)]).toEqual([
      0, 1, 0,
    ]);
    expect(rangeFrom(ranges, 5, -1)).toBe(1);
    expect(rangeFrom([], 0, 1)).toBe(-1);
  });
});

describe('changes of white space', () => {
  const chunksOf = (a: string, b: string) => {
    const [file, text] = [Text.of(a.split('\n')), Text.of(b.split('\n'))];
    return Chunk.build(file, text, { override: diffByLines }).map((chunk) =>
      isSpaceChange(chunk, file, text),
    );
  };

  it.each([
    ['indentation', 'a {\nb\n}\n', 'a {\n  b\n}\n'],
    ['tabs and the end of a line', 'a\n\tb\n', 'a\n    b  \n'],
    ['spaces between words', 'a = b\n', 'a=b\n'],
  ])('are those of %s', (_name, a, b) => {
    expect(chunksOf(a, b)).toEqual([true]);
  });

  it.each([
    ['another word', 'a\n', 'b\n'],
    ['an added blank line', 'a\nb\n', 'a\n\nb\n'],
    ['a removed line', 'a\nb\nc\n', 'a\nc\n'],
    ['another order', 'a b\n', 'b a\n'],
  ])('are not those with %s', (_name, a, b) => {
    expect(chunksOf(a, b)).toEqual([false]);
  });

  it('are found one by one', () => {
    expect(chunksOf('a\nlong line\nc\nlong line too\ne\n', ' a\nlong line\nc\nlong line too\nE\n')).toEqual([
      true,
      false,
    ]);
  });
});

describe('changeStops', () => {
  it('counts a conflict once, whatever changes it consists of', () => {
    const marked = 'a\n<<<<<<< the proposal\nB\n=======\nb of the file\n>>>>>>> the file\nc\nd\nE\nf\n';
    const ranges = rangesOf(
      reviewOf('a\nb of the file\nc\nd\ne\nf\n', marked),
      'a\nb of the file\nc\nd\ne\nf\n',
    );
    expect(ranges).toHaveLength(3);
    const conflict = { from: 2, to: marked.indexOf('c\n') };
    const stops = changeStops(ranges, [conflict]);
    expect(stops.map(({ fromB, range }) => [fromB, range?.fromB])).toEqual([
      [2, undefined],
      [marked.indexOf('E'), marked.indexOf('E')],
    ]);
    expect(rangeAt(stops, marked.indexOf('======='))).toBe(0);
    expect(changeStops(ranges, []).map(({ range }) => range)).toEqual(ranges);
  });
});

it('knows the first lines of each hunk of the proposal', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const { hunks } = reviewOf('a\nb\n', `a\n${lines.join('\n')}\nb\n`);
  const [span] = hunkSpans(
    Text.of(['a', 'b', '']),
    hunks.map((hunk) => ({ ...hunk, isKept: true })),
    `a\n${lines.join('\n')}\nb\n`,
  );
  expect(span?.lines).toEqual(lines.slice(0, 12));
});
