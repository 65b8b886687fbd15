/**
 * The command line with which cmd.exe runs a program with exactly these arguments, for `spawn` with `shell: true`. npm installs
 * programs as scripts, so cmd.exe parses the line twice: quotes are doubled, and `%` is placed outside the quotes and escaped with
 * `^`. Line breaks become spaces.
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
