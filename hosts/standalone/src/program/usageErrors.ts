import { descriptorOf, isAgentId } from '@tandem/companion/agents';
import type { Argument, Command } from 'commander';
import { commandName } from '../output.js';

/** A message of the argument parser in our words, with where to read more. */
export function usageError(command: Command, message: string, code: string | undefined): string {
  return `${wordsFor(command, message, code)} See: ${helpOf(command)}`;
}

function wordsFor(command: Command, message: string, code: string | undefined): string {
  const said = message.replace(/^error: /, '');
  const [, quoted = '', guess] = /'([^']*)'(?:\n\(Did you mean (.+)\?\))?/s.exec(said) ?? [];
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(quoted, guess);
    case 'commander.excessArguments':
      return `Too many arguments: ${command.args.slice(command.registeredArguments.length).join(' ')}.`;
    case 'commander.unknownOption':
      return `Unknown option ${quoted}.${guess === undefined ? '' : ` Did you mean ${guess}?`}`;
    case 'commander.missingArgument': {
      const argument = command.registeredArguments.find((each) => each.name() === quoted);
      return argument === undefined ? `Missing: ${quoted}.` : `Name ${meaningOf(argument)}.`;
    }
    case 'commander.optionMissingArgument':
      return `The option ${quoted} needs a value.`;
    case 'commander.invalidArgument': {
      const [, value, name, why = ''] =
        /^command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)$/s.exec(said) ?? [];
      const [, flags, given, wrong = ''] =
        /^option '(.*)' argument '(.*)' is invalid\. (.*)$/s.exec(said) ?? [];
      if (name !== undefined) return `Unknown ${name} "${value}". ${choicesIn(why)}`;
      return flags === undefined ? said : `Wrong value "${given}" of ${flags}. ${choicesIn(wrong)}`;
    }
    default:
      return said;
  }
}

/** A suggestion only if it is close: the parser also suggests "hook" for "foo". */
function unknownCommand(name: string, guess: string | undefined): string {
  if (isAgentId(name)) return `To start ${descriptorOf(name).displayName}: ${commandName} run ${name}.`;
  const isClose = guess?.charAt(0) === name.charAt(0);
  return `Unknown command "${name}".${isClose ? ` Did you mean ${guess}?` : ''}`;
}

/** What an argument stands for: its choices, or its description without remarks. */
function meaningOf(argument: Argument): string {
  const { argChoices, description } = argument;
  if (argChoices === undefined) return description.replace(/[;,(].*$/s, '').trim() || argument.name();
  return `${description || argument.name()}: ${argChoices.join(', ')}`;
}

function choicesIn(why: string): string {
  return why.replace(/^Allowed choices are (.*)\.$/s, 'Choose one of: $1.');
}

function helpOf(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  return [commandName, ...names, '--help'].join(' ');
}
