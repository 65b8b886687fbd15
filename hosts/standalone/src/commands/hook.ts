import { lstatSync, realpathSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AgentId, nameOfAgent } from '@tandem/companion/agents';
import { thisMachine } from '@tandem/companion/control';
import { expectContent } from '@tandem/companion/files';
import type { HookFile } from '@tandem/companion/hooks';
import { writeUserFile } from '@tandem/companion/userFile';
import { describeError, type Path, visibleName } from '@tandem/core';
import { type HookMode, hookWords } from '@tandem/reviews';
import { confirm } from '../confirm.js';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { type DiskFile, readDiskFile } from '../editor/diskFile.js';
import { CommandError, exitCode } from '../exitCode.js';
import { ourHookProgram } from '../ourFiles.js';
import { commandName, print } from '../output.js';

/** Which edits wait for the user, and where. */
interface HookChoice {
  readonly yes?: boolean | undefined;
  readonly hooks?: Exclude<HookMode, 'off'> | undefined;
  readonly folder?: readonly Path[] | undefined;
}

/** `tandem hook mode`: which edits of a running agent wait, or of all. */
export async function changeMode(
  hooks: HookMode,
  session: string | undefined,
  choice: CompanionChoice,
): Promise<void> {
  await ask(await chooseCompanion(process.cwd(), choice), 'session.hooks', { hooks, session });
  print(hookWords[hooks].sentence);
}

/** `tandem hook install`: shows what it adds to the files of the agent, and asks. */
export async function installHook(
  agent: AgentId,
  { yes, hooks: mode = 'follow', folder: chosen = [] }: HookChoice,
): Promise<void> {
  const file = await fileOf(agent);
  const folders = (mode === 'before' && chosen.length === 0 ? ['.'] : chosen).map(realFolder);
  const { text } = await read(file);
  const hooks = await file.prepare(ourHookProgram(), { mode, folders });
  if (hooks.isThere(text)) return print(`The hook is already in ${visibleName(file.path)}.`);
  print(`This adds to ${visibleName(file.path)}:\n\n${hooks.shown}\n`);
  print(`${explain(nameOfAgent(agent), mode, folders)}\n`);
  await confirmChange('Add it?', yes);
  // The file may have changed while the user read the question.
  const { disk, text: now } = await read(file);
  await hooks.keep();
  await writeUserFile(file.path, hooks.add(now), { isExpected: await expectContent(disk) });
  if (hooks.afterInstall !== undefined) print(hooks.afterInstall);
  print(`Added. To remove it: ${commandName} hook remove ${agent}`);
}

/** `tandem hook remove`: names what it changes, and asks. */
export async function removeHook(agent: AgentId, { yes }: HookChoice): Promise<void> {
  const file = await fileOf(agent);
  const name = visibleName(file.path);
  const { text } = await read(file);
  if (!file.isThere(text)) return print(`The hook is not in ${name}.`);
  const isWhole = file.remove(text) === undefined;
  print(
    isWhole
      ? `This removes ${name}, which has nothing else.`
      : `This removes the hooks of Tandem from ${name}.`,
  );
  await confirmChange('Remove it?', yes);
  const { disk, text: now, isLink } = await read(file);
  // A link leads to a file that the user keeps elsewhere.
  const rest = file.remove(now) ?? (isLink && !file.isOwn ? '{}\n' : undefined);
  await writeUserFile(file.path, rest, { isExpected: await expectContent(disk) });
  // Fails if the folder has other files.
  if (rest === undefined) await rmdir(dirname(file.path)).catch(() => undefined);
  print('Removed.');
}

async function fileOf(agent: AgentId): Promise<HookFile> {
  const { hookFileOf } = await import('@tandem/companion/hooks');
  const file = await hookFileOf(agent, thisMachine());
  if (file === undefined) {
    throw new CommandError(`${nameOfAgent(agent)} has no hook that Tandem could use.`, exitCode.usage);
  }
  // The commands are for a POSIX shell.
  if (process.platform === 'win32') throw new CommandError('The hook does not work on Windows yet.');
  return file;
}

async function confirmChange(question: string, yes = false): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new CommandError('There is no terminal to ask in. To confirm, add --yes.', exitCode.usage);
  if (!(await confirm(question))) throw new CommandError('Nothing was changed.');
}

const explanations = {
  before: {
    does: 'asks Tandem before each edit',
    how: ', in any mode, and waits until you have decided. While Tandem does not run, it refuses its edits there.',
  },
  follow: {
    does: 'asks Tandem before each edit about which it would ask you itself',
    how: '. While Tandem does not run, it works as without the hook.',
  },
  after: {
    does: 'reports to Tandem what it writes without a review',
    how: ', and waits for nothing. While Tandem does not run, it works as without the hook.',
  },
};

function explain(name: string, mode: keyof typeof explanations, folders: readonly Path[]): string {
  const where = folders.length === 0 ? '' : ` in ${folders.map(visibleName).join(' and ')}`;
  const { does, how } = explanations[mode];
  return `${name} then ${does}${where}${how}`;
}

function realFolder(folder: Path): Path {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new CommandError(`The folder ${visibleName(folder)} does not exist.`, exitCode.usage, { cause });
  }
}

/** Reads a file in which hooks are added. An empty text stands for a missing file. */
async function read(file: HookFile): Promise<{
  readonly disk: DiskFile;
  readonly text: string;
  readonly isLink: boolean;
}> {
  try {
    const disk = await readDiskFile(file.path);
    if (disk.kind !== 'text' && disk.kind !== 'missing') throw new TypeError('it is not a text file');
    if (disk.kind === 'text' && disk.encoding !== undefined) throw new TypeError('it is not UTF-8');
    const text = disk.kind === 'text' ? disk.text : '';
    // Throws if it has another form.
    file.isThere(text);
    const isLink = lstatSync(file.path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return { disk, text, isLink };
  } catch (cause) {
    const problem = describeError(cause);
    throw new CommandError(
      `${visibleName(file.path)} cannot be changed: ${problem}. Correct the file, then retry.`,
      exitCode.failed,
      { cause },
    );
  }
}
