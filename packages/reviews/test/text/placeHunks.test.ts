import { describe, expect, it } from 'vitest';
import { composeHunks, computeHunks } from '../../src/text/hunks.js';
import { placeHunks } from '../../src/text/placeHunks.js';
import { finish } from '../../src/text/steps.js';

const original = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const proposed = 'ONE\none and a half\ntwo\nfour\nfive\nSIX\n';
const hunks = computeHunks(original, proposed);

function placed(kept: readonly boolean[], edit: (composed: string) => string = (text) => text) {
  const composed = composeHunks(original, proposed, hunks, kept);
  const content = edit(composed);
  const lines = content.split('\n');
  return finish(placeHunks(hunks, kept, composed, content)).map((line) => lines[line]);
}

describe('placeHunks', () => {
  it('finds changed and added lines where they stand, and a deletion before the line that follows it', () => {
    expect(placed([true, true, true])).toEqual(['ONE', 'four', 'SIX']);
  });

  it('finds a dropped hunk at the restored lines', () => {
    expect(placed([false, true, true])).toEqual(['one', 'four', 'SIX']);
    expect(placed([true, false, true])).toEqual(['ONE', 'three', 'SIX']);
    expect(placed([false, false, false])).toEqual(['one', 'three', 'six']);
  });

  it('follows lines that move because others were added or removed by hand', () => {
    expect(placed([true, true, true], (text) => `new\nlines\n${text}`)).toEqual(['ONE', 'four', 'SIX']);
    expect(placed([true, true, true], (text) => text.replace('two\n', ''))).toEqual(['ONE', 'four', 'SIX']);
    expect(placed([true, false, true], (text) => text.replace('five\n', 'five\n5.5\n'))).toEqual([
      'ONE',
      'three',
      'SIX',
    ]);
  });

  it('keeps the position of a hunk whose own lines were edited', () => {
    expect(placed([true, true, true], (text) => text.replace('SIX', 'by hand'))).toEqual([
      'ONE',
      'four',
      'by hand',
    ]);
    expect(placed([true, true, true], (text) => text.replace('ONE\none and a half\n', ''))).toEqual([
      'two',
      'four',
      'SIX',
    ]);
  });

  it('stays within an emptied text', () => {
    expect(placed([true, true, true], () => '')).toEqual(['', '', '']);
  });
});
