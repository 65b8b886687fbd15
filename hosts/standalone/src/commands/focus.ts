import { dirname } from 'node:path';
import { agentsWithMentions } from '@tandem/companion/agents';
import type { FoundCompanion } from '@tandem/companion/control';
import { ask, type CompanionChoice, lastUsedCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { type FileTarget, parseFileTarget } from '../fileTarget.js';
import { printAnswer } from '../output.js';
import { shortPath } from '../reviewText.js';
import { sharingLine } from '../statusText.js';

export interface FocusOptions extends CompanionChoice {
  readonly json?: boolean;
}

/** `tandem focus`: shares the user's file, cursor and selection with agents. */
export async function focus(target: string, options: FocusOptions): Promise<void> {
  const { path, range } = readTarget(target);
  const companion = await companionOfFile(path, options);
  const answer = await ask(companion, 'focus', { path, ...(range && { range }) });
  printAnswer(answer, options, (status) => sharingLine(status, process.cwd()));
}

/** `tandem mention`: mentions a file, or lines of it, in the prompt of agents that support it. */
export async function mention(target: string, options: FocusOptions): Promise<void> {
  const { path, range } = readTarget(target);
  const lines = range && { first: range.start.line, last: range.end.line };
  const companion = await companionOfFile(path, options);
  const answer = await ask(companion, 'mention', { path, ...(lines && { lines }) });
  if (!options.json && answer.count === 0) {
    throw new CommandError(
      `Nothing was mentioned: no connected agent supports mentions. Agents that do: ${agentsWithMentions().join(', ')}.`,
    );
  }
  printAnswer(
    answer,
    options,
    ({ count }) =>
      `Mentioned ${shortPath(path, process.cwd())} to ${count} ${count === 1 ? 'agent' : 'agents'}.`,
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

/** The companion of the current folder, otherwise that of the file. */
async function companionOfFile(path: string, options: CompanionChoice): Promise<FoundCompanion> {
  try {
    return await lastUsedCompanion(process.cwd(), options);
  } catch (error) {
    const isNowhere = error instanceof CommandError && error.code === exitCode.noCompanion;
    if (!isNowhere || options.companion !== undefined) throw error;
    return lastUsedCompanion(dirname(path), options);
  }
}
