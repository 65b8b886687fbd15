/** Parses settings in JSON; an empty file has none. Throws `TypeError`, without quoting the text. */
export function parseSettings(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new TypeError('it is not valid JSON, which allows no comments and no trailing commas');
  }
}

/** The settings in the format of an earlier text of them: its indentation, line ends and final newline. */
export function printSettings(settings: unknown, text: string): string {
  const isOneLine = /\S[^\n]*\S/.test(text) && !/\S\s*\n\s*\S/.test(text) && text.trim() !== '{}';
  const indent = /^[{[]\s*?\n([\t ]+)/.exec(text.trimStart())?.[1] ?? (isOneLine ? '' : '  ');
  const printed = JSON.stringify(settings, undefined, indent);
  const end = text === '' || text.endsWith('\n') ? '\n' : '';
  return `${printed}${end}`.replaceAll('\n', text.includes('\r\n') ? '\r\n' : '\n');
}
