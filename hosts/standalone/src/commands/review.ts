import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { FoundCompanion } from '@tandem/companion/control';
import { cmdLine, type ProgramCall, visibleLines, visibleName } from '@tandem/core';
import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import { askFirst } from '../askFirst.js';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, print, printAnswer, printJson } from '../output.js';
import { printPaged } from '../pager.js';
import { readContent } from '../readContent.js';
import { reviewDiff } from '../reviewDiff.js';
import { plainReviewLine, reviewLine, shortPath } from '../reviewText.js';
import { commentText, feedbackText, passFeedback } from './reviewComments.js';
import { decideSession, listBySession, placeInSession } from './reviewSession.js';

export interface ReviewOptions extends CompanionChoice {
  readonly json?: boolean;
}

const lineOf = (review: ReviewFacts): string => reviewLine(review, process.cwd());

/** `tandem review list`. */
export async function list(options: ReviewOptions & { readonly all?: boolean }): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const reviews = await listReviews(companion, options.all ?? false);
  const lines = options.json ? [] : await listBySession(companion, reviews, { isAll: options.all });
  printAnswer(reviews, options, () => {
    if (reviews.length === 0) return 'No pending reviews.';
    const id = reviews.find(({ state }) => state === 'interrupted')?.id;
    const help = [
      `${commandName} review apply ${id} writes it to its file, ${commandName} review discard ${id} discards it.`,
      'If the agent proposes the same again, your text is restored.',
    ];
    return [...lines, ...(id === undefined ? [] : help)].join('\n');
  });
}

/** `tandem review show`: a diff, or with `--content` the text, to edit and accept with `--content-file`. */
export async function show(
  id: string | undefined,
  options: ReviewOptions & { readonly content?: boolean },
): Promise<void> {
  const { companion, id: known } = await choose(id, options);
  const review = await ask(companion, 'review.show', { id: known });
  if (!options.content || options.json) {
    const place = options.json || review.state !== 'pending' ? [] : await placeInSession(companion, review);
    const { commentList, path } = review;
    const comments =
      commentList.length === 0 ? [] : [commentText(commentList, shortPath(path, process.cwd()))];
    if (options.json) return printJson(review);
    return printPaged([...place, reviewDiff(review, process.cwd()), ...comments].join('\n'));
  }
  // Byte by byte, except on a terminal, which would obey control characters.
  process.stdout.write(process.stdout.isTTY ? visibleLines(review.content) : review.content);
}

interface DecideOptions extends ReviewOptions {
  readonly session?: string;
}

/** `--yes`, alone or with the kinds of concerns that it confirms. */
interface Confirming {
  readonly yes?: boolean | string;
}

/** `tandem review accept`: the text as it is, or the content of a file; with `--session`, all of a session. */
export async function accept(
  id: string | undefined,
  options: DecideOptions & Confirming & { readonly contentFile?: string; readonly overwrite?: boolean },
): Promise<void> {
  const { session, contentFile } = options;
  if (session !== undefined) {
    requireAlone(id ?? contentFile ?? options.overwrite);
    return decideSession('accept', session, options);
  }
  const content = contentFile === undefined ? undefined : await readContent(contentFile);
  const { companion, id: known } = await choose(id, options);
  const params = {
    id: known,
    ...(content !== undefined && { content }),
    ...(options.overwrite && { overwrites: true }),
  };
  const typed = [
    'review accept',
    known,
    ...(contentFile === undefined ? [] : ['--content-file', contentFile]),
  ];
  const accepted = await askFirst((answer) => ask(companion, 'review.accept', { ...params, ...answer }), {
    yes: options.yes,
    command: [...typed, ...(options.overwrite ? ['--overwrite'] : [])].join(' '),
    hints: ({ choices }) =>
      !process.stdin.isTTY && choices.some(({ kind }) => kind === 'merge')
        ? [`To merge both versions with conflict markers: ${commandName} review update ${known} --conflicts`]
        : [],
    ifNot: 'The review is still pending.',
  });
  await printDecided(companion, accepted, options);
}

