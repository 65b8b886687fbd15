import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { nameOfAgent } from '@tandem/companion/agents';
import type { ChangedFile, CompanionStatus } from '@tandem/companion/control';
import { isInGitFolder, isWithin, messageOf, visibleName } from '@tandem/core';
import { changeWords, encodingOf, presentWaiting } from '@tandem/reviews';
import type { RestoredFile } from '@tandem/rpc';
import { askFirst } from '../askFirst.js';
import { confirm } from '../confirm.js';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { paintPatch } from '../diffPaint.js';
import { CommandError, exitCode } from '../exitCode.js';
import { type FileTarget, parseFileTarget } from '../fileTarget.js';
import { gitPatch } from '../gitPatch.js';
import { commandName, paint, printAnswer, printError, printJson } from '../output.js';
import { printPaged } from '../pager.js';
import { shortPath } from '../reviewText.js';

interface ChangesOptions extends CompanionChoice {
  readonly json?: boolean;
  readonly session?: string;
  readonly turn?: string;
}

/** `tandem changes`: what agents changed and waits for the user, or all of it, as far as it still stands. */
export async function changes(
  options: ChangesOptions & {
    readonly stat?: boolean;
    readonly all?: boolean;
    readonly since?: string;
    readonly forget?: boolean;
  },
): Promise<void> {
  const cwd = process.cwd();
  const companion = await chooseCompanion(cwd, options);
  if (options.forget) {
    await ask(companion, 'changes.forget', {});
    const { recording } = await ask(companion, 'status', {});
    return printAnswer({}, options, () => ['The history is deleted.', ...copiesLeft(recording)].join('\n'));
  }
  const { all = false, json, stat } = options;
  const since = options.since === undefined ? {} : { since: Date.now() - durationOf(options.since) };
  const selection = { ...selectionOf(options), ...since };
  const listed = await ask(companion, 'changes.list', { ...selection, ...(!all && { waits: true }) });
  const files = all ? listed : listed.filter(({ isAbsent }) => !isAbsent);
  if (files.length === 0 && !json) {
    const others = all ? [] : await ask(companion, 'changes.list', selection);
    const more = `No change waits for you. What you kept and accepted: ${commandName} changes --all`;
    const text = others.length === 0 ? nothingRecorded : more;
    // The output of a diff is for git.
    return stat ? printAnswer(files, options, () => text) : printError(text);
  }
  if (json) return printJson(files);
  if (stat) return printPaged(statText(files, cwd));
  await printPatch(files, [cwd, ...companion.workspaceFolders]);
}

const nothingRecorded = 'No changes of agents are recorded yet.';

const unitMs = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;

/** In milliseconds. Rejects with `CommandError` what is not a duration. */
function durationOf(text: string): number {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (unit === 'm' || unit === 'h' || unit === 'd') return Number(count) * unitMs[unit];
  throw new CommandError('--since needs a time such as 30m, 2h or 3d.', exitCode.usage);
}

/** The copies of files that another companion uses, or that could not be removed. */
function copiesLeft(recording: CompanionStatus['recording']): readonly string[] {
  return recording.flatMap(({ folder, note, copies }) =>
    copies === undefined || copies.bytes === 0
      ? []
      : `The copies of files of ${visibleName(folder)} stay (${visibleName(copies.note)}). Recorded here: ${visibleName(note)}`,
  );
}

/** One refused file would make git refuse the whole patch: such files are left out, and named. */
async function printPatch(
  files: readonly ChangedFile[],
  folders: readonly [string, ...string[]],
): Promise<void> {
  const [cwd] = folders;
  // Git follows no links.
  const placed = files.map((file) => ({ ...file, path: realPathOf(file.path) }));
  const countIn = (folder: string): number => placed.filter(({ path }) => isWithin(folder, path)).length;
  const base = folders.reduce((best, folder) => (countIn(folder) > countIn(best) ? folder : best));
  if (base !== cwd)
    printError(`tandem: the paths are relative to ${visibleName(base)}; run "git apply" there`);
  const printed = new Set<string>();
  const patches: string[] = [];
  for (const file of placed) {
    for (const note of notesOf(file)) printError(`tandem: ${visibleName(file.path)}: ${note}`);
    const patch = patchOf(file, base);
    const obstacle = isBinary(file)
      ? 'is binary'
      : patch && obstacleOf(file, { base, isPrinted: printed.has(file.path) });
    if (obstacle !== undefined) printError(`tandem: ${visibleName(file.path)} ${obstacle}, and is left out`);
    else if (patch !== undefined) {
      patches.push(patch.text);
      printed.add(file.path);
    }
  }
  if (patches.length === 0) return;
  if (process.stdout.isTTY) await printPaged(paintPatch(patches.join('').trimEnd().split('\n')).join('\n'));
  else for (const patch of patches) process.stdout.write(patch);
}

