import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/anyCharacter.js';
import { visibleJson, visibleLines, visibleName, visibleText } from '../src/index.js';

describe('visibleName', () => {
  it.each([
    ['a plain name', 'src/a b-c_1.ts', 'src/a b-c_1.ts'],
    ['letters of any script', 'größe/文件.ts', 'größe/文件.ts'],
    ['an emoji outside of the first plane', 'a😀.ts', 'a😀.ts'],
    ['a joiner within an emoji', '👩‍💻 e\u0301', '👩‍💻 e\u0301'],
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
    ['a joiner elsewhere', 'a\u200db', 'a⟨200D⟩b'],
    ['half of a pair', 'a\ud800', 'a⟨D800⟩'],
    ['fillers', 'a\u3164b\u2800', 'a⟨3164⟩b⟨2800⟩'],
    ['a tag', 'a\u{e0041}', 'a⟨E0041⟩'],
  ])('makes %s visible', (_what, name, shown) => {
    expect(visibleName(name)).toBe(shown);
  });
});

describe('visibleText', () => {
  it.each([
    ['lines and tabs', 'if a; then\n\tb\n\n\nfi', 'if a; then\n\tb\n\n\nfi'],
    ['an indent', `${' '.repeat(39)}x`, `${' '.repeat(39)}x`],
  ])('leaves %s', (_what, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it.each([
    ['an override of direction', 'touch \u202etxt.exe\nb', 'touch ⟨202E⟩txt.exe\nb'],
    ['a carriage return', 'ls\rrm -rf ~', 'ls␍rm -rf ~'],
    ['empty lines that push the rest away', `ls${'\n'.repeat(300)}rm`, 'ls\n⟨299 empty lines⟩\nrm'],
    ['lines of spaces', `ls\n${'  \n'.repeat(100)}rm`, 'ls\n⟨100 empty lines⟩\nrm'],
    ['lines of wide spaces', `ls\n${'\u3000\n'.repeat(100)}rm`, 'ls\n⟨100 empty lines⟩\nrm'],
    ['no-break spaces that push the rest away', `ls${'\u00a0'.repeat(500)}; rm`, 'ls ⟨500 spaces⟩ ; rm'],
    ['spaces that push the rest away', `ls${' '.repeat(500)}; rm`, 'ls ⟨500 spaces⟩ ; rm'],
  ])('makes %s visible', (_what, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });
});

describe('visibleLines', () => {
  it('keeps line ends, tabs and joiners', () => {
    expect(visibleLines('a\n\tb\r\n')).toBe('a\n\tb␍\n');
    expect(visibleLines('می\u200cخواهم')).toBe('می\u200cخواهم');
  });

  it('shows what controls a terminal or reorders text', () => {
    expect(visibleLines('a\u001b[2J\u202eb\u2028')).toBe('a␛[2J⟨202E⟩b⟨2028⟩');
  });
});

describe('visibleJson', () => {
  it('shows no control character, and parses to the same value', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const shown = visibleJson(JSON.stringify({ text }, undefined, 2));
        expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
        expect(JSON.parse(shown)).toEqual({ text });
      }),
    );
  });
});
