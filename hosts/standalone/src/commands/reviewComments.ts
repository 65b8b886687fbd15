import { resolve } from 'node:path';
import type { FoundCompanion, ReviewDetails } from '@tandem/companion/control';
import { visibleLines } from '@tandem/core';
import type { Feedback } from '@tandem/rpc';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { printAnswer } from '../output.js';
import { shortPath } from '../reviewText.js';

type Comment = ReviewDetails['commentList'][number];

interface CommentOptions extends CompanionChoice {
  readonly json?: boolean;
  readonly message?: string;
  readonly original?: boolean;
  readonly edit?: string;
  readonly remove?: string;
}

/** `tandem review comment`: adds, changes or removes a comment. */
export async function comment(id: string, place: string | undefined, options: CommentOptions): Promise<void> {
  const { message, original, edit, remove } = options;
  if ((message === undefined) === (remove === undefined) || (edit !== undefined && remove !== undefined)) {
    throw new CommandError('Add a comment with -m TEXT, or remove one with --remove NUMBER.', exitCode.usage);
  }
  const companion = await chooseCompanion(process.cwd(), options);
  const { path } = await ask(companion, 'review.show', { id });
  if (message === undefined) await ask(companion, 'review.removeComment', { id, comment: remove ?? '' });
  else if (edit !== undefined)
    await ask(companion, 'review.editComment', { id, comment: edit, text: message });
  else {
    const lines = place === undefined ? undefined : linesOf(place, path);
    const params = { id, text: message, ...(lines && { lines }), ...(original && { side: 'file' as const }) };
    await ask(companion, 'review.comment', params);
  }
  const { commentList } = await ask(companion, 'review.show', { id });
  printAnswer(commentList, options, () =>
    commentList.length === 0 ? 'No comments.' : commentText(commentList, shortPath(path, process.cwd())),
  );
}

/** `LINE`, `LINE-LINE`, or the same after the file's name and a colon; counted from 1. */
function linesOf(place: string, path: string): { first: number; last: number } {
  const [, file, first, last = first] = /^(?:(.+):)?(\d+)(?:-(\d+))?$/s.exec(place) ?? [];
  const isOther = file !== undefined && resolve(file) !== path;
  if (first !== undefined && !isOther && Number(first) > 0) {
    return { first: Number(first) - 1, last: Number(last) - 1 };
  }
  const problem = isOther ? `The review is about ${path}.` : `"${place}" names no lines.`;
  throw new CommandError(`${problem} Write 12, 12-15 or FILE:12-15.`, exitCode.usage);
}

/** The comments of a review, for a terminal. */
export function commentText(comments: readonly Comment[], name: string): string {
  return comments
    .map(({ id, side, lines, quote, text }) => {
      const range =
        lines && (lines.first === lines.last ? `${lines.first + 1}` : `${lines.first + 1}-${lines.last + 1}`);
      const place =
        lines === undefined
          ? 'the whole proposal'
          : `${name}:${range}${side === 'file' ? ' before the change' : ''}`;
      const quoted = quote === '' ? [] : quote.split('\n').map((line) => `  > ${line}`);
      const written = text.split('\n').map((line) => `  ${line}`);
      return visibleLines([`Comment ${id} on ${place}:`, ...quoted, ...written].join('\n'));
    })
    .join('\n');
}

interface FeedbackOptions extends CompanionChoice {
  readonly json?: boolean;
  readonly message?: string;
}

/** `tandem review feedback`: the review stays pending. */
export async function sendFeedback(id: string, options: FeedbackOptions): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  printAnswer(await passFeedback(companion, id, { ...options, rejects: false }), options, feedbackText);
}

/** Passes the comments on a review, and perhaps a message, to its agent. */
export function passFeedback(
  companion: FoundCompanion,
  id: string,
  { message, rejects }: { readonly message?: string | undefined; readonly rejects: boolean },
): Promise<Feedback> {
  return ask(companion, 'review.feedback', { id, rejects, ...(message !== undefined && { text: message }) });
}

/** The text only if the user has to copy it. */
export function feedbackText({ text, delivery, note }: Feedback): string {
  return delivery === 'prompt' ? note : `${note}\n\n${text}`;
}