function requireAlone(other: unknown): void {
  if (other === undefined) return;
  throw new CommandError(
    '--session decides all pending reviews of a session. Use it without the number of a review, --content-file, --overwrite, --feedback and --message.',
    exitCode.usage,
  );
}

async function printDecided(
  companion: FoundCompanion,
  review: ReviewFacts,
  options: ReviewOptions,
): Promise<void> {
  // The decision counts, also if the companion has ended since, as the one of the demo does.
  const next = options.json ? [] : await placeInSession(companion, review).catch(() => []);
  printAnswer(review, options, () => [lineOf(review), ...next].join('\n'));
}

/** `tandem review reject`; with `--session`, all of a session. */
export async function reject(
  id: string | undefined,
  options: DecideOptions & {
    readonly yes?: boolean;
    readonly feedback?: boolean;
    readonly message?: string;
  },
): Promise<void> {
  if (options.session !== undefined) {
    requireAlone(id ?? options.feedback ?? options.message);
    return decideSession('reject', options.session, options);
  }
  const { companion, id: known } = await choose(id, options);
  if (!options.feedback && options.message === undefined) {
    return printDecided(companion, await ask(companion, 'review.reject', { id: known }), options);
  }
  const feedback = await passFeedback(companion, known, { ...options, rejects: true });
  if (options.json) return printJson(feedback);
  const rejected = await ask(companion, 'review.show', { id: known });
  print(feedbackText(feedback));
  await printDecided(companion, rejected, options);
}

/** `tandem review action`: does one of the actions of a review, by its id. `typed`: the command, without the number. */
export async function act(
  action: string,
  id: string | undefined,
  options: ReviewOptions & Confirming & { readonly typed?: string; readonly done?: string },
): Promise<void> {
  const { typed = `review action ${action}`, done: isDone = 'is done' } = options;
  const { companion, id: known } = await choose(id, options);
  const done = await askFirst((answer) => ask(companion, 'review.run', { id: known, action, ...answer }), {
    yes: options.yes,
    command: `${typed} ${known}`,
    ifNot: 'The review is still in the list.',
  });
  printAnswer(
    { id: known, ...done },
    options,
    ({ note }) => note ?? `Review ${visibleName(known)} ${isDone}.`,
  );
}

/** `tandem review update`: merges later changes of the file into the text. */
export async function update(
  id: string | undefined,
  options: ReviewOptions & { readonly conflicts?: boolean },
): Promise<void> {
  const { companion, id: known } = await choose(id, options);
  const params = { id: known, ...(options.conflicts && { marksConflicts: true }) };
  printAnswer(await ask(companion, 'review.merge', params), options, (updated) =>
    [lineOf(updated), ...conflictLines(updated.conflicts, known)].join('\n'),
  );
}

/** `tandem review keep|drop [REVIEW] HUNK`; `hunk` counts from 1. The order HUNK REVIEW is accepted if it is the only valid one. */
export async function toggleHunk(
  numbers: readonly [number, number?],
  isKept: boolean,
  options: ReviewOptions,
): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const [first, second] = numbers;
  let [id, hunk] = second === undefined ? [await findReviewId(companion), first] : [String(first), second];
  if (second !== undefined) {
    const pending = await listReviews(companion, false);
    const hasHunk = (review: number, of: number): boolean =>
      pending.some((each) => each.id === String(review) && of <= each.hunks);
    if (!hasHunk(first, second) && hasHunk(second, first)) [id, hunk] = [String(second), first];
  }
  await ask(companion, 'review.hunk', { id, hunk: hunk - 1, isKept });
  printAnswer(await ask(companion, 'review.show', { id }), options, (review) =>
    reviewDiff(review, process.cwd()),
  );
}

/** `tandem review apply`: writes an interrupted review to its file. */
export async function apply(
  id: string,
  options: ReviewOptions & Confirming & { readonly conflicts?: boolean },
): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const params = { id, ...(options.conflicts && { marksConflicts: true }) };
  const applied = await askFirst((answer) => ask(companion, 'review.apply', { ...params, ...answer }), {
    yes: options.yes,
    command: `review apply ${id}${options.conflicts ? ' --conflicts' : ''}`,
    ifNot: 'The review is still in the list.',
  });
  printAnswer({ id, ...applied }, options, ({ note, restoration }) =>
    restoration === undefined ? note : `${note} To undo: ${commandName} undo ${restoration}`,
  );
}

