import { type AgentId, agentProtocols, nameOfAgent, type PermissionHook } from '@tandem/companion/agents';
import { thisMachine } from '@tandem/companion/control';
import { expectContent } from '@tandem/companion/files';
import { hookCommand, hookProgram } from '@tandem/companion/shell';
import { writeUserFile } from '@tandem/companion/userFile';
import { describeError, type Path, visibleName } from '@tandem/core';
import { confirm } from '../confirm.js';
import { type DiskFile, readDiskFile } from '../editor/diskFile.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, print } from '../output.js';

const isOurs = (command: string): boolean => hookProgram(command) !== undefined;

/** `tandem hook install` and `tandem hook remove`: shows what it changes in the agent's settings, and asks. */
export async function changeHook(
  change: 'install' | 'remove',
  agent: AgentId,
  { yes = false }: { readonly yes?: boolean },
): Promise<void> {
  const hook = permissionHookOf(agent);
  const name = nameOfAgent(agent);
  const file = hook.settingsFile(thisMachine());
  const command = hookCommand([process.execPath, process.argv[1] ?? ''], agent);
  const [installed, ...more] = (await readSettings(file, hook)).ours;
  if (change === 'remove' ? installed === undefined : installed === command && more.length === 0) {
    print(`The hook is ${change === 'remove' ? 'not' : 'already'} in ${visibleName(file)}.`);
    return;
  }
  if (change === 'remove') print(`This removes the hook of Tandem from ${visibleName(file)}.`);
  else {
    print(`This adds to ${visibleName(file)}:\n\n${JSON.stringify(hook.entry(command), undefined, 2)}\n`);
    print(
      `${name} then runs this hook each time it asks about an edit. If you reject the edit with feedback, the hook passes the feedback to ${name}, which continues. Otherwise the hook does nothing. It never accepts an edit.\n`,
    );
  }
  if (!yes) {
    if (!process.stdin.isTTY)
      throw new CommandError('There is no terminal to ask in. To confirm, add --yes.', exitCode.usage);
    const verb = change === 'remove' ? 'Remove it' : 'Add it';
    if (!(await confirm(`${verb}?`))) throw new CommandError('Nothing was changed.');
  }
  // The file may have changed while the user read the question.
  const { disk, text, settings } = await readSettings(file, hook);
  const without = hook.remove(settings, isOurs);
  const changed = change === 'remove' ? without : hook.add(without, command);
  await writeUserFile(file, printSettings(changed, text), { isExpected: await expectContent(disk) });
  print(change === 'remove' ? 'Removed.' : `Added. To remove it: ${commandName} hook remove ${agent}`);
}

/** The agents with such a hook. */
export function permissionHookOf(agent: AgentId): PermissionHook {
  const hook = agentProtocols[agent].permissionHook;
  if (hook === undefined) {
    throw new CommandError(`${nameOfAgent(agent)} has no hook that Tandem could use.`, exitCode.usage);
  }
  // The command line is one for a POSIX shell.
  if (process.platform === 'win32') throw new CommandError('The hook does not work on Windows yet.');
  return hook;
}

async function readSettings(
  file: Path,
  hook: PermissionHook,
): Promise<{
  readonly disk: DiskFile;
  readonly text: string;
  readonly settings: unknown;
  readonly ours: readonly string[];
}> {
  try {
    const disk = await readDiskFile(file);
    if (disk.kind !== 'text' && disk.kind !== 'missing') throw new TypeError('it is not a text file');
    if (disk.kind === 'text' && disk.encoding !== undefined) throw new TypeError('it is not UTF-8');
    const text = disk.kind === 'text' ? disk.text : '';
    const settings = parseSettings(text);
    return { disk, text, settings, ours: hook.commands(settings).filter(isOurs) };
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