/** Why git would refuse the patch of a file. */
function obstacleOf(
  { path, before, now }: ChangedFile,
  { base, isPrinted }: { readonly base: string; readonly isPrinted: boolean },
): string | undefined {
  const encoding = encodingOf(before) ?? encodingOf(now);
  if (encoding !== undefined) return `is encoded in ${encoding}`;
  if (isPrinted) return 'was also changed through a link';
  if (!isWithin(base, path)) return `is outside ${visibleName(base)}`;
  return isInGitFolder(relative(base, path)) ? 'is in a .git folder' : undefined;
}

/** Resolves links, also above a file that does not exist. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
  }
}

interface WhichChanges extends ChangesOptions {
  readonly file?: string;
  readonly yes?: boolean;
}

interface UndoOptions extends WhichChanges {
  readonly conflicts?: boolean;
  readonly dryRun?: boolean;
}

/** `tandem undo`: takes changes back. Before several files with changes by commands, it asks in a terminal. */
export async function undo(what: readonly string[], options: UndoOptions): Promise<void> {
  const { session, dryRun, json, yes } = options;
  const cwd = process.cwd();
  const target = targetOf(what, options, cwd);
  if (target === undefined && session === undefined) {
    throw new CommandError(
      `Choose what to undo: a file, --session, or the numbers of changes (see: ${commandName} changes --stat).`,
      exitCode.usage,
    );
  }
  const companion = await chooseCompanion(cwd, options);
  const params = {
    ...target,
    ...selectionOf(options),
    ...(options.conflicts && { marksConflicts: true }),
  };
  if (!dryRun && !yes && !json && process.stdin.isTTY) {
    const planned = await ask(companion, 'changes.restore', { ...params, previews: true });
    const byCommands = planned.some(({ evidence = [] }) => evidence.length > 0);
    if (planned.length > 1 && byCommands) {
      printError(restoredText(planned, cwd));
      if (!(await confirm('Undo this?'))) throw new CommandError('Nothing was changed.');
    }
  }
  const restored = await ask(companion, 'changes.restore', { ...params, ...(dryRun && { previews: true }) });
  printAnswer(restored, options, () => {
    const lines = [restoredText(restored, cwd, { hasEvidence: dryRun === true })];
    const isMarked = options.conflicts === true || restored.every(({ kind }) => kind !== 'conflict');
    if (!isMarked) lines.push('To write both versions with conflict markers, add --conflicts.');
    return (dryRun ? ['Without --dry-run:', ...lines] : lines).join('\n');
  });
}

/** `tandem keep`: changes no longer wait for the user, or wait again. Before several files, it asks. */
export async function keep(
  what: readonly string[],
  options: WhichChanges & { readonly all?: boolean; readonly again?: boolean },
): Promise<void> {
  const { session, turn, file, all, again, yes } = options;
  const cwd = process.cwd();
  const target = targetOf(what, options, cwd);
  if (target === undefined && session === undefined && !all) {
    throw new CommandError(
      `Choose what to keep: a file, --session, --all, or the numbers of changes (see: ${commandName} changes --stat).`,
      exitCode.usage,
    );
  }
  const companion = await chooseCompanion(cwd, options);
  const params = { ...target, ...selectionOf(options), ...(all && { all }), isKept: !again };
  const typed = Object.entries({ session, turn, file }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  );
  const kept = await askFirst((answer) => ask(companion, 'changes.keep', { ...params, ...answer }), {
    yes,
    command: ['keep', ...what, ...typed, ...(all ? ['--all'] : [])].join(' '),
    ifNot: 'The changes still wait.',
  });
  if (kept.files.every(({ kind }) => kind === 'left'))
    throw new CommandError(kept.note, exitCode.noSuchReview);
  printAnswer(kept, options, () => {
    const left = kept.files.filter(({ kind }) => kind === 'left');
    return [kept.note, ...left.map(({ path, note }) => `${shortPath(path, cwd)} ${note}`)].join('\n');
  });
}