function conflictLines(count: number, id: string): string[] {
  if (count === 0) return [];
  const [conflicts, them] = count === 1 ? ['One conflict is', 'it'] : [`${count} conflicts are`, 'them'];
  return [`${conflicts} marked with <<<<<<<. Resolve ${them} with: ${commandName} review edit ${id}`];
}

/**
 * `tandem review edit`: opens the text in the user's editor and puts the result into the review, which stays pending. If
 * that fails, the text stays in its file, and the error names the file.
 */
export async function edit(id: string | undefined, options: CompanionChoice): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor) {
    throw new CommandError(
      `Neither VISUAL nor EDITOR is set. Set one of them to your editor, or use: ${commandName} review accept --content-file FILE`,
    );
  }
  const { companion, id: known } = await choose(id, options);
  const before = await ask(companion, 'review.show', { id: known });
  if (before.state !== 'pending') {
    throw new CommandError(`Review ${known} is already ${before.state}.`, exitCode.noSuchReview);
  }
  // mkdtemp creates a private folder.
  const folder = mkdtempSync(join(tmpdir(), 'tandem-review-'));
  const file = join(folder, basename(before.path));
  writeFileSync(file, before.content, { mode: 0o600 });
  try {
    openEditor(editor, file);
    await ask(companion, 'review.edit', { id: known, content: await readContent(file) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const message = `${error.message}\nYour text is in ${visibleName(file)}. To accept it: ${commandName} review accept ${known} --content-file ${visibleName(file)}`;
    throw new CommandError(message, error.code, { cause: error });
  }
  rmSync(folder, { recursive: true, force: true });
  print(reviewDiff(await ask(companion, 'review.show', { id: known }), process.cwd()));
}

function openEditor(editor: string, file: string): void {
  const { command, args, shell } = editorCall(editor, [file], process.platform);
  const { status, error } = spawnSync(command, args, { shell, stdio: 'inherit' });
  if (status === 0) return;
  const how = status === null ? 'was killed' : `ended with code ${status}`;
  throw new CommandError(`The editor (${editor}) ${how}; the review is unchanged.`, exitCode.failed, {
    cause: error,
  });
}

/**
 * EDITOR may contain arguments, such as "code --wait": by convention it is the start of a shell command. File names are
 * arguments of the shell, so that nothing in them is parsed.
 */
export function editorCall(editor: string, files: readonly string[], platform: NodeJS.Platform): ProgramCall {
  if (platform === 'win32') return { command: `${editor} ${cmdLine(files)}`, args: [], shell: true };
  return { command: '/bin/sh', args: ['-c', `${editor} "$@"`, 'sh', ...files], shell: false };
}

/** Interrupted reviews, then pending ones; with `all`, recently ended ones before them. */
export function listReviews(companion: FoundCompanion, all: boolean): Promise<ReviewSummary[]> {
  return ask(companion, 'review.list', { all });
}

async function choose(
  id: string | undefined,
  options: CompanionChoice,
): Promise<{ companion: FoundCompanion; id: string }> {
  const companion = await chooseCompanion(process.cwd(), options);
  return { companion, id: id ?? (await findReviewId(companion)) };
}

/** The only pending review. Throws `CommandError` if there are none or several. */
async function findReviewId(companion: FoundCompanion): Promise<string> {
  const pending = (await listReviews(companion, false)).filter(({ group }) => group === undefined);
  const [only] = pending;
  if (only !== undefined && pending.length === 1) return only.id;
  if (only === undefined) throw new CommandError('No pending reviews.', exitCode.noSuchReview);
  const lines = pending.map((review) => plainReviewLine(review, process.cwd()));
  throw new CommandError(
    `Several reviews are pending. Choose one by its number:\n${lines.join('\n')}`,
    exitCode.usage,
  );
}
