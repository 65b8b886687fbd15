import { describe, expect, it } from 'vitest';
import { visibleName } from '../src/app/visibleName.js';

describe('visibleName', () => {
  it.each([
    ['a plain name', 'src/a b-c_1.ts', 'src/a b-c_1.ts'],
    ['letters of any script', 'größe/文件.ts', 'größe/文件.ts'],
    ['an emoji outside of the first plane', 'a😀.ts', 'a😀.ts'],
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('leaves %s', (_what, name, shown) => {
    expect(visibleName(name)).toBe(shown);
  });

  it.each([
    ['a line end', 'a\nb', 'a␊b'],
    ['an escape', '\u001b[31m', '␛[31m'],
    ['delete', 'a\u007f', 'a␡'],
    ['a C1 control', 'a\u0085b', 'a⟨0085⟩b'],
    ['an override of direction', 'ev\u202eil.ts', 'ev⟨202E⟩il.ts'],
    ['an isolate', '\u2066a\u2069', '⟨2066⟩a⟨2069⟩'],
    ['what has no width', 'a\u200bb\ufeff', 'a⟨200B⟩b⟨FEFF⟩'],
    ['half of a pair', 'a\ud800', 'a⟨D800⟩'],
  ])('makes %s visible', (_what, name, shown) => {
    expect(visibleName(name)).toBe(shown);
  });
});
