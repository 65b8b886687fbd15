import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeAnswer } from '../src/control/encodeAnswer.js';

test('an answer is encoded as JSON, with a pause after each of its values and after some items of its lists', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.boolean(), async (result, hasGap) => {
      const value =
        hasGap && typeof result === 'object' && result !== null && !Array.isArray(result)
          ? { absent: undefined, ...result }
          : result;
      const encoded = await encodeAnswer({ result: value }, () => undefined);
      expect(Buffer.concat(encoded).toString()).toBe(JSON.stringify({ result: value }));
    }),
  );
  for (const result of [
    { original: 'a', proposed: 'b', content: 'c' },
    ['a', 'b', 'c', 'd'],
    { reviews: ['a', 'b', 'c', 'd'] },
  ]) {
    let pauses = 0;
    await encodeAnswer({ result }, async () => {
      pauses += 1;
    });
    expect(pauses).toBeGreaterThanOrEqual(3);
  }
});

test('a long answer consists of few parts, and a text of another alphabet stays whole', async () => {
  const result = Array.from({ length: 20_000 }, (_, at) => ({ path: `/wörkspace/😀/${at}` }));
  const encoded = await encodeAnswer({ result }, () => undefined);
  expect(Buffer.concat(encoded).toString()).toBe(JSON.stringify({ result }));
  expect(encoded.length).toBeLessThan(20);
});

test('a long text is encoded in slices, none of which cuts a character', async () => {
  const text = `${'x'.repeat(256 * 1024 - 1)}${'\u{1f600}'.repeat(2 ** 18)}\ud83d`;
  let pauses = 0;
  const encoded = await encodeAnswer({ result: { text } }, async () => {
    pauses += 1;
  });
  expect(pauses).toBeGreaterThan(3);
  expect(Buffer.concat(encoded).toString()).toBe(JSON.stringify({ result: { text } }));
});

test('long texts in the items of a list are encoded in slices', async () => {
  const text = 'long text\n'.repeat(200_000);
  const file = { path: 'a.txt', before: { kind: 'text', text }, now: { kind: 'text', text } };
  const result = ['first', file, { path: 'b.txt' }, { path: 'c.txt' }, file, [text]];
  let pauses = 0;
  const encoded = await encodeAnswer({ result }, async () => {
    pauses += 1;
  });
  expect(pauses).toBeGreaterThan(4 * 7);
  expect(Buffer.concat(encoded).toString()).toBe(JSON.stringify({ result }));
});

test('a failure is encoded as a whole', async () => {
  const failure = { error: { code: 'refused', message: 'No.' } } as const;
  const encoded = await encodeAnswer(failure, () => undefined);
  expect(JSON.parse(Buffer.concat(encoded).toString())).toEqual(failure);
});
