import { realpathSync } from 'node:fs';
import {
  type AgentId,
  addHooks,
  agentProtocols,
  hookCommands,
  nameOfAgent,
  removeHooks,
} from '@tandem/companion/agents';
import { thisMachine } from '@tandem/companion/control';
import { expectContent } from '@tandem/companion/files';
import { hookCommand, hookProgram } from '@tandem/companion/shell';
import { writeUserFile } from '@tandem/companion/userFile';
import { describeError, type Path, visibleName } from '@tandem/core';
import { type HookMode, hookWords } from '@tandem/reviews';
import { confirm } from '../confirm.js';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { type DiskFile, readDiskFile } from '../editor/diskFile.js';
import { CommandError, exitCode } from '../exitCode.js';
import { ourHookProgram } from '../hookProgram.js';
import { commandName, print } from '../output.js';

const isOurs = (command: string): boolean => hookProgram(command) !== undefined;

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

/** `tandem hook install` and `tandem hook remove`: shows what it changes in the agent's settings, and asks. */
export async function changeHook(
  change: 'install' | 'remove',
  agent: AgentId,
  { yes = false, hooks: mode = 'follow', folder: folders = [] }: HookChoice,
): Promise<void> {
  const { hookSettings, hooks } = agentProtocols[agent];
  const entriesOf = (await hooks?.())?.entries;
  if (hookSettings === undefined || entriesOf === undefined) {
    throw new CommandError(`${nameOfAgent(agent)} has no hook that Tandem could use.`, exitCode.usage);
  }
  // The command line is one for a POSIX shell.
  if (process.platform === 'win32') throw new CommandError('The hook does not work on Windows yet.');
  const name = nameOfAgent(agent);
  const file = hookSettings(thisMachine());
  const our = ourHookProgram();
  const { placeProgram } = await import('@tandem/companion/hooks');
  const program = [our.node, (await placeProgram(our)).file];
  const places = (mode === 'before' && folders.length === 0 ? ['.'] : folders).map((each) =>
    realFolder(each),
  );
  const options = mode === 'follow' && places.length === 0 ? [] : [mode, ...places];
  const entries = entriesOf(hookCommand(program, agent, 'installed', options));
  const found = (await readSettings(file)).settings;
  const isThere = hookCommands(found).some(isOurs);
  const isSame = JSON.stringify(addHooks(removeHooks(found, isOurs), entries)) === JSON.stringify(found);
  if (change === 'remove' ? !isThere : isSame) {
    print(`The hook is ${change === 'remove' ? 'not' : 'already'} in ${visibleName(file)}.`);
    return;
  }
  if (change === 'remove') print(`This removes the hooks of Tandem from ${visibleName(file)}.`);
  else {
    print(`This adds to ${visibleName(file)}:\n\n${JSON.stringify({ hooks: entries }, undefined, 2)}\n`);
    print(`${explain(name, mode, places)}\n`);
  }
  if (!yes) {
    if (!process.stdin.isTTY)
      throw new CommandError('There is no terminal to ask in. To confirm, add --yes.', exitCode.usage);
    const verb = change === 'remove' ? 'Remove it' : 'Add it';
    if (!(await confirm(`${verb}?`))) throw new CommandError('Nothing was changed.');
  }
  // The file may have changed while the user read the question.
  const { disk, text, settings } = await readSettings(file);
  const without = removeHooks(settings, isOurs);
  const changed = change === 'remove' ? without : addHooks(without, entries);
  await writeUserFile(file, printSettings(changed, text), { isExpected: await expectContent(disk) });
  print(change === 'remove' ? 'Removed.' : `Added. To remove it: ${commandName} hook remove ${agent}`);
}

function explain(name: string, mode: HookMode, places: readonly Path[]): string {
  const where = places.length === 0 ? '' : ` in ${places.map(visibleName).join(' and ')}`;
  return mode === 'before'
    ? `${name} then asks Tandem before each edit${where}, in any mode, and waits until you have decided. While Tandem does not run, it refuses its edits there.`
    : `${name} then asks Tandem before each edit about which it would ask you itself${where}. While Tandem does not run, it works as without the hook.`;
}

function realFolder(folder: Path): Path {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new CommandError(`The folder ${visibleName(folder)} does not exist.`, exitCode.usage, { cause });
  }
}

async function readSettings(file: Path): Promise<{
  readonly disk: DiskFile;
  readonly text: string;
  readonly settings: unknown;
}> {
  try {
    const disk = await readDiskFile(file);
    if (disk.kind !== 'text' && disk.kind !== 'missing') throw new TypeError('it is not a text file');
    if (disk.kind === 'text' && disk.encoding !== undefined) throw new TypeError('it is not UTF-8');
    const text = disk.kind === 'text' ? disk.text : '';
    const settings = parseSettings(text);
    // Throws if they have another form.
    hookCommands(settings);
    return { disk, text, settings };
  } catch (cause) {
    const problem = describeError(cause);
    throw new CommandError(
      `${visibleName(file)} cannot be changed: ${problem}. Correct the file, then retry.`,
      exitCode.failed,
      { cause },
    );
  }
}

/** Parses settings in JSON; an empty file has none. Throws `TypeError`, without quoting the text. */
export function parseSettings(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new TypeError('it is not valid JSON, which allows no comments and no trailing commas');
  }
}

/** The settings in the format of an earlier text of them: its indentation, line ends and final newline. */
export function printSettings(settings: unknown, text: string): string {
  const isOneLine = /\S[^\n]*\S/.test(text) && !/\S\s*\n\s*\S/.test(text) && text.trim() !== '{}';
  const indent = /^[{[]\s*?\n([\t ]+)/.exec(text.trimStart())?.[1] ?? (isOneLine ? '' : '  ');
  const printed = JSON.stringify(settings, undefined, indent);
  const end = text === '' || text.endsWith('\n') ? '\n' : '';
  return `${printed}${end}`.replaceAll('\n', text.includes('\r\n') ? '\r\n' : '\n');
}
