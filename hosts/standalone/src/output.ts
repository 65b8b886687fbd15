import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Writes one line to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Writes one JSON object as a line of its own. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Writes one line to standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Colours text when standard output is a terminal that shows colours (`NO_COLOR` and `FORCE_COLOR` are honoured by
 * Node's own check). The meaning never hangs on the colour alone.
 */
export function paint(style: Style, text: string): string {
  return process.stdout.hasColors?.() && process.env.NO_COLOR === undefined ? styleText(style, text) : text;
}

/** Makes text of others fit for a terminal: control characters, which could steer it, are shown and not obeyed. */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** How the person calls this command here: through npx when it came through npm, as in a checkout. */
export const commandName = process.env.npm_command === undefined ? 'tandem' : 'npx tandem';
