import { styleText } from 'node:util';
import { commandName } from '@tandem/companion/control';
import { visibleJson, visibleLines } from '@tandem/core';
import { exitCode } from './exitCode.js';

/**
 * The one place that writes to standard output and standard error. On a terminal a standing line can be kept
 * below everything else, whoever prints.
 */

export { commandName };

type Style = Parameters<typeof styleText>[0];

let standingLine = '';

/** Writes one line to standard output. */
export function print(line = ''): void {
  aboveStandingLine(() => process.stdout.write(`${line}\n`));
}

/** Writes one JSON object as a line of its own. */
export function printJson(value: unknown): void {
  print(visibleJson(JSON.stringify(value)));
}

/** Writes a message to standard error. It may quote anything: what could steer the terminal is made visible. */
export function printError(message: string): void {
  aboveStandingLine(() => process.stderr.write(`${visibleLines(message)}\n`));
}

/** Shows a line that stays last on the terminal, in place of the one before; an empty one takes it away. */
export function showStandingLine(line: string): void {
  if (line === standingLine) return;
  clearStandingLine();
  standingLine = line;
  writeStandingLine();
}

/** Writes the standing line anew, for a terminal whose size changed. */
export function redrawStandingLine(): void {
  aboveStandingLine(() => {});
}

/**
 * Colours text when standard output is a terminal that shows colours; `NO_COLOR` is honoured by Node's own check. The
 * meaning never hangs on the colour alone.
 */
export function paint(style: Style, text: string): string {
  return process.stdout.hasColors?.() ? styleText(style, text) : text;
}

/**
 * Calls `end` with an exit code when standard output takes no more. A reader that has seen enough, such as `head`, or a
 * terminal that is gone is no failure; a full disk is one. What standard error cannot take is lost.
 */
export function onOutputEnd(end: (code: number) => void): void {
  process.stderr.removeAllListeners('error').on('error', () => {});
  process.stdout.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'EIO') return end(exitCode.ok);
    process.stderr.write(`tandem: standard output cannot be written: ${error.message}\n`);
    end(exitCode.failed);
  });
}

function aboveStandingLine(write: () => void): void {
  clearStandingLine();
  write();
  writeStandingLine();
}

function clearStandingLine(): void {
  if (standingLine !== '') process.stdout.write('\r\u001b[K');
}

/** Without wrapping: a line that is too wide after all is cut by the terminal, and stays one line to clear. */
function writeStandingLine(): void {
  if (standingLine !== '') process.stdout.write(`\u001b[?7l${standingLine}\u001b[?7h`);
}
