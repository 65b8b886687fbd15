import { Command, type ErrorOptions, InvalidArgumentError, Option, type OptionValues } from 'commander';
import { commandName } from '../output.js';

/** A command line that the parser refuses. `usageError` has the words for it. */
export class WrongUsage extends Error {
  constructor(
    readonly command: Command,
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/** A command of `tandem`, with the options that many of them have. */
export class TandemCommand extends Command {
  /** Of commander 14, whose types leave it out: fails with the word, and suggests a similar one. */
  declare private readonly unknownCommand: () => never;

  override createCommand(name?: string): TandemCommand {
    return new TandemCommand(name);
  }

  /** A wrong command line. */
  override error(message: string, options?: ErrorOptions): never {
    // A group that also runs alone has no arguments: the first is a command that it does not know.
    if (options?.code === 'commander.excessArguments' && this.commands.length > 0) this.unknownCommand();
    throw new WrongUsage(this, message, options?.code);
  }

  withJson(): this {
    return this.option('--json', 'write JSON').withCompanion();
  }

  withCompanion(): this {
    return this.addOption(companionOption());
  }

  /** Accepts it, for the commands in this one. */
  withHiddenCompanion(): this {
    return this.addOption(companionOption().hideHelp());
  }

  /** Accepts options of the command that a group runs if none of its own is named. */
  withHiddenJson(): this {
    return this.addOption(new Option('--json').hideHelp()).withHiddenCompanion();
  }

  /** Runs it with its options, global ones included, and its arguments. Commander does not type either. */
  onRun(run: (options: OptionValues, args: Command['processedArgs']) => Promise<void>): this {
    return this.action(() => run(this.optsWithGlobals(), this.processedArgs));
  }

  /** Runs a command with subcommands when it is typed alone: in a terminal, or elsewhere and for JSON. */
  onScreen(
    run: (options: OptionValues) => Promise<void>,
    elsewhere: (options: OptionValues) => Promise<void>,
  ): this {
    return this.action(async () => {
      const options = this.optsWithGlobals();
      const isScreen = process.stdin.isTTY && process.stdout.isTTY && !options.json;
      await (isScreen ? run : elsewhere)(options);
    });
  }
}

function companionOption(): Option {
  return new Option(
    '--companion <pid>',
    `the process ID of the companion, if several run (see: ${commandName} status)`,
  ).argParser(wholeNumber);
}

export function wholeNumber(text: string): number {
  return numberFrom(1, text);
}

export function numberFrom(least: number, text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least)
    throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`);
  return number;
}
