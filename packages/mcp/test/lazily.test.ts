import { expect, test } from 'vitest';
import { lazily } from '../src/lazily.js';

test('makes the value once, and again only after a failure', async () => {
  let begun = 0;
  const ask = lazily(async () => {
    begun += 1;
    if (begun === 1) throw new Error('first');
    return begun;
  });
  const [one, other] = [ask(), ask()];
  await expect(one).rejects.toThrow('first');
  await expect(other).rejects.toThrow('first');
  expect([await ask(), await ask(), begun]).toEqual([2, 2, 2]);
});
