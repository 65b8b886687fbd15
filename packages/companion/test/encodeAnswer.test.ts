import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeAnswer } from '../src/control/encodeAnswer.js';

test('an answer is encoded as JSON, with a pause after each of its values', async () => {
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
  let pauses = 0;
  await encodeAnswer({ result: { original: 'a', proposed: 'b', content: 'c' } }, async () => {
    pauses += 1;
  });
  expect(pauses).toBe(3);
});

test('a failure is encoded as a whole', async () => {
  const failure = { error: { code: 'refused', message: 'No.' } } as const;
  const encoded = await encodeAnswer(failure, () => undefined);
  expect(JSON.parse(Buffer.concat(encoded).toString())).toEqual(failure);
});
