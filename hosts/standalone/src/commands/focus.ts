import { dirname } from 'node:path';
import { mentionable } from '@tandem/companion/agents';
import type { FoundCompanion } from '@tandem/companion/control';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { type FileTarget, parseFileTarget } from '../fileTarget.js';
import { print, printJson } from '../output.js';
import { shortPath } from '../reviewText.js';
import { sharingLine } from '../statusText.js';

export interface FocusOptions extends CompanionChoice {
  readonly json?: boolean;
}

/** `tandem focus`: tells agents which file, cursor and selection the person looks at. */
export async function focus(target: string, options: FocusOptions): Promise<void> {
  const { path, range } = readTarget(target);
  const companion = await companionOfFile(path, options);
  const answer = await ask(companion, 'focus', { path, ...(range && { range }) });
  if (options.json) printJson(answer);
  else print(sharingLine(answer, process.cwd()));
}

/** `tandem mention`: puts a file, or lines of it, into the prompt of the agents that take mentions. */
export async function mention(target: string, options: FocusOptions): Promise<void> {
  const { path, range } = readTarget(target);
  const lines = range && { first: range.start.line, last: range.end.line };
  const companion = await companionOfFile(path, options);
  const answer = await ask(companion, 'mention', { path, ...(lines && { lines }) });
  if (options.json) return printJson(answer);
  if (answer.told === 0) {
    throw new CommandError(
      `Nothing was mentioned: no connected agent supports mentions. Agents that do: ${mentionable().join(', ')}.`,
    );
  }
  print(
    `Mentioned ${shortPath(path, process.cwd())} to ${answer.told} ${answer.told === 1 ? 'agent' : 'agents'}.`,
  );
}

function readTarget(target: string): FileTarget {
  try {
    return parseFileTarget(target, process.cwd());
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(error.message, exitCode.usage, { cause: error });
    throw error;
  }
}

/** The companion of the current folder if there is one: a file elsewhere can be looked at too. Else the file's own. */
async function companionOfFile(path: string, options: CompanionChoice): Promise<FoundCompanion> {
  try {
    return await chooseCompanion(process.cwd(), options);
  } catch (error) {
    const isNowhere = error instanceof CommandError && error.code === exitCode.noCompanion;
    if (!isNowhere || options.companion !== undefined) throw error;
    return chooseCompanion(dirname(path), options);
  }
}
