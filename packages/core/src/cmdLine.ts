/**
 * The line by which cmd.exe runs a program with exactly these arguments, for `spawn` with `shell: true` on Windows. npm
 * installs a program as a script there, which only a shell starts, and which passes the line on to be parsed once more. So
 * a quote is doubled, which does not end the quotation for cmd.exe, and a percent sign stands outside of it, where `^`
 * keeps it from naming a variable. A line break becomes a space: for cmd.exe the line ends there.
 */
export function cmdLine(words: readonly string[]): string {
  return words.map(cmdWord).join(' ');
}

function cmdWord(word: string): string {
  const quoted = word
    .replace(/[\r\n]+/g, ' ')
    // A program reads backslashes before a quote as half as many.
    .replace(/\\+(?=["%]|$)/g, '$&$&')
    .replaceAll('"', '""')
    .replaceAll('%', '"^%"');
  return `"${quoted}"`;
}

/** What `spawn` of Node.js needs to run a program. */
export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

/** Runs a program with exactly these arguments. On Windows through cmd.exe: programs of npm are scripts there. */
export function programCall(program: string, args: readonly string[], platform: string): ProgramCall {
  if (platform !== 'win32') return { command: program, args, shell: false };
  return { command: cmdLine([program, ...args]), args: [], shell: true };
}
