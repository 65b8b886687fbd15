import { messageOf } from '@tandem/core';
import { CommanderError } from 'commander';
import { CommandError, exitCode } from './exitCode.js';
import { printError } from './output.js';
import { WrongUsage } from './program/tandemCommand.js';
import { createProgram } from './program.js';

/** Runs the `tandem` command line and resolves to the process's exit code. */
export async function runCommandLine(argv: readonly string[], version: string): Promise<number> {
  try {
    if (argv.length > 0) await createProgram(version, argv[0]).parseAsync(argv, { from: 'user' });
    else if (process.stdin.isTTY && process.stdout.isTTY)
      await (await import('./commands/start.js')).start(version);
    else if (!(await (await import('./commands/start.js')).showRunning()))
      createProgram(version).outputHelp();
    return typeof process.exitCode === 'number' ? process.exitCode : exitCode.ok;
  } catch (error) {
    // Commander has written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (error instanceof WrongUsage) {
      const { usageError } = await import('./program/usageErrors.js');
      printError(usageError(error.command, error.message, error.code));
      return exitCode.usage;
    }
    if (error instanceof CommandError) {
      printError(error.message);
      printStack(error);
      return error.code;
    }
    printError(`tandem: ${messageOf(error)}`);
    printStack(error);
    return exitCode.failed;
  }
}

function printStack(error: unknown): void {
  if (process.env.TANDEM_DEBUG !== undefined && error instanceof Error) printError(error.stack ?? '');
}
