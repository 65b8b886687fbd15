import type { Hunk } from '../../src/text/hunks.js';
import { joinLines, replaceLines, takeEndsOf } from '../../src/text/joinLines.js';
import { findLineChanges } from '../../src/text/lineChanges.js';
import { dominantLineEnd, type Line, linesIn, linesOf, splitBom, splitLines } from '../../src/text/lines.js';
import { finish } from '../../src/text/steps.js';

/** `conformText`, line by line for every text. */
export function conformByLines(edited: string, proposed: string, original = ''): string {
  if (edited === proposed) return proposed;
  const [bom, proposedBody] = splitBoms(proposed);
  const proposedLines = splitLines(proposedBody);
  const editedLines = splitLines(splitBoms(edited)[1]);
  const changes = findLineChanges(proposedLines, editedLines);
  if (changes.length === 0) return proposed;

  const lines = replaceLines(
    proposedLines,
    changes.map((change) => ({
      span: change.from,
      lines: takeEndsOf(linesIn(proposedLines, change.from), linesIn(editedLines, change.to)),
    })),
  );
  const hasFinalLineEnd = (proposedLines.at(-1) ?? editedLines.at(-1))?.end !== '';
  const text = joined(lines, hasFinalLineEnd, proposed, original);
  return text === '' ? '' : bom + text;
}

function joined(
  lines: readonly Line[],
  hasFinalLineEnd: boolean,
  proposed: string,
  original: string,
): string {
  const lineEnd = dominantLineEnd(proposed) ?? dominantLineEnd(original) ?? '\n';
  return finish(joinLines(lines, { hasFinalLineEnd, lineEnd }));
}

function splitBoms(text: string): [boms: string, body: string] {
  const body = text.replace(/^\uFEFF+/, '');
  return [text.slice(0, text.length - body.length), body];
}

/** `composeHunks`, line by line for every text. */
export function composeByLines(
  original: string,
  proposed: string,
  hunks: readonly Hunk[],
  kept: readonly boolean[],
): string {
  const dropped = hunks.filter((_, at) => !kept[at]);
  if (dropped.length === 0) return proposed;

  const originalLines = linesOf(original);
  const proposedLines = linesOf(proposed);
  const areEndsKept = compareUnchangedEnds(originalLines, proposedLines, hunks) === 'same';
  const lines = replaceLines(
    proposedLines,
    dropped.map((hunk) => ({
      span: hunk.proposed,
      lines: areEndsKept
        ? linesIn(originalLines, hunk.original)
        : takeEndsOf(linesIn(proposedLines, hunk.proposed), linesIn(originalLines, hunk.original)),
    })),
  );
  const hasFinalLineEnd = (proposedLines.at(-1) ?? originalLines.at(-1))?.end !== '';
  const text = joined(lines, hasFinalLineEnd, proposed, original);
  return text === '' ? '' : splitBom(proposed).bom + text;
}

/** Compares the ends of the lines outside all hunks. `unknown`: there is no such line that has an end in both. */
function compareUnchangedEnds(
  original: readonly Line[],
  proposed: readonly Line[],
  hunks: readonly Hunk[],
): 'same' | 'different' | 'unknown' {
  let result: 'same' | 'unknown' = 'unknown';
  let at = 0;
  let shift = 0;
  for (const { original: gone, proposed: come } of [...hunks, endOf(original, proposed)]) {
    for (; at < gone.start; at++) {
      const before = original[at]?.end ?? '';
      const after = proposed[at + shift]?.end ?? '';
      if (before === '' || after === '') continue;
      if (before !== after) return 'different';
      result = 'same';
    }
    at += gone.count;
    shift += come.count - gone.count;
  }
  return result;
}

function endOf(original: readonly Line[], proposed: readonly Line[]): Omit<Hunk, 'index'> {
  return { original: { start: original.length, count: 0 }, proposed: { start: proposed.length, count: 0 } };
}
