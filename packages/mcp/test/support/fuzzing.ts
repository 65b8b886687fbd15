import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect } from 'vitest';

/** The same inputs in each run. A failure reports the seed and the path to the input. */
const seed = Number(process.env.TANDEM_FUZZ_SEED ?? 20_260_101);

/** Runs checks on generated inputs, counts them, and reports leaks. */
export class Fuzzing {
  inputs = 0;

  /** Runs `check` on this many inputs; each may represent several. */
  async run<Input>(
    arbitrary: fc.Arbitrary<Input>,
    runs: number,
    check: (input: Input) => Promise<void> | void,
    countOf: (input: Input) => number = () => 1,
  ): Promise<void> {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (input) => {
        this.inputs += countOf(input);
        await check(input);
      }),
      { seed, numRuns: runs, endOnFailure: true },
    );
  }
}

/** Memory of this process after a full garbage collection. */
export async function measureUse(): Promise<{ readonly bytes: number; readonly handles: number }> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  for (let pass = 0; pass < 3; pass += 1) {
    if (typeof collect === 'function') collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  const held = process.getActiveResourcesInfo().filter((name) => /TCP|Pipe|FS|Process/.test(name));
  return { bytes: heapUsed + external, handles: held.length };
}

/** Fails if memory grew: compiled code and caches account for 8 MiB. */
export async function expectNoGrowth(before: { readonly bytes: number; readonly handles: number }) {
  await expect
    .poll(async () => (await measureUse()).handles, { timeout: 10_000 })
    .toBeLessThanOrEqual(before.handles);
  const after = await measureUse();
  expect((after.bytes - before.bytes) / 1024 / 1024).toBeLessThan(8);
}

/** Characters that often break parsers. */
const oddities = [
  '\r',
  '\n',
  '\0',
  '\t',
  ' ',
  ':',
  ',',
  '@',
  '/',
  '\\',
  '%',
  '"',
  '\x7f',
  '\x80',
  'é',
  '\u202e',
  'ÿ',
];

/** The text with a few pieces removed, duplicated or inserted. */
export function mutated(text: fc.Arbitrary<string>, most = 3): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom('cut', 'double', 'insert', 'flip'),
    length: fc.integer({ min: 1, max: 12 }),
    odd: fc.constantFrom(...oddities),
  });
  return fc.tuple(text, fc.array(edit, { maxLength: most })).map(([whole, edits]) => {
    let result = whole;
    for (const { at, kind, length, odd } of edits) {
      const from = Math.floor(at * result.length);
      const [before, piece, after] = [
        result.slice(0, from),
        result.slice(from, from + length),
        result.slice(from + length),
      ];
      if (kind === 'cut') result = before + after;
      else if (kind === 'double') result = before + piece + piece + after;
      else if (kind === 'insert') result = before + odd + piece + after;
      else result = before + odd + piece.slice(1) + after;
    }
    return result;
  });
}
