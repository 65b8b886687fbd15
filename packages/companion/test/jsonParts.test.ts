import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonParts } from '../src/jsonParts.js';

const written = (value: unknown): string => [...jsonParts(value)].join('');

describe('JSON in parts', () => {
  it('says what JSON in one piece says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(written(value)).toBe(JSON.stringify(value));
      }),
    );
    expect(written({ a: undefined, b: [1, null], c: { d: undefined } })).toBe('{"b":[1,null],"c":{}}');
  });

  it('holds every character of a text that it cuts, wherever the cuts fall', () => {
    const large = `a${'😀"\n'.repeat(700_000)}`;
    const parts = [...jsonParts({ large, after: 1 })];
    expect(parts.length).toBeGreaterThan(2);
    expect(JSON.parse(parts.join('')).large === large).toBe(true);
  });
});
