import type { ReviewDetails } from '@tandem/companion/control';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { commandName, paint } from './output.js';
import { reviewLine, shortPath } from './reviewText.js';
import { visibleLines } from './visible.js';

/** Unchanged lines around each hunk. */
const contextLines = 3;
/** A diff that takes longer is not shown. */
const diffLimitMs = 2_000;

/** The review as a person decides on it: what it is, what lines do not show, and the diff with its hunks numbered. */
export function reviewDiff(review: ReviewDetails, cwd: string): string {
  const head = [reviewLine(review, cwd), ...review.notes.map((note) => paint('yellow', `     ${note}`))];
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

/** Whether the text is another than keeping and dropping hunks makes it. */
function isEditedByHand(review: ReviewDetails): boolean {
  const original = linesOf(review.original ?? '');
  const proposed = linesOf(review.proposed);
  const composed: string[] = [];
  let at = 0;
  for (const { original: gone, proposed: come, isKept } of review.hunkList) {
    composed.push(...original.slice(at, gone.start));
    at = gone.start + gone.count;
    composed.push(
      ...(isKept ? proposed.slice(come.start, come.start + come.count) : original.slice(gone.start, at)),
    );
  }
  composed.push(...original.slice(at));
  return composed.join('\n') !== linesOf(review.content).join('\n');
}

/** Each hunk by itself, so that it can be kept or dropped by its number. */
function hunkLines(review: ReviewDetails): string[] {
  const original = linesOf(review.original ?? '');
  const proposed = linesOf(review.proposed);
  const total = review.hunkList.length;
  if (total === 0) return ['No line changes.'];
  const lines: string[] = [];
  let shown = 0;
  let shift = 0;
  for (const [index, { original: gone, proposed: come, isKept }] of review.hunkList.entries()) {
    const title = `hunk ${index + 1} of ${total}`;
    const out = original.slice(gone.start, gone.start + gone.count).map((line) => `-${visibleLines(line)}`);
    const into = proposed.slice(come.start, come.start + come.count).map((line) => `+${visibleLines(line)}`);
    if (!isKept) {
      lines.push(paint('cyan', `@@ ${title}, dropped: the file keeps its lines @@`));
      lines.push(...[...out, ...into].map((line) => paint('dim', `#${line}`)));
      continue;
    }
    const end = gone.start + gone.count;
    const next = review.hunkList[index + 1]?.original.start ?? original.length;
    const before = original.slice(Math.max(shown, gone.start - contextLines), gone.start);
    const after = original.slice(end, Math.min(next, end + contextLines));
    const from = gone.start - before.length;
    const oldSpan = span(from, before.length + gone.count + after.length);
    const newSpan = span(from + shift, before.length + come.count + after.length);
    lines.push(paint('cyan', `@@ -${oldSpan} +${newSpan} @@ ${title}`));
    lines.push(...before.map((line) => ` ${visibleLines(line)}`));
    lines.push(...out.map((line) => paint('red', line)), ...into.map((line) => paint('green', line)));
    lines.push(...after.map((line) => ` ${visibleLines(line)}`));
    shown = end + after.length;
    shift += come.count - gone.count;
  }
  return lines;
}

/** The whole difference from the file to the text as it stands; the proposal's hunks are not in it any more. */
function editedLines(review: ReviewDetails): string[] {
  const options = { context: contextLines, timeout: diffLimitMs, headerOptions: FILE_HEADERS_ONLY };
  // Every line with an end: of the last one's the notes tell.
  const [before = '', after = ''] = [review.original ?? '', review.content].map((text) =>
    linesOf(text)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const patch = createTwoFilesPatch('', '', before, after, undefined, undefined, options);
  if (patch === undefined) return [`The change is too large for a diff. See it with --content.`];
  const states = review.hunkList.map(({ isKept }, index) => `${index + 1} ${isKept ? 'kept' : 'dropped'}`);
  return [
    ...patch.trimEnd().split('\n').slice(2).map(paintPatchLine),
    paint('yellow', `Edited by hand. Hunks of the proposal: ${states.join(', ') || 'none'}.`),
  ];
}

function paintPatchLine(line: string): string {
  const shown = visibleLines(line);
  if (line.startsWith('@@')) return paint('cyan', shown);
  if (line.startsWith('+')) return paint('green', shown);
  return line.startsWith('-') ? paint('red', shown) : shown;
}

/** Lines without their ends, counted as the hunks count them. Of ends and of the byte order mark the notes tell. */
function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** `start,count` of a unified diff, counted from 1; an empty span is named after the line before it. */
function span(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}
