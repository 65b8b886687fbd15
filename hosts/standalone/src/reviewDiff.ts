import type { ReviewDetails } from '@tandem/companion/control';
import { visibleLines } from '@tandem/core';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { functionBefore, paintChange, paintPatch } from './diffPaint.js';
import { cutChange, cutUnchanged } from './longLines.js';
import { commandName, paint } from './output.js';
import { reviewLine, shortPath } from './reviewText.js';

/** Unchanged lines around each hunk. */
const contextLines = 3;
/** A diff that takes longer, in milliseconds, is not shown. */
const diffLimitMs = 2_000;

/** A review for the terminal: its line, its notes, and the diff with numbered hunks. */
export function reviewDiff(review: ReviewDetails, cwd: string): string {
  const notes = review.notes.map(({ isWarning, text }) => (isWarning ? paint('yellow', text) : text));
  const merge = `To merge both versions, with conflict markers: ${commandName} review update ${review.id} --conflicts`;
  const canMerge = review.state === 'pending' && review.notes.some(({ kind }) => kind === 'conflict');
  const about = [...(review.end ? [review.end.text] : []), ...notes, ...(canMerge ? [merge] : [])];
  const head = [reviewLine(review, cwd), ...about.map((line) => `     ${line}`)];
  if (review.isBinary) {
    return [...head, `     See the new text with: ${commandName} review show ${review.id} --content`].join(
      '\n',
    );
  }
  const name = shortPath(review.path, cwd);
  const files = [`--- ${review.isNewFile ? '/dev/null' : name}`, `+++ ${name}`].map((line) =>
    paint('bold', line),
  );
  return [...head, ...files, ...(isEditedByHand(review) ? editedLines(review) : hunkLines(review))].join(
    '\n',
  );
}

/** Whether the text was edited other than by keeping and dropping hunks. */
function isEditedByHand(review: ReviewDetails): boolean {
  const original = linesOf(review.original ?? '');
  const proposed = linesOf(review.proposed);
  const composed: string[][] = [];
  let at = 0;
  for (const { original: gone, proposed: come, isKept } of review.hunkList) {
    composed.push(original.slice(at, gone.start));
    composed.push(isKept ? linesIn(proposed, come) : linesIn(original, gone));
    at = gone.start + gone.count;
  }
  composed.push(original.slice(at));
  return composed.flat().join('\n') !== linesOf(review.content).join('\n');
}

/** Each hunk separately, with its number. */
function hunkLines(review: ReviewDetails): string[] {
  const original = linesOf(review.original ?? '');
  const proposed = linesOf(review.proposed);
  const total = review.hunkList.length;
  if (total === 0) return ['No line changes.'];
  const blocks: string[][] = [];
  let shown = 0;
  let shift = 0;
  for (const [index, { original: gone, proposed: come, isKept }] of review.hunkList.entries()) {
    const title = `hunk ${index + 1} of ${total}`;
    const cut = cutChange(linesIn(original, gone), linesIn(proposed, come));
    if (!isKept) {
      blocks.push([paint('cyan', `@@ ${title}, dropped: the file keeps its lines @@`)]);
      const lines = [...marked('-', cut.out), ...marked('+', cut.into)];
      blocks.push(painted('dim', marked('#', lines)));
      continue;
    }
    const end = gone.start + gone.count;
    const next = review.hunkList[index + 1]?.original.start ?? original.length;
    const before = original.slice(Math.max(shown, gone.start - contextLines), gone.start);
    const after = original.slice(end, Math.min(next, end + contextLines));
    const from = gone.start - before.length;
    const heading = functionBefore(original, from);
    const oldSpan = span(from, before.length + gone.count + after.length);
    const newSpan = span(from + shift, before.length + come.count + after.length);
    blocks.push(
      [
        `${paint('cyan', `@@ -${oldSpan} +${newSpan} @@ ${title}`)}${heading === '' ? '' : `  ${visibleLines(heading)}`}`,
      ],
      marked(' ', before.map(cutUnchanged)),
    );
    const change = paintChange(cut.out, cut.into);
    blocks.push(change.out, change.into, marked(' ', after.map(cutUnchanged)));
    shown = end + after.length;
    shift += come.count - gone.count;
  }
  return blocks.flat();
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => `${mark}${visibleLines(line)}`);
}

function painted(style: Parameters<typeof paint>[0], lines: readonly string[]): string[] {
  return lines.map((line) => paint(style, line));
}

function linesIn(
  lines: readonly string[],
  { start, count }: { readonly start: number; readonly count: number },
): string[] {
  return lines.slice(start, start + count);
}

/** The difference between the file and the edited text. */
function editedLines(review: ReviewDetails): string[] {
  const options = { context: contextLines, timeout: diffLimitMs, headerOptions: FILE_HEADERS_ONLY };
  // Every line with an end: the notes report a missing one.
  const [before = '', after = ''] = [review.original ?? '', review.content].map((text) =>
    linesOf(text)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const patch = createTwoFilesPatch('', '', before, after, undefined, undefined, options);
  if (patch === undefined)
    return [
      `The proposal is too large for a diff. To see its text: ${commandName} review show ${review.id} --content`,
    ];
  const states = review.hunkList.map(({ isKept }, index) => `${index + 1} ${isKept ? 'kept' : 'dropped'}`);
  return [
    ...paintPatch(cutPatch(patch.replace(/\n$/, '').split('\n').slice(2))),
    paint('yellow', `Edited by hand. Hunks of the proposal: ${states.join(', ') || 'none'}.`),
  ];
}

/** Shortens long lines of a patch, in which added lines follow the removed ones. */
function cutPatch(lines: readonly string[]): string[] {
  const cut: string[] = [];
  const run = (from: number, mark: string): string[] => {
    const end = lines.findIndex((line, at) => at >= from && !line.startsWith(mark));
    return lines.slice(from, end < 0 ? lines.length : end);
  };
  for (let at = 0; at < lines.length; ) {
    const out = run(at, '-');
    const into = run(at + out.length, '+');
    const change = cutChange(out, into);
    cut.push(...change.out, ...change.into);
    at += out.length + into.length;
    const line = lines[at];
    if (out.length + into.length > 0 || line === undefined) continue;
    cut.push(cutUnchanged(line));
    at += 1;
  }
  return cut;
}

/** Lines without their ends, as hunks count them. The notes report line ends and the byte order mark. */
function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** `start,count` of a unified diff, counted from 1; an empty span has the number of the line before it. */
function span(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}
