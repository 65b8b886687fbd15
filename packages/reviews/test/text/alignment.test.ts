import { diffArrays } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { align } from '../../src/text/alignment.js';
import { finish } from '../../src/text/steps.js';

const numbers = (kinds: number) => fc.array(fc.nat({ max: kinds }), { maxLength: 40 });

/** The pairs that the package diff finds. */
function pairsOfDiff(left: number[], right: number[], maxEditLength: number): number[][] | undefined {
  const parts = diffArrays(left, right, { maxEditLength });
  if (parts === undefined) return undefined;
  const pairs: number[][] = [];
  let [leftAt, rightAt] = [0, 0];
  for (const { added, removed, count } of parts) {
    for (let step = 0; step < count; step++) {
      if (!added && !removed) pairs.push([leftAt, rightAt]);
      if (!added) leftAt++;
      if (!removed) rightAt++;
    }
  }
  return pairs;
}

function pairsOf(left: number[], right: number[], maxEdits: number): number[][] | undefined {
  const found = finish(align(Int32Array.from(left), Int32Array.from(right), maxEdits));
  return found && [...found.left].map((at, index) => [at, found.right[index] ?? -1]);
}

describe('align', () => {
  it.each([1, 3, 20])(
    'finds exactly what the package diff finds, with up to %i kinds of elements',
    (kinds) => {
      fc.assert(
        fc.property(numbers(kinds), numbers(kinds), fc.nat({ max: 90 }), (left, right, maxEdits) => {
          expect(pairsOf(left, right, maxEdits)).toEqual(pairsOfDiff(left, right, maxEdits));
        }),
        { numRuns: 2000 },
      );
    },
  );

  it('finds it in long sequences', () => {
    const left = Array.from({ length: 5000 }, (_, at) => (at * 7919) % 31);
    const right = left.flatMap((kind, at) => (at % 83 === 0 ? [] : at % 97 === 0 ? [kind, 5, 6] : [kind]));
    expect(pairsOf(left, right, 1000)).toEqual(pairsOfDiff(left, right, 1000));
  });

  it('does long work in many short steps', () => {
    const left = Int32Array.from({ length: 60_000 }, (_, at) => (at * 2_654_435_761) % 1000);
    const right = Int32Array.from({ length: 60_000 }, (_, at) => (at * 40_503 + 7) % 1000);
    const steps = align(left, right, 1000);
    let count = 0;
    while (!steps.next().done) count++;
    expect(count).toBeGreaterThan(3);
  });
});
