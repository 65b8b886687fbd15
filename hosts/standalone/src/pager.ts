import { spawn } from 'node:child_process';
import { print } from './output.js';
import { findProgram } from './runProgram.js';

/** What a shell reports for a program that does not exist. */
const notFound = 127;

/**
 * Prints a text that may be longer than the terminal: with `$PAGER`, otherwise with less, as git does. Without a terminal, or
 * without a pager, it prints the text.
 */
export async function printPaged(text: string): Promise<void> {
  const pager = process.env.PAGER ?? (process.platform === 'win32' ? '' : findProgram('less'));
  const isPaged = process.stdout.isTTY && pager !== undefined && pager !== '' && pager !== 'cat';
  if (!isPaged || (await runPager(pager, text)) === notFound) print(text);
}

/** Resolves to the exit code of the pager, once the user has closed it. */
function runPager(pager: string, text: string): Promise<number> {
  return new Promise((resolve) => {
    // As git: one screen needs no pager, colours stay, and the text stays on the screen.
    const env = { LESS: 'FRX', LV: '-c', ...process.env };
    const child = spawn(pager, [], { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
    // Ctrl+C belongs to the pager.
    const ignore = (): void => {};
    process.on('SIGINT', ignore);
    const settle = (code: number): void => {
      process.off('SIGINT', ignore);
      resolve(code);
    };
    child.once('error', () => settle(notFound));
    child.once('close', (code) => settle(code ?? 0));
    // The user may close it before it has read everything.
    child.stdin.on('error', () => {});
    child.stdin.end(`${text}\n`);
  });
}
