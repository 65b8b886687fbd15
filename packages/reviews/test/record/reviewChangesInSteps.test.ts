import {
  acceptReview,
  type FileContent,
  followFile,
  HunkConflictError,
  prepareToFollow,
  type Review,
  ReviewDecidedError,
} from '@tandem/reviews';
import { describe, expect, it } from 'vitest';
import { makeReview } from '../support/makeReview.js';

const count = 10_001;
const lines = Array.from({ length: count }, (_, at) => `line ${at} of a large file\n`);
const original = lines.join('');
const proposed = lines.map((line, at) => (at % 2 === 0 ? line : `changed ${at}\n`)).join('');
const typed = `${proposed}typed\n`;
const withoutFirst = typed.replace('changed 1\n', lines[1] ?? '');
const text = (content: string): FileContent => ({ kind: 'text', text: content });

/** Pauses between all steps. `during` runs in the given one. */
function pausing(during: (pause: number) => void = () => {}) {
  const counted = {
    pauses: 0,
    pause: async () => {
      counted.pauses += 1;
      during(counted.pauses);
    },
  };
  return counted;
}

function editedReview(): Review {
  const review = makeReview(original, proposed);
  review.edit(typed);
  return review;
}

describe('a decision on a hunk of a large edited text', () => {
  it('is made in short steps, with the same result as at once', async () => {
    const [inSteps, atOnce] = [editedReview(), editedReview()];
    const counted = pausing();
    await inSteps.setHunk(0, false, counted.pause);
    expect(counted.pauses).toBeGreaterThan(20);
    atOnce.dropHunk(0);
    expect([inSteps.content === withoutFirst, inSteps.keptHunks]).toEqual([true, atOnce.keptHunks]);
    await inSteps.setHunk(0, true, counted.pause);
    expect(inSteps.content).toBe(typed);
  });

  it('is made in the text that was typed in its pauses', async () => {
    const review = editedReview();
    await review.setHunk(0, false, pausing((at) => at === 5 && review.edit(`${typed}more\n`)).pause);
    expect(review.content).toBe(`${withoutFirst}more\n`);
  });

  it('is made in text that is typed all the time, and loses none of it', async () => {
    const review = editedReview();
    let more = typed;
    const type = (): void => {
      more += 'more\n';
      review.editSoon(() => more);
    };
    await review.setHunk(0, false, pausing((at) => at % 5 === 0 && type()).pause);
    expect(review.content).toBe(more.replace('changed 1\n', lines[1] ?? ''));
  });

  it('is refused if its lines are edited in its pauses', async () => {
    const review = editedReview();
    const edited = typed.replace('changed 1\n', 'mine\n');
    const deciding = review.setHunk(0, false, pausing((at) => at === 5 && review.edit(edited)).pause);
    await expect(deciding).rejects.toThrow(HunkConflictError);
    expect(review.content).toBe(edited);
  });

  it('is refused if the review ends in its pauses', async () => {
    const review = editedReview();
    const deciding = review.setHunk(0, false, pausing((at) => at === 5 && review.withdraw('agent')).pause);
    await expect(deciding).rejects.toThrow(ReviewDecidedError);
    expect(review.content).toBe(typed);
  });

  it('comes before the acceptance that follows it', async () => {
    const review = editedReview();
    const deciding = review.setHunk(0, false, pausing().pause);
    const accepting = acceptReview(
      review,
      {},
      {
        readFile: async () => text(original),
        marks: async () => ({ isOutsideWorkspace: false }),
        isUnsaved: async () => false,
        save: async () => true,
        isKept: () => true,
        label: (path) => path,
      },
    );
    await deciding;
    expect(await accepting).toEqual({ kind: 'done' });
    expect(review.outcome).toMatchObject({ kind: 'accepted', content: withoutFirst });
  });

  it('follows an earlier one, and an edit', async () => {
    const review = editedReview();
    const { pause } = pausing();
    await Promise.all([
      review.setHunk(0, false, pause),
      review.editInSteps(`${withoutFirst}more\n`, pause),
      review.setHunk(0, true, pause),
    ]);
    expect(review.content).toBe(`${typed}more\n`);
  });
});

describe('a large review with a dropped hunk', () => {
  it('is merged with its file in short steps', async () => {
    const [inSteps, atOnce] = [editedReview(), editedReview()];
    for (const review of [inSteps, atOnce]) review.dropHunk(0);
    const file = text(`first\n${original}`);
    const counted = pausing();
    await prepareToFollow(inSteps, file, counted.pause);
    expect(counted.pauses).toBeGreaterThan(100);
    expect([followFile(inSteps, file), followFile(atOnce, file)]).toEqual(['merged', 'merged']);
    expect(inSteps.content).toBe(`first\n${withoutFirst}`);
    expect(inSteps.keptHunks).toEqual(atOnce.keptHunks);
    expect(inSteps.keptHunks[0]).toBe(false);
  });

  it('is merged as it is then if it is edited in the pauses', async () => {
    const review = editedReview();
    review.dropHunk(0);
    const file = text(`first\n${original}`);
    await prepareToFollow(
      review,
      file,
      pausing((at) => at === 50 && review.edit(`${withoutFirst}more\n`)).pause,
    );
    expect(followFile(review, file)).toBe('merged');
    expect(review.content).toBe(`first\n${withoutFirst}more\n`);
  });
});

describe('the comments of a large review', () => {
  it('follow its text in short steps', async () => {
    const review = makeReview(original, proposed);
    review.addComment({ text: 'Why?', lines: { first: 3, last: 3 } });
    review.edit(`first\n${proposed}typed\n`);
    const counted = pausing();
    await review.compare(counted.pause);
    counted.pauses = 0;
    await review.compare(counted.pause);
    expect([counted.pauses, review.comments[0]?.lines]).toEqual([0, { first: 4, last: 4 }]);
  });
});

describe('a large review that carries over a dropped hunk', () => {
  it('compares its texts in short steps, after the agent has its answer', async () => {
    const before = editedReview();
    before.dropHunk(0);
    const review = makeReview(original, proposed, { edits: before.edits });
    expect([review.content === withoutFirst, review.edits]).toEqual([true, before.edits]);
    const counted = pausing();
    await review.compare(counted.pause);
    expect(counted.pauses).toBeGreaterThan(20);
    expect([review.keptHunks, review.lineCounts]).toEqual([before.keptHunks, before.lineCounts]);
    review.keepHunk(0);
    expect(review.content).toBe(typed);
  });

  it('keeps its text if there are no such hunks any more', async () => {
    const before = editedReview();
    before.dropHunk(0);
    const review = makeReview(`first\n${original}`, proposed, { edits: before.edits });
    await review.compare(() => undefined);
    expect([review.content === withoutFirst, review.hasDroppedHunks]).toEqual([true, false]);
  });
});
