import { relative } from 'node:path';
import { shorten, shownTitle, visibleName } from '@tandem/core';
import { concernLabel, interruptedGroup } from '@tandem/reviews';
import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import { commandName, paint } from './output.js';

/** How many characters of the agent's title are shown. */
export const maxTitle = 60;

/** A review in one line: number, agent, path, size if it is known, remarks, the agent's title. */
export function reviewLine(
  review: ReviewFacts | ReviewSummary,
  cwd: string,
  painted: typeof paint = paint,
): string {
  const title = shownTitle(review.title, review.path);
  const remarks = [
    review.isNewFile && 'new file',
    review.isEdited &&
      review.state !== 'accepted' &&
      (review.writesOwnText ? 'edited: saved, not sent to the agent' : 'edited'),
    review.comments !== undefined && (review.comments === 1 ? '1 comment' : `${review.comments} comments`),
    ...review.concerns.filter(({ kind }) => kind !== 'binary').map(({ kind }) => concernLabel(kind)),
    review.notKept !== undefined && 'not saved',
    endOf(review),
    title !== '' && `“${shorten(title, maxTitle)}”`,
  ].filter((remark) => remark !== false);
  const size = sizeOf(review, painted);
  const columns = [
    painted('bold', review.id.padStart(3)),
    review.agent.padEnd(6),
    shortPath(review.path, cwd),
    ...(size === undefined ? [] : [size]),
    ...(remarks.length > 0 ? [remarks.join(', ')] : []),
  ];
  return columns.join('  ');
}

function sizeOf(review: ReviewFacts | ReviewSummary, painted: typeof paint): string | undefined {
  if (review.isBinary) return 'binary';
  if (!('added' in review)) return undefined;
  return `${painted('green', `+${review.added}`)} ${painted('red', `-${review.removed}`)}`;
}

/** A review for a list: its line, and a line for each warning. */
export function reviewLines(review: ReviewSummary, cwd: string): string[] {
  if (review.state !== 'pending' && review.group === undefined) return [reviewLine(review, cwd)];
  const warnings = review.notes.filter(({ isWarning }) => isWarning);
  const texts = warnings.map(({ text }) => paint('yellow', `     ${visibleName(text)}`));
  return [reviewLine({ ...review, concerns: [], notKept: undefined }, cwd), ...texts];
}

/** How many lines of a list a terminal shows. */
export const shownInTerminal = { pending: 20, interrupted: 5 } as const;

/** The first of these, and how many more there are. Only a terminal shows a part: a program reads everything. */
export function cap<T>(
  all: readonly T[],
  most: number,
  isTerminal = process.stdout.isTTY,
): { readonly shown: readonly T[]; readonly more: readonly string[] } {
  // One line for one more item tells less than the item.
  if (!isTerminal || all.length <= most + 1) return { shown: all, more: [] };
  return { shown: all.slice(0, most), more: [`and ${all.length - most} more`] };
}

/** Interrupted reviews: in one line what they are, those with the user's text first. */
export function interruptedLines(
  reviews: readonly ReviewSummary[],
  cwd: string,
  { isAll = false, isTerminal }: { readonly isAll?: boolean; readonly isTerminal?: boolean | undefined } = {},
): string[] {
  const [first] = reviews;
  if (first === undefined) return [];
  const edited = reviews.toSorted((one, other) => Number(other.isEdited) - Number(one.isEdited));
  const { shown, more } = cap(edited, isAll ? reviews.length : shownInTerminal.interrupted, isTerminal);
  const { label, text } = first.group ?? interruptedGroup;
  const heading = `${paint('bold', `${label} (${reviews.length})`)}  ${text}`;
  const below = more.map((line) => `     ${line}: ${commandName} review list --all`);
  return [heading, ...shown.map((review) => reviewLine(review, cwd)), ...below];
}

/** Without colours, for a message on standard error. */
export function plainReviewLine(review: ReviewSummary, cwd: string): string {
  return reviewLine(review, cwd, (_style, text) => text);
}

/** A path below the current folder is shown relative to it. */
export function shortPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  const isBelow = below !== '' && below !== '..' && !/^\.\.[\\/]/.test(below);
  return visibleName(isBelow ? below : path);
}

/** `accepted, edited`, `interrupted: not sent`. */
function endOf({ group, end }: ReviewFacts): string | false {
  if (end === undefined) return false;
  return [group?.label, end.label]
    .flatMap((label) => (label === undefined ? [] : label.charAt(0).toLowerCase() + label.slice(1)))
    .join(': ');
}
