import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/anyText.js';
import { conformText } from '../../src/text/conform.js';
import { splitLines } from '../../src/text/lines.js';
import { linedText, normaliseTo } from './textArbitraries.js';

const mixed = '\uFEFFa\r\nb\nc\rd';

describe('conformText', () => {
  it('returns the proposal when only its line ends or its byte order mark differ', () => {
    expect(conformText('a\nb\nc\nd', mixed)).toBe(mixed);
    expect(conformText('\uFEFFa\r\nb\r\nc\r\nd\r\n', mixed)).toBe(mixed);
  });

  it('keeps every line end around an edit in a mixed text', () => {
    expect(conformText('a\nb\nC\nd', mixed)).toBe('\uFEFFa\r\nb\nC\rd');
    expect(conformText('b\nc\nd', mixed)).toBe('\uFEFFb\nc\rd');
    expect(conformText('a\nc\nd', mixed)).toBe('\uFEFFa\r\nc\rd');
  });

  it('keeps the ends of lines that were changed next to each other', () => {
    expect(conformText('a\nB\nC\nD', mixed)).toBe('\uFEFFa\r\nB\nC\rD');
  });

  it('ends an added line like the line before it', () => {
    expect(conformText('a\nx\nb\nc\nd', mixed)).toBe('\uFEFFa\r\nx\r\nb\nc\rd');
    expect(conformText('a\nb\nc\nx\ny\nd', mixed)).toBe('\uFEFFa\r\nb\nc\rx\ry\rd');
    expect(conformText('a\nb\nc\nd\nx', mixed)).toBe('\uFEFFa\r\nb\nc\rd\rx');
  });

  it('ends a first line that was added like most of the proposal', () => {
    expect(conformText('x\na\nb\nc\n', 'a\nb\r\nc\r\n')).toBe('x\r\na\nb\r\nc\r\n');
  });

  it('uses the line end of the original, otherwise LF, when the proposal has none', () => {
    expect(conformText('a\nb', 'a', 'x\r\ny\r\n')).toBe('a\r\nb');
    expect(conformText('a\r\nb', 'a', 'x')).toBe('a\nb');
    expect(conformText('a\r\nb', 'a')).toBe('a\nb');
  });

  it('prefers the line end of the proposal to that of the original', () => {
    expect(conformText('x\na\n', 'a\n', 'a\r\n')).toBe('x\na\n');
  });

  it('keeps the final line end of the proposal, or its lack', () => {
    expect(conformText('A\nb', 'a\nb\n')).toBe('A\nb\n');
    expect(conformText('A\nb\n', 'a\nb')).toBe('A\nb');
    expect(conformText('A', 'a\r\nb\r\n')).toBe('A\r\n');
  });

  it('keeps blank lines that were added at the end of a text without a final line end', () => {
    expect(conformText('a\nb\n\n', 'a\r\nb')).toBe('a\r\nb\r\n\r\n');
  });

  it('leaves an emptied text empty', () => {
    expect(conformText('', '\uFEFFa\r\n')).toBe('');
    expect(conformText('\uFEFF', '\uFEFFa\r\n')).toBe('');
    expect(conformText('', '\n')).toBe('');
  });

  it('does not change the final line end when the proposal has no line', () => {
    expect(conformText('a\nb\n', '')).toBe('a\nb\n');
    expect(conformText('a\nb', '')).toBe('a\nb');
    expect(conformText('a\nb', '\uFEFF', 'x\r')).toBe('\uFEFFa\rb');
  });

  it('does not add a byte order mark that the proposal lacks', () => {
    expect(conformText('\uFEFFA\n', 'a\n')).toBe('A\n');
  });

  it('does not lose an empty line between CR and LF', () => {
    expect(conformText('a\n\nb\n', 'a\rx\n\nb\n')).toBe('a\r\rb\n');
  });

  it('changes no other character', () => {
    const odd = 'NUL \0, \u2028\u2029\u0085\f, \uD83D lone, \u{1F600}';
    expect(conformText(`${odd}\nnew ${odd}`, `${odd}\r\n`)).toBe(`${odd}\r\nnew ${odd}\r\n`);
  });

  it.each(['\n', '\r\n', '\r'] as const)('gives back any proposal whose line ends became %j', (end) => {
    fc.assert(
      fc.property(fc.oneof(anyText, linedText), (proposed) => {
        expect(conformText(normaliseTo(end, proposed), proposed)).toBe(proposed);
        expect(conformText(withoutBom(normaliseTo(end, proposed)), proposed)).toBe(proposed);
        expect(conformText(`\uFEFF${normaliseTo(end, proposed)}`, proposed)).toBe(proposed);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, linedText),
        fc.oneof(anyText, linedText),
        linedText,
        (edited, proposed, original) => {
          const conformed = conformText(edited, proposed, original);
          expect(conformText(conformed, proposed, original)).toBe(conformed);
        },
      ),
    );
  });

  it('does not depend on the line ends and the byte order mark that an editor uses', () => {
    const end = fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const);
    fc.assert(
      fc.property(linedText, linedText, end, (edited, proposed, lineEnd) => {
        fc.pre(proposed !== '');
        const other = normaliseTo(lineEnd, withoutBom(edited));
        expect(conformText(other, proposed)).toBe(conformText(edited, proposed));
      }),
    );
  });

  it('keeps the lines of the edit, and begins and ends like the proposal', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, linedText), fc.oneof(anyText, linedText), (edited, proposed) => {
        const conformed = conformText(edited, proposed);
        const texts = textsWithoutBom(edited);
        expect(textsWithoutBom(conformed)).toEqual(texts);
        if (conformed === '') return;
        expect(bomsOf(conformed)).toBe(bomsOf(proposed));
        if (withoutBom(proposed) === '' || texts.at(-1) === '') return;
        expect(/[\r\n]$/.test(conformed)).toBe(/[\r\n]$/.test(proposed));
      }),
    );
  });

  it('uses only line ends that the proposal has', () => {
    fc.assert(
      fc.property(linedText, linedText, (edited, proposed) => {
        const known = new Set(
          splitLines(proposed)
            .map((line) => line.end)
            .filter((end) => end !== ''),
        );
        fc.pre(known.size > 0);
        const ends = splitLines(conformText(edited, proposed)).map((line) => line.end);
        expect(ends.filter((end) => end !== '' && !known.has(end))).toEqual([]);
      }),
    );
  });
});

const bomsOf = (text: string) => /^\uFEFF*/.exec(text)?.[0];
const withoutBom = (text: string) => text.replace(/^\uFEFF+/, '');
const textsWithoutBom = (text: string) => splitLines(withoutBom(text)).map((line) => line.text);
