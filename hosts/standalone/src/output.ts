import { styleText } from 'node:util';
import { commandName } from '@tandem/companion/control';
import { type Logger, visibleJson, visibleLines } from '@tandem/core';
import { exitCode } from './exitCode.js';

/**
 * All output of the command. On a terminal, a status line can be kept below everything else.
 */

export { commandName };

type Style = Parameters<typeof styleText>[0];

let statusLine = '';

/** Writes one line to standard output. */
export function print(line = ''): void {
  aboveStatusLine(() => process.stdout.write(`${line}\n`));
}

/** Writes one JSON object as a line of its own. */
export function printJson(value: unknown): void {
  print(visibleJson(JSON.stringify(value)));
}

/**
 * Sends what is written to standard output from here on together, when the current task ends: each write to a pipe is a
 * system call, and an agent that ends can withdraw hundreds of reviews at once.
 */
export function printTogether(): void {
  process.stdout.cork();
  process.nextTick(() => process.stdout.uncork());
}

/** Writes an answer as JSON if that was requested, otherwise as text. */
export function printAnswer<T>(
  answer: T,
  { json }: { readonly json?: boolean },
  text: (answer: T) => string,
): void {
  if (json) printJson(answer);
  else print(text(answer));
}

/** Writes a message to standard error, with control characters made visible. */
export function printError(message: string): void {
  aboveStatusLine(() => process.stderr.write(`${visibleLines(message)}\n`));
}

/** Shows or replaces the status line; an empty one removes it. */
export function showStatusLine(line: string): void {
  if (line === statusLine) return;
  clearStatusLine();
  statusLine = line;
  writeStatusLine();
}

/** Writes the status line again after the terminal was resized. */
export function redrawStatusLine(): void {
  aboveStatusLine(() => {});
}

/**
 * Colours text on a terminal with colours; Node checks `NO_COLOR`. The meaning never depends on the colour alone.
 */
export function paint(style: Style, text: string): string {
  return process.stdout.hasColors?.() ? styleText(style, text) : text;
}

/**
 * Calls `end` with an exit code when standard output cannot be written. A closed reader, such as `head`, or terminal is no
 * failure; a full disk is. Errors of standard error are ignored.
 */
export function onOutputEnd(end: (code: number) => void): void {
  process.stderr.removeAllListeners('error').on('error', () => {});
  process.stdout.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'EIO') return end(exitCode.ok);
    process.stderr.write(`tandem: standard output cannot be written: ${error.message}\n`);
    end(exitCode.failed);
  });
}

/** Writes warnings and errors to standard error, everything if `TANDEM_DEBUG` is set. */
export function stderrLogger(): Logger {
  const write = (level: string, message: string, fields?: unknown): void =>
    printError(`${level}: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
  const isQuiet = process.env.TANDEM_DEBUG === undefined;
  return {
    debug: (message, fields) => isQuiet || write('debug', message, fields),
    info: (message, fields) => isQuiet || write('info', message, fields),
    warn: (message, fields) => write('warning', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

function aboveStatusLine(write: () => void): void {
  clearStatusLine();
  write();
  writeStatusLine();
}

function clearStatusLine(): void {
  if (statusLine !== '') process.stdout.write('\r\u001b[K');
}

/** Without wrapping, so that it stays one line. */
function writeStatusLine(): void {
  if (statusLine !== '') process.stdout.write(`\u001b[?7l${statusLine}\u001b[?7h`);
}
