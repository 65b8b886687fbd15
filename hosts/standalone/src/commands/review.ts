import type { FoundCompanion } from '@tandem/companion/control';
import { visibleLines, visibleName } from '@tandem/core';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { commandName, print, printJson } from '../output.js';
import { readContent } from '../readContent.js';
import { findReviewId, listReviews } from '../reviewChoice.js';
import { reviewDiff } from '../reviewDiff.js';
import { reviewLine, shortPath } from '../reviewText.js';

export interface ReviewOptions extends CompanionChoice {
  readonly json?: boolean;
}

/** `tandem review list`. */
export async function list(options: ReviewOptions & { readonly all?: boolean }): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const reviews = await listReviews(companion, options.all ?? false);
  if (options.json) return printJson(reviews);
  if (reviews.length === 0) return print('No pending reviews.');
  for (const review of reviews) print(reviewLine(review, process.cwd()));
  const interrupted = reviews.find(({ state }) => state === 'interrupted');
  if (interrupted === undefined) return;
  const { id } = interrupted;
  print(`No agent waits for interrupted reviews. ${commandName} review apply ${id} writes one to its file,`);
  print(
    `${commandName} review discard ${id} discards it. If an agent proposes the same again, your text is restored.`,
  );
}

/** `tandem review show`: a diff; with `--content` the bare text, fit to be edited and accepted with `--content-file`. */
export async function show(
  id: string | undefined,
  options: ReviewOptions & { readonly content?: boolean },
): Promise<void> {
  const { companion, id: known } = await choose(id, options);
  const review = await ask(companion, 'review.show', { id: known });
  if (options.json) return printJson(review);
  if (!options.content) return print(reviewDiff(review, process.cwd()));
  // To the byte, unless it would go to a terminal, which must not obey what stands in it.
  process.stdout.write(process.stdout.isTTY ? visibleLines(review.content) : review.content);
}

/** `tandem review accept`: as it stands, or with the content of a file. */
export async function accept(
  id: string | undefined,
  options: ReviewOptions & { readonly contentFile?: string; readonly overwrite?: boolean },
): Promise<void> {
  const content = options.contentFile === undefined ? undefined : await readContent(options.contentFile);
  const { companion, id: known } = await choose(id, options);
  const params = {
    id: known,
    ...(content !== undefined && { content }),
    ...(options.overwrite && { overwrites: true }),
  };
  const review = await ask(companion, 'review.accept', params);
  if (options.json) printJson(review);
  else print(reviewLine(review, process.cwd()));
}

/** `tandem review reject`. */
export async function reject(id: string | undefined, options: ReviewOptions): Promise<void> {
  const { companion, id: known } = await choose(id, options);
  const review = await ask(companion, 'review.reject', { id: known });
  if (options.json) printJson(review);
  else print(reviewLine(review, process.cwd()));
}

/** `tandem review update`: takes what came into the file since it was proposed into the text. */
export async function update(
  id: string | undefined,
  options: ReviewOptions & { readonly conflicts?: boolean },
): Promise<void> {
  const { companion, id: known } = await choose(id, options);
  const params = { id: known, ...(options.conflicts && { marksConflicts: true }) };
  const updated = await ask(companion, 'review.update', params);
  if (options.json) return printJson(updated);
  print(reviewLine(updated, process.cwd()));
  if (updated.conflicts > 0) print(`${countConflicts(updated.conflicts)} marked in it: look for <<<<<<<.`);
}

/** `tandem review keep|drop`; `hunk` counts from 1. */
export async function toggleHunk(
  id: string | undefined,
  hunk: number,
  isKept: boolean,
  options: ReviewOptions,
): Promise<void> {
  const { companion, id: known } = await choose(id, options);
  const review = await ask(companion, 'review.hunk', { id: known, hunk: hunk - 1, isKept });
  if (options.json) printJson(review);
  else print(reviewDiff(review, process.cwd()));
}

/** `tandem review apply`: puts an interrupted review into its file. */
export async function apply(
  id: string,
  options: ReviewOptions & { readonly conflicts?: boolean },
): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const { path } = await ask(companion, 'review.show', { id });
  const params = { id, ...(options.conflicts && { marksConflicts: true }) };
  const applied = await ask(companion, 'review.apply', params);
  if (options.json) return printJson({ id, path, ...applied });
  const file = shortPath(path, process.cwd());
  const { conflicts } = applied;
  if (conflicts === 0) print(`Written to ${file}.`);
  else print(`Written to ${file}. ${countConflicts(conflicts)} marked in it: look for <<<<<<<.`);
}

function countConflicts(count: number): string {
  return count === 1 ? 'One conflict is' : `${count} conflicts are`;
}

/** `tandem review discard`: throws an interrupted review away. */
export async function discard(id: string, options: ReviewOptions): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  await ask(companion, 'review.discard', { id });
  if (options.json) printJson({ id });
  else print(`Review ${visibleName(id)} is discarded.`);
}

async function choose(
  id: string | undefined,
  options: CompanionChoice,
): Promise<{ companion: FoundCompanion; id: string }> {
  const companion = await chooseCompanion(process.cwd(), options);
  return { companion, id: id ?? (await findReviewId(companion)) };
}
