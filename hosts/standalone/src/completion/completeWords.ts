import { agentIds } from '@tandem/companion/agents';
import { findCompanions } from '@tandem/companion/control';
import { visibleName } from '@tandem/core';
import type { Argument, Command, Option } from 'commander';
import { chooseCompanion } from '../connectCompanion.js';
import { listReviews } from '../reviewChoice.js';
import { shortPath } from '../reviewText.js';

/** What may stand at a place of the command line. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** What the shell itself may offer there. */
  readonly others: 'files' | 'folders' | 'none';
}

interface Candidate {
  readonly value: string;
  readonly description?: string;
}

const nothing: Completion = { candidates: [], others: 'none' };
const files: Completion = { candidates: [], others: 'files' };

/**
 * What may follow `words` on the command line of `program`, where `current` has been typed so far. The candidates
 * all begin with it. Never rejects.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  current: string,
): Promise<Completion> {
  const place = findPlace(program, joinAtEquals(words));
  const [, flag, typed] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (place.option !== undefined) return startingWith(current, await valuesOf(place.option));
  if (flag !== undefined && typed !== undefined) {
    const option = place.command.options.find(({ long }) => long === flag);
    const { candidates, others } = option ? await valuesOf(option) : nothing;
    return startingWith(current, {
      candidates: candidates.map((each) => ({ ...each, value: `${flag}=${each.value}` })),
      others,
    });
  }
  if (place.isPassedOn) return files;
  if (current.startsWith('-')) return startingWith(current, optionsOf(place.command));
  return startingWith(current, await wordsAt(place));
}

/** Where on the command line the next word stands. */
interface Place {
  readonly command: Command;
  /** How many arguments of the command stand before it. */
  readonly position: number;
  /** The option whose value it is. */
  readonly option?: Option;
  /** It is another program's, as all behind the agent's name in `tandem run`. */
  readonly isPassedOn: boolean;
}

function findPlace(program: Command, words: readonly string[]): Place {
  let command = program;
  let position = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith('-') && !isPassingOn(command, position)) {
      const named = command.options.find(({ long, short }) => word === long || word === short);
      if (named?.required || named?.optional) option = named;
    } else {
      const next = position === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next === undefined) position++;
      else command = next;
    }
  }
  return { command, position, ...(option && { option }), isPassedOn: isPassingOn(command, position) };
}

function isPassingOn(command: Command, position: number): boolean {
  return command.name() === 'run' && position > 0;
}

/** Bash hands over `--shell=zsh` as three words. */
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

async function wordsAt({ command, position }: Place): Promise<Completion> {
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0 && position === 0) {
    const candidates = subcommands.map((each) => ({ value: each.name(), description: each.description() }));
    return { candidates, others: 'none' };
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[position] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? nothing : valuesOf(argument);
}

/** The values of an option or an argument, by what it lists or else by its name. */
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
    // Nobody wants to read at the Tab key why there is nothing to offer.
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
  const waiting = await listReviews(await chooseCompanion(cwd, {}), false);
  return waiting.map(({ id, agent, path }) => ({
    value: id,
    description: `${agent} ${shortPath(path, cwd)}`,
  }));
}

function startingWith(current: string, { candidates, others }: Completion): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), others };
}
