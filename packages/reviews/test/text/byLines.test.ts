import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/anyText.js';
import { conformText } from '../../src/text/conform.js';
import { droppedHunks, reapplyDropped } from '../../src/text/droppedHunks.js';
import { composeHunks, computeHunks } from '../../src/text/hunks.js';
import { finish } from '../../src/text/steps.js';
import { composeByLines, conformByLines } from './byLines.js';
import { linedText, normaliseTo } from './textArbitraries.js';

const end = fc.constantFrom('\n', '\r\n', '\r');
/** Texts that have one kind of line end, and others. */
const uniformText = fc.tuple(linedText, end).map(([text, lineEnd]) => normaliseTo(lineEnd as '\n', text));
const someText = fc.oneof(uniformText, uniformText, linedText, anyText);
const many = { numRuns: 2000 };

describe('the way without single lines', () => {
  it('gives an edited text the same ends as line by line', () => {
    fc.assert(
      fc.property(someText, someText, someText, (edited, proposed, original) => {
        expect(conformText(edited, proposed, original)).toBe(conformByLines(edited, proposed, original));
      }),
      many,
    );
  });

  it('composes the same text as line by line', () => {
    fc.assert(
      fc.property(someText, someText, fc.infiniteStream(fc.boolean()), (original, proposed, decisions) => {
        const hunks = computeHunks(original, proposed);
        const kept = hunks.map(() => decisions.next().value === true);
        expect(composeHunks(original, proposed, hunks, kept)).toBe(
          composeByLines(original, proposed, hunks, kept),
        );
      }),
      many,
    );
  });

  it('finds dropped hunks again in their order, each once', () => {
    fc.assert(
      fc.property(linedText, linedText, linedText, fc.infiniteStream(fc.boolean()), (a, b, c, decisions) => {
        const hunks = computeHunks(a, b);
        const kept = hunks.map(() => decisions.next().value === true);
        const dropped = finish(droppedHunks(a, b, hunks, kept));
        const later = computeHunks(c, b);
        const none = later.map(() => false);
        const texts = finish(droppedHunks(c, b, later, none));
        let next = 0;
        const expected = texts.map((text) => {
          const found = dropped.indexOf(text, next);
          if (found < 0) return true;
          next = found + 1;
          return false;
        });
        expect(finish(reapplyDropped(c, b, later, dropped))).toEqual(expected);
      }),
      many,
    );
  });
});