/** What becomes of each file, and, before it happens, what made the changes. */
function restoredText(
  files: readonly RestoredFile[],
  cwd: string,
  { hasEvidence = true }: { readonly hasEvidence?: boolean } = {},
): string {
  return files
    .flatMap(({ path, note, evidence = [] }) => [
      `${shortPath(path, cwd)} ${note}`,
      ...(hasEvidence ? evidence.map((sentence) => `  ${visibleName(sentence)}`) : []),
    ])
    .join('\n');
}

/** Numbers of changes, or one file, perhaps with lines. */
function targetOf(
  what: readonly string[],
  { file }: Pick<WhichChanges, 'file'>,
  cwd: string,
): { ids?: string[]; path?: string; lines?: { first: number; last: number } } | undefined {
  const ids = what.filter((each) => /^[rw]?\d+$/.test(each));
  const files = [...what.filter((each) => !ids.includes(each)), ...(file === undefined ? [] : [file])];
  const [name] = files;
  if (files.length > 1) throw new CommandError('Name one file only.', exitCode.usage);
  if (name === undefined) return ids.length === 0 ? undefined : { ids };
  const { path, range } = targetIn(name, cwd);
  const lines = range && { first: range.start.line, last: range.end.line };
  return { path, ...(lines && { lines }), ...(ids.length > 0 && { ids }) };
}

function targetIn(name: string, cwd: string): FileTarget {
  try {
    return parseFileTarget(name, cwd);
  } catch (error) {
    throw new CommandError(messageOf(error), exitCode.usage);
  }
}

/** The warnings first. */
function notesOf({ warnings = [], notes = [] }: ChangedFile): readonly string[] {
  return [...warnings, ...notes];
}

/** Rejects with `CommandError` what is not a turn of a session. */
function selectionOf({ session, turn }: Pick<ChangesOptions, 'session' | 'turn'>): {
  session?: string;
  turn?: number;
} {
  if (turn === undefined) return session === undefined ? {} : { session };
  if (session === undefined) throw new CommandError('--turn needs --session.', exitCode.usage);
  if (!/^[1-9]\d{0,8}$/.test(turn)) {
    throw new CommandError('--turn needs the number of a turn, such as 2.', exitCode.usage);
  }
  return { session, turn: Number(turn) };
}

function statText(files: readonly ChangedFile[], cwd: string): string {
  const waiting = files.filter(waits);
  const others = files.filter((file) => !waits(file));
  return [
    ...(waiting.length > 0 ? [paint('bold', presentWaiting(waiting.length)), ...linesOf(waiting, cwd)] : []),
    ...(others.length > 0 ? [paint('bold', changeWords.decided), ...linesOf(others, cwd)] : []),
  ].join('\n');
}

/** Whether a file has changes that the user has neither kept nor undone. */
function waits({ entries, isAbsent }: ChangedFile): boolean {
  return !isAbsent && entries.some(({ how, isKept }) => how === 'written' && !isKept);
}

function linesOf(files: readonly ChangedFile[], cwd: string): readonly string[] {
  return files.map((file) => {
    const counts = patchOf(file, cwd)?.counts;
    const size = isBinary(file)
      ? 'binary'
      : counts === undefined
        ? 'no net change'
        : `${paint('green', `+${counts.added}`)} ${paint('red', `-${counts.removed}`)}`;
    const entries = file.entries.map(entryText);
    const notes = notesOf(file).map((note) => `  ${note}`);
    return [`${shortPath(file.path, cwd)}  ${size}`, ...entries, ...notes].join('\n');
  });
}

function entryText({ id, agent, session, label, evidence, turn }: ChangedFile['entries'][number]): string {
  const by = `${nameOfAgent(agent)}, session ${session.slice(0, 8)}${turn ? `, turn ${turn.number}` : ''}`;
  const how = evidence === undefined ? '' : `: ${visibleName(evidence)}`;
  return `  ${label || id} (${by})${how}`;
}

function patchOf(file: ChangedFile, base: string): ReturnType<typeof gitPatch> {
  return gitPatch(file, relative(base, file.path).split(sep).join('/'), isExecutable(file.path));
}

function isExecutable(path: string): boolean {
  try {
    return (statSync(path).mode & 0o100) !== 0;
  } catch {
    return false;
  }
}

function isBinary({ before, now }: ChangedFile): boolean {
  return before.kind === 'binary' || now.kind === 'binary';
}
