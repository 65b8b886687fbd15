import { expect, test } from 'vitest';
import { createToken, tokensEqual } from '../src/index.js';

test.each([
  [32, 43],
  [64, 86],
] as const)('a token of %i bytes has %i characters of base64url without padding', (bytes, length) => {
  const token = createToken(bytes);
  expect(token).toMatch(/^[\w-]+$/);
  expect(token).toHaveLength(length);
  expect(Buffer.from(token, 'base64url')).toHaveLength(bytes);
});

test('each token is different', () => {
  expect(new Set(Array.from({ length: 100 }, () => createToken(32))).size).toBe(100);
});

test('a token equals only itself, whatever the lengths', () => {
  expect(tokensEqual('abc', 'abc')).toBe(true);
  expect(tokensEqual('abc', 'abd')).toBe(false);
  expect(tokensEqual('abc', 'abcd')).toBe(false);
  expect(tokensEqual('', 'a')).toBe(false);
});
