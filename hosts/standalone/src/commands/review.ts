import { readFileSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { type ReviewDetails, type ReviewSummary, reviewDetails, reviewSummary } from '@tandem/companion';
import { type CompanionChoice, calling, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { print, printJson } from '../output.js';
import { reviewDiff, reviewLine } from '../reviewText.js';

export interface ReviewOptions extends CompanionChoice {
  readonly json?: boolean;
}

type Client = Parameters<typeof calling>[0];

/** `tandem review list`. */
export async function listReviews(options: ReviewOptions & { readonly all?: boolean }): Promise<void> {
  const { client } = await chooseCompanion(process.cwd(), options);
  const reviews = await list(client, options.all ?? false);
  if (options.json) return printJson(reviews);
  if (reviews.length === 0) return print('No review waits.');
  for (const review of reviews) print(reviewLine(review, process.cwd()));
}

/** `tandem review show`: a diff; with `--content` the bare text, fit to be edited and accepted with `--content-file`. */
export async function showReview(id: string | undefined, options: ReviewOptions & { readonly content?: boolean }): Promise<void> {
  const { client } = await chooseCompanion(process.cwd(), options);
  const review = await details(client, await idOf(client, id));
  if (options.json) return printJson(review);
  if (options.content) process.stdout.write(review.content);
  else print(reviewDiff(review, process.cwd()));
}

/** `tandem review accept`: as it stands, or with the content of a file, to the byte. */
export async function acceptReview(
  id: string | undefined,
  options: ReviewOptions & { readonly contentFile?: string },
): Promise<void> {
  const content = options.contentFile === undefined ? undefined : readContent(options.contentFile);
  const { client } = await chooseCompanion(process.cwd(), options);
  const known = await idOf(client, id);
  const answer = await calling(client, (each) =>
    each.call('review.accept', { id: known, ...(content !== undefined && { content }) }),
  );
  tellDecision(reviewSummary.parse(answer), options);
}

/** `tandem review reject`. */
export async function rejectReview(id: string | undefined, options: ReviewOptions): Promise<void> {
  const { client } = await chooseCompanion(process.cwd(), options);
  const known = await idOf(client, id);
  tellDecision(reviewSummary.parse(await calling(client, (each) => each.call('review.reject', { id: known }))), options);
}

/** `tandem review keep|drop`; `hunk` counts from 1. */
export async function toggleHunk(
  id: string | undefined,
  hunk: number,
  isKept: boolean,
  options: ReviewOptions,
): Promise<void> {
  const { client } = await chooseCompanion(process.cwd(), options);
  const known = await idOf(client, id);
  const answer = await calling(client, (each) => each.call('review.hunk', { id: known, hunk: hunk - 1, isKept }));
  const review = reviewDetails.parse(answer);
  if (options.json) printJson(review);
  else print(reviewDiff(review, process.cwd()));
}

/** The review that is meant when no number is said: the only one that waits. */
export async function idOf(client: Client, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const pending = await list(client, false);
  const [only] = pending;
  if (only !== undefined && pending.length === 1) return only.id;
  const lines = pending.map((review) => reviewLine(review, process.cwd()));
  throw new CommandError(
    only === undefined ? 'No review waits.' : `Several reviews wait. Say which:\n${lines.join('\n')}`,
    exitCode.noSuchReview,
  );
}

/** One review with all its text. */
export async function details(client: Client, id: string): Promise<ReviewDetails> {
  return reviewDetails.parse(await calling(client, (each) => each.call('review.show', { id })));
}

/** Reads the text that is to be accepted. Throws `CommandError` when it is not UTF-8: it could not be kept exactly. */
export function readContent(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new CommandError(`${file} cannot be read; nothing was decided.`, exitCode.failed, { cause: error });
  }
  if (!isUtf8(bytes)) throw new CommandError(`${file} is not UTF-8 text; nothing was decided.`);
  return bytes.toString('utf8');
}

async function list(client: Client, all: boolean): Promise<ReviewSummary[]> {
  return reviewSummary.array().parse(await calling(client, (each) => each.call('review.list', { all })));
}

function tellDecision(review: ReviewSummary, options: ReviewOptions): void {
  if (options.json) printJson(review);
  else print(reviewLine(review, process.cwd()));
}
