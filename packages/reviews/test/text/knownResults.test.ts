import { describe, expect, it } from 'vitest';
import { KnownResults } from '../../src/text/knownResults.js';

/** Doubles numbers in steps, and counts them. */
function doubling(most?: number) {
  const computed: number[] = [];
  const results = new KnownResults<number, number>(
    function* (input) {
      yield undefined;
      computed.push(input);
      yield undefined;
      return 2 * input;
    },
    Object.is,
    most,
  );
  return { results, computed };
}

describe('results that are known in advance', () => {
  it('are computed once, in steps or at once', async () => {
    const { results, computed } = doubling();
    await results.prepare(
      () => 1,
      async () => {},
    );
    expect([results.get(1), results.get(1), computed]).toEqual([2, 2, [1]]);
    expect([results.get(2), results.get(2), computed]).toEqual([4, 4, [1, 2]]);
  });

  it('are known without a pause if none is due', () => {
    const { results, computed } = doubling();
    const preparing = results.prepare(
      () => 1,
      () => undefined,
    );
    expect([preparing, computed]).toEqual([undefined, [1]]);
  });

  it('are those of what changed in a pause', async () => {
    const { results, computed } = doubling();
    let newest = 1;
    let pauses = 0;
    await results.prepare(
      () => newest,
      async () => {
        pauses += 1;
        if (pauses === 1) newest = 7;
      },
    );
    expect([computed, results.get(7), computed]).toEqual([[7], 14, [7]]);
  });

  it('are computed when they are needed if that changes all the time', async () => {
    const { results, computed } = doubling();
    let newest = 0;
    await results.prepare(
      () => newest,
      async () => {
        newest += 1;
      },
    );
    expect([newest, computed]).toEqual([3, []]);
    expect(results.get(newest)).toBe(6);
  });

  it('are forgotten, the oldest first', () => {
    const { results, computed } = doubling(2);
    for (const input of [1, 2, 1, 3, 2, 1]) results.get(input);
    expect(computed).toEqual([1, 2, 3, 1]);
    results.forget();
    results.get(1);
    expect(computed).toEqual([1, 2, 3, 1, 1]);
  });
});
