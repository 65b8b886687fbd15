import { CommanderError } from 'commander';
import { CommandError, exitCode } from './exitCode.js';
import { onOutputEnd, printError } from './output.js';
import { createProgram } from './program.js';

declare const TANDEM_VERSION: string;

/** Runs the `tandem` command line and resolves to the process's exit code. */
async function main(argv: readonly string[]): Promise<number> {
  onOutputEnd((code) => process.exit(code));
  try {
    await createProgram(TANDEM_VERSION).parseAsync(argv, { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : exitCode.ok;
  } catch (error) {
    // Commander has written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (error instanceof CommandError) {
      printError(error.message);
      printStack(error);
      return error.code;
    }
    printError(`tandem: ${error instanceof Error ? error.message : String(error)}`);
    printStack(error);
    return exitCode.failed;
  }
}

function printStack(error: unknown): void {
  if (process.env.TANDEM_DEBUG !== undefined && error instanceof Error) printError(error.stack ?? '');
}

process.exitCode = await main(process.argv.slice(2));
