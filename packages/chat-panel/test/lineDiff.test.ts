import { Change, Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffByLines } from '../src/code/lineDiff.js';

const someText = fc
  .array(fc.constantFrom('', '}', '  a();', '  b();', 'x', 'return 1;', 'ab cd'), { maxLength: 14 })
  .map((lines) => lines.join('\n'));

describe('diffByLines', () => {
  it('turns one text into the other', () => {
    void fc.assert(
      fc.property(someText, someText, (a, b) => {
        let result = '';
        let at = 0;
        for (const { fromA, toA, fromB, toB } of diffByLines(a, b)) {
          result += a.slice(at, fromA) + b.slice(fromB, toB);
          at = toA;
        }
        expect(result + a.slice(at)).toBe(b);
      }),
    );
  });

  it('keeps what it calls unchanged in the same order', () => {
    void fc.assert(
      fc.property(someText, someText, (a, b) => {
        const changes = diffByLines(a, b);
        for (const [at, { fromA, fromB }] of changes.entries()) {
          const before = changes[at - 1];
          const [startA, startB] = [before?.toA ?? 0, before?.toB ?? 0];
          expect(a.slice(startA, fromA)).toBe(b.slice(startB, fromB));
        }
      }),
    );
  });

  it('marks the words of a line that changed', () => {
    const [change, ...others] = diffByLines('one\ntwo three four\nfive\n', 'one\ntwo 3 four\nfive\n');
    expect(others).toEqual([]);
    expect(change).toMatchObject({ fromA: 8, toA: 13, fromB: 8, toB: 9 });
  });

  it('marks whole lines where nothing in them is alike', () => {
    const [change] = diffByLines('one\nabcdef\nfive\n', 'one\n123456\nfive\n');
    expect(change).toMatchObject({ fromA: 4, toA: 11, fromB: 4, toB: 11 });
  });

  it('marks the words that changed in a very long line', () => {
    const words = Array.from({ length: 5_000 }, (_, at) => `word${at}`);
    const changed = words.with(100, 'FIRST').with(4_900, 'SECOND');
    const before = `${words.join(' ')}\n`;
    const after = `${changed.join(' ')}\n`;
    const marked = diffByLines(`one\n${before}`, `one\n${after}`).map(({ fromB, toB }) =>
      `one\n${after}`.slice(fromB, toB),
    );
    expect(marked).toEqual(['FIRST', 'SECOND']);
  });

  it('marks a very long line as a whole where nothing in it is alike', () => {
    const [before, after] = ['ab', 'xy'].map((letters) => `${letters.repeat(100_000)}\n`);
    const changes = diffByLines(before ?? '', after ?? '');
    expect(changes).toEqual([new Change(0, 200_001, 0, 200_001)]);
  });

  it('keeps thousands of rewritten lines apart', () => {
    const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line} of the file`);
    const changed = lines.map((line, at) => (at % 2 === 0 ? line.replace('line', 'row') : line));
    const build = () => Chunk.build(Text.of(lines), Text.of(changed), { override: diffByLines });
    expect(build()).toHaveLength(10_000);
  });

  it('distinguishes more lines than there are characters', () => {
    const lines = Array.from({ length: 70_000 }, (_, line) => `${line}`);
    const changed = [...lines.slice(1), 'new'];
    const text = changed.join('\n');
    const changes = diffByLines(lines.join('\n'), text);
    let result = '';
    let at = 0;
    for (const { fromA, toA, fromB, toB } of changes) {
      result += lines.join('\n').slice(at, fromA) + text.slice(fromB, toB);
      at = toA;
    }
    expect(result + lines.join('\n').slice(at) === text).toBe(true);
  });
});
