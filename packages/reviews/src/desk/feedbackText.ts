import { visibleName } from '@tandem/core';
import type { Review } from '../record/review.js';
import { moveComments, type ReviewComment } from '../record/reviewComment.js';

/** What is sent to an agent about one of its proposals. */
export interface FeedbackSource {
  readonly review: Pick<Review, 'comments' | 'content' | 'original' | 'proposal' | 'state'>;
  /** The path for the agent, such as `src/a.ts`. */
  readonly label: string;
  /** On the whole proposal, beside the comments. */
  readonly remark?: string | undefined;
  /** Whether the lines may be quoted. */
  readonly quotes: boolean;
}

/**
 * The user's comments on a proposal as one text. Self-contained, because not every agent's model sees the proposal and
 * its rejection: it names the file and the lines of the agent's own text, and quotes them. Clean, so that the user can paste
 * it into a terminal: see `cleanFeedback`. If the agent has ended, a shell reads it: what is not the user's own words contains
 * nothing that a shell runs. Undefined if the user wrote nothing.
 */
export function composeFeedback({ review, label, remark = '', quotes }: FeedbackSource): string | undefined {
  const { content, original, proposal } = review;
  const comments = moveComments(
    review.comments,
    { content, original },
    { content: proposal.content, original },
  );
  const count = comments.length;
  if (count === 0 && remark.trim() === '') return undefined;
  const [only] = count === 1 && remark.trim() === '' ? comments : [];
  const where = only?.lines && only.side === 'proposal' ? `, ${linesName(only.lines)}` : '';
  const what = review.state === 'pending' ? 'comments' : review.state;
  const sections = [
    `Review of ${quotable(visibleName(label))}${where}: ${what}.`,
    ...comments.map((comment) => section(comment, quotes, comment === only && where !== '')),
    ...(remark.trim() === ''
      ? []
      : [count === 0 ? remark.trim() : `On the whole proposal:\n${remark.trim()}`]),
  ];
  return cleanFeedback(sections.join('\n\n'));
}

function section({ side, lines, quote, text }: ReviewComment, quotes: boolean, isNamed: boolean): string {
  if (lines === undefined) return `On the whole proposal:\n${text}`;
  const of = side === 'file' ? ' of the file before the change' : '';
  const name = linesName(lines);
  const head = isNamed ? [] : [`${name.charAt(0).toUpperCase()}${name.slice(1)}${of}:`];
  const quoted = quotes ? quote.split('\n').map((line) => `\u2502 ${quotable(line)}`.trimEnd()) : [];
  return [...head, ...quoted, text].join('\n');
}

function linesName({ first, last }: NonNullable<ReviewComment['lines']>): string {
  return first === last ? `line ${first + 1}` : `lines ${first + 1}-${last + 1}`;
}

/**
 * A name or a line from outside. CLIs attach the file that follows an `@`, and a shell runs a part of a line, ends a quote of the
 * user's, or writes to a file: only the user's own words may do that. The full-width forms look the same to a model.
 */
function quotable(text: string): string {
  return cleanCharacters(text)
    .replace(/@(?=\S)/g, '@ ')
    .replace(/[!"$&'();<>`|]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
}

/**
 * Makes a text safe for a terminal and the prompt of a CLI: line feeds are its only control characters, no character
 * reorders the text, and it does not end in `@` and a word, where a CLI completes a file name instead of sending the prompt. The text must begin
 * with an ordinary word, because `/`, `!` and `#` at its start are commands.
 */
export function cleanFeedback(text: string): string {
  const clean = cleanCharacters(text)
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd();
  return /@\S*$/.test(clean) ? `${clean} (end)` : clean;
}

function cleanCharacters(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/\t/g, '    ')
    .replace(unwanted, '');
}

/** Controls, direction marks and overrides, byte order marks, invisible operators, tags. */
const unwanted =
  /[^\P{Cc}\n]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
