import { agentIds } from '@tandem/companion/agents';
import { findCompanions } from '@tandem/companion/control';
import { visibleName } from '@tandem/core';
import type { Argument, Command, Option } from 'commander';
import { listReviews } from './commands/review.js';
import { chooseCompanion } from './connectCompanion.js';
import { shortPath } from './reviewText.js';

/** The candidates for the current word. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** What the shell may offer in addition. */
  readonly others: 'files' | 'folders' | 'none';
}

interface Candidate {
  readonly value: string;
  readonly description?: string;
}

const nothing: Completion = { candidates: [], others: 'none' };
const files: Completion = { candidates: [], others: 'files' };

/**
 * Completes `current` after `words` on the command line of `program`. All candidates start with `current`. Never rejects.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  current: string,
): Promise<Completion> {
  const position = findPosition(program, joinAtEquals(words));
  const [, flag, typed] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (position.option !== undefined) return startingWith(current, await valuesOf(position.option));
  if (flag !== undefined && typed !== undefined) {
    const option = position.command.options.find(({ long }) => long === flag);
    const { candidates, others } = option ? await valuesOf(option) : nothing;
    return startingWith(current, {
      candidates: candidates.map((each) => ({ ...each, value: `${flag}=${each.value}` })),
      others,
    });
  }
  if (position.isPassedOn) return files;
  if (current.startsWith('-')) return startingWith(current, optionsOf(position.command));
  return startingWith(current, await wordsAt(position));
}

interface Position {
  readonly command: Command;
  /** The number of arguments before it. */
  readonly index: number;
  /** The option whose value it is. */
  readonly option?: Option;
  /** It belongs to another program, as after the agent's name in `tandem run`. */
  readonly isPassedOn: boolean;
}

function findPosition(program: Command, words: readonly string[]): Position {
  let command = program;
  let index = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith('-') && !isPassingOn(command, index)) {
      const named = command.options.find(({ long, short }) => word === long || word === short);
      if (named?.required || named?.optional) option = named;
    } else {
      const next = index === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next === undefined) index++;
      else command = next;
    }
  }
  return { command, index, ...(option && { option }), isPassedOn: isPassingOn(command, index) };
}

function isPassingOn(command: Command, index: number): boolean {
  return command.name() === 'run' && index > 0;
}

/** Bash passes `--shell=zsh` as three words. */
function joinAtEquals(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== '=');
}

function optionsOf(command: Command): Completion {
  const options = command.createHelp().visibleOptions(command);
  const candidates = options.flatMap(({ long, description }) =>
    long === undefined ? [] : [{ value: long, description }],
  );
  return { candidates, others: 'none' };
}

async function wordsAt({ command, index }: Position): Promise<Completion> {
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0 && index === 0) {
    const candidates = subcommands.map((each) => ({ value: each.name(), description: each.description() }));
    return { candidates, others: 'none' };
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[index] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? nothing : valuesOf(argument);
}

/** The values of an option or argument: its choices, or by its name. */
async function valuesOf(of: Option | Argument): Promise<Completion> {
  const name = of.name();
  if (of.argChoices) return { candidates: of.argChoices.map((value) => ({ value })), others: 'none' };
  if (name === 'target' || name === 'record' || name === 'content-file') return files;
  if (name === 'folder') return { candidates: [], others: 'folders' };
  if (name === 'agents') return { candidates: agentIds.map((value) => ({ value })), others: 'none' };
  try {
    if (name === 'companion') return { candidates: await companions(), others: 'none' };
    if (name === 'id') return { candidates: await reviews(), others: 'none' };
  } catch {
    // Completion must not print errors.
  }
  return nothing;
}

async function companions(): Promise<Candidate[]> {
  return (await findCompanions()).map(({ pid, workspaceFolders }) => ({
    value: String(pid),
    description: workspaceFolders.map(visibleName).join(', '),
  }));
}

async function reviews(): Promise<Candidate[]> {
  const cwd = process.cwd();
  const pending = await listReviews(await chooseCompanion(cwd, {}), false);
  return pending.map(({ id, agent, path }) => ({
    value: id,
    description: `${agent} ${shortPath(path, cwd)}`,
  }));
}

function startingWith(current: string, { candidates, others }: Completion): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), others };
}
