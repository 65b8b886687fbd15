import fc from 'fast-check';
import { diff3MergeRegions } from 'node-diff3';
import { describe, expect, it } from 'vitest';
import { mergeText } from '../../src/text/merge.js';
import { linedText, lineTexts, normaliseTo, numberedLines } from './textArbitraries.js';

const base = 'a\nb\nc\nd\ne\n';

describe('mergeText', () => {
  it('joins changes of different lines', () => {
    expect(mergeText(base, 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\nf\n')).toEqual({
      ok: true,
      text: 'A\nb\nc\nd\nE\nf\n',
    });
    expect(mergeText(base, 'a\nc\nd\ne\n', 'a\nb\nc\nx\nd\ne\n')).toEqual({
      ok: true,
      text: 'a\nc\nx\nd\ne\n',
    });
  });

  it('applies a change that both sides made only once', () => {
    expect(mergeText(base, 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\nE\n')).toEqual({
      ok: true,
      text: 'a\nB\nc\nd\nE\n',
    });
  });

  it('reports a conflict with the lines of each side, and keeps mine', () => {
    expect(mergeText(base, 'new\na\nb\nC\nC2\nd\ne\n', 'a\nb\nX\nd\nE\n')).toEqual({
      ok: false,
      text: 'new\na\nb\nC\nC2\nd\nE\n',
      conflicts: [{ mine: { start: 3, count: 2 }, theirs: { start: 2, count: 1 } }],
    });
  });

  it('has a conflict where changes touch, or have the same position', () => {
    expect(mergeText(base, 'a\nB\nc\nd\ne\n', 'a\nb\nC\nd\ne\n')).toMatchObject({
      conflicts: [{ mine: { start: 1, count: 2 }, theirs: { start: 1, count: 2 } }],
    });
    expect(mergeText(base, 'a\nx\nb\nc\nd\ne\n', 'a\ny\nb\nc\nd\ne\n')).toMatchObject({
      conflicts: [{ mine: { start: 1, count: 1 }, theirs: { start: 1, count: 1 } }],
    });
  });

  it('is in conflict where one side deletes what the other changes', () => {
    expect(mergeText(base, '', 'a\nb\nC\nd\ne\n')).toEqual({
      ok: false,
      text: '',
      conflicts: [{ mine: { start: 0, count: 0 }, theirs: { start: 0, count: 5 } }],
    });
  });

  it('finds several conflicts, each where it is', () => {
    const result = mergeText(base, 'A\nb\nc\nd\ne1\n', 'aa\nb\nnew\nc\nd\ne2\n');
    expect(result).toEqual({
      ok: false,
      text: 'A\nb\nnew\nc\nd\ne1\n',
      conflicts: [
        { mine: { start: 0, count: 1 }, theirs: { start: 0, count: 1 } },
        { mine: { start: 4, count: 1 }, theirs: { start: 5, count: 1 } },
      ],
    });
  });

  it('merges converted line ends with changed lines', () => {
    const crlf = normaliseTo('\r\n', base);
    expect(mergeText(base, crlf, 'a\nb\nX\nd\ne\n')).toEqual({ ok: true, text: 'a\r\nb\r\nX\r\nd\r\ne\r\n' });
    expect(mergeText(base, 'a\nb\nX\nd\ne\n', crlf)).toEqual({ ok: true, text: 'a\r\nb\r\nX\r\nd\r\ne\r\n' });
  });

  it('keeps the ends of added lines when nothing was converted', () => {
    const partly = mergeText('a\nb\nc\n', 'a\r\nb\r\nc\n', 'a\nb\nc\nd\n');
    expect(partly).toEqual({ ok: true, text: 'a\r\nb\r\nc\nd\n' });
    const unified = mergeText('a\nb\r\nc\n', 'a\r\nb\r\nc\r\n', 'a\nb\r\nc\nd\n');
    expect(unified).toEqual({ ok: true, text: 'a\r\nb\r\nc\r\nd\n' });
  });

  it('takes the end of a line from the side that changed it, from mine when both did', () => {
    expect(mergeText('a\nb\n', 'a\r\nb\n', 'a\nb\r')).toEqual({ ok: true, text: 'a\r\nb\r' });
    expect(mergeText('a\nb\n', 'a\r\nb\n', 'a\rb\n')).toEqual({ ok: true, text: 'a\r\nb\n' });
  });

  it('merges byte order mark and final line end', () => {
    expect(mergeText('a\nb\n', '\uFEFFa\nb\n', 'a\nb')).toEqual({ ok: true, text: '\uFEFFa\nb' });
    expect(mergeText('\uFEFFa\nb', 'a\nb', '\uFEFFa\nb\n')).toEqual({ ok: true, text: 'a\nb\n' });
    expect(mergeText('\uFEFFa\nb\n', '\uFEFFA\nb\n', '\uFEFFa\nb')).toEqual({ ok: true, text: '\uFEFFA\nb' });
  });

  it('takes a line end that a side added for a line that the other side changed', () => {
    expect(mergeText('a', 'a\r\n', 'b')).toEqual({ ok: true, text: 'b\r\n' });
    expect(mergeText('a', 'b', 'a\r\n')).toEqual({ ok: true, text: 'b\r\n' });
  });

  it('ignores a text without lines for the final line end', () => {
    expect(mergeText('', '\uFEFFa\r\n', 'a')).toEqual({ ok: true, text: '\uFEFFa\r\n' });
  });

  it('gives the empty text when no line is left', () => {
    expect(mergeText('\uFEFFa', '\uFEFF', '\uFEFFa\n')).toEqual({ ok: true, text: '' });
  });

  it('returns a byte order mark alone when the other side did not change', () => {
    expect(mergeText('a', '\uFEFF', 'a')).toEqual({ ok: true, text: '\uFEFF' });
    expect(mergeText('a', 'a', '\uFEFF')).toEqual({ ok: true, text: '\uFEFF' });
  });

  it('gives the changed side byte for byte when the other did not change', () => {
    fc.assert(
      fc.property(linedText, linedText, (before, after) => {
        expect(mergeText(before, after, before)).toEqual({ ok: true, text: after });
        expect(mergeText(before, before, after)).toEqual({ ok: true, text: after });
        expect(mergeText(before, after, after)).toEqual({ ok: true, text: after });
      }),
    );
  });

  it('gives the lines of the changed side when the other changed only how lines end', () => {
    const end = fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const);
    fc.assert(
      fc.property(linedText, linedText, end, (before, after, lineEnd) => {
        const converted = normaliseTo(lineEnd, before);
        const [one, other] = [mergeText(before, converted, after), mergeText(before, after, converted)];
        expect([one.ok, other.ok]).toEqual([true, true]);
        expect(lineTexts(one.text)).toEqual(lineTexts(after));
        expect(lineTexts(other.text)).toEqual(lineTexts(after));
      }),
    );
  });

  it('has the same conflicts from both sides, with the lines of each', () => {
    fc.assert(
      fc.property(linedText, linedText, linedText, (before, one, other) => {
        const result = mergeText(before, one, other);
        const mirrored = mergeText(before, other, one);
        expect(mirrored.ok).toBe(result.ok);
        if (result.ok || mirrored.ok) {
          expect(lineTexts(mirrored.text)).toEqual(lineTexts(result.text));
          return;
        }
        expect(mirrored.conflicts.map(({ mine, theirs }) => ({ mine: theirs, theirs: mine }))).toEqual(
          result.conflicts,
        );
        for (const { mine, theirs } of result.conflicts) {
          const ours = lineTexts(one).slice(mine.start, mine.start + mine.count);
          expect(ours).not.toEqual(lineTexts(other).slice(theirs.start, theirs.start + theirs.count));
        }
      }),
    );
  });

  it('agrees with node-diff3 wherever there is only one way to align the texts', () => {
    const edit = fc.constantFrom('keep', 'keep', 'keep', 'delete', 'replace', 'insert');
    const edits = fc.array(fc.tuple(edit, edit, fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(edits, (choices) => {
        const before = choices.map((_, at) => `line ${at}`);
        const one = choices.flatMap(([mine], at) => edited(`line ${at}`, mine, 'mine'));
        const other = choices.flatMap(([, theirs, isSame], at) =>
          edited(`line ${at}`, theirs, isSame ? 'mine' : 'theirs'),
        );
        const expected = diff3MergeRegions(one, before, other);
        const conflicts = expected.flatMap((region) =>
          region.stable || region.aContent.join('\n') === region.bContent.join('\n')
            ? []
            : [
                {
                  mine: { start: region.aStart, count: region.aLength },
                  theirs: { start: region.bStart, count: region.bLength },
                },
              ],
        );
        const lines = expected.flatMap((region) => (region.stable ? region.bufferContent : region.aContent));
        const text = terminated(lines);
        expect(mergeText(terminated(before), terminated(one), terminated(other))).toEqual(
          conflicts.length === 0 ? { ok: true, text } : { ok: false, text, conflicts },
        );
      }),
      { numRuns: 300 },
    );
  });

  it('merges 137,000 lines, and 10,000 of which many are blank', () => {
    const long = numberedLines(137_000);
    expect(mergeText(long, `new\n${long}`, `${long}end\n`)).toEqual({ ok: true, text: `new\n${long}end\n` });
    const blank = long.slice(0, long.indexOf('line 10000\n')).replaceAll(/^line \d*[036]$/gm, '');
    expect(mergeText(blank, `new\n${blank}`, `${blank}end\n`)).toEqual({
      ok: true,
      text: `new\n${blank}end\n`,
    });
  });
});

function edited(line: string, edit: string, author: string): string[] {
  if (edit === 'delete') return [];
  if (edit === 'replace') return [`${line} by ${author}`];
  return edit === 'insert' ? [`before ${line} by ${author}`, line] : [line];
}

const terminated = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
