import { relative } from 'node:path';
import { describeReview, type ReviewDetails, type ReviewSummary } from '@tandem/companion';
import type { Review } from '@tandem/core';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { paint, visible } from './output.js';

/** One line for one review: number, agent, path, size of the change, and what is special about it. */
export function reviewLine(review: ReviewSummary, cwd: string): string {
  const remarks = [
    review.isNewFile && 'new file',
    review.isBinary && 'not text',
    review.isEdited && 'edited',
    review.isOutsideWorkspace && 'outside the workspace',
    review.state !== 'pending' && review.state + (review.withdrawReason ? ` (${review.withdrawReason})` : ''),
  ].filter((remark) => remark !== false);
  const size = `${paint('green', `+${review.added}`)} ${paint('red', `-${review.removed}`)}`;
  const rest = remarks.length > 0 ? `  ${remarks.join(', ')}` : '';
  return `${paint('bold', review.id.padStart(3))}  ${review.agent.padEnd(6)}  ${shortPath(review.path, cwd)}  ${size}${rest}`;
}

/** The review as a unified diff from the file to the text as it stands. */
export function reviewDiff(review: ReviewDetails, cwd: string): string {
  const name = shortPath(review.path, cwd);
  const head = [reviewLine(review, cwd), ...review.notes.map((note) => paint('yellow', `     ${note}`))];
  if (review.isBinary) return head.join('\n');
  const patch = createTwoFilesPatch(
    review.isNewFile ? '/dev/null' : name,
    name,
    withoutCarriageReturns(review.original ?? ''),
    withoutCarriageReturns(review.content),
    undefined,
    undefined,
    { context: 3, maxEditLength: 20_000, headerOptions: FILE_HEADERS_ONLY },
  );
  const lines = (patch ?? 'The change is too large to be shown as a diff; see it with --json.')
    .split('\n')
    .map(paintDiffLine);
  return [...head, ...lines].join('\n');
}

/** The same for a review of a companion in this very process. */
export function localReviewDiff(review: Review, cwd: string): string {
  return reviewDiff(describeReview(review), cwd);
}

/** A path below the current folder is shown relative to it. */
export function shortPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return visible(below === '' || below.startsWith('..') ? path : below);
}

/** Line ends are told by the notes; in the diff they would mark every line as changed. */
function withoutCarriageReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function paintDiffLine(line: string): string {
  const shown = visible(line);
  if (line.startsWith('+++') || line.startsWith('---')) return paint('bold', shown);
  if (line.startsWith('@@')) return paint('cyan', shown);
  if (line.startsWith('+')) return paint('green', shown);
  if (line.startsWith('-')) return paint('red', shown);
  return shown;
}
