import type { Path } from '@tandem/core';
import { shellWord } from './doctor/shellWord.js';

/**
 * The shell command with which an agent runs `tandem hook run`. It never fails: in other hooks of
 * these agents, exit code 2 is a decision. The parent of the shell is the agent.
 */
export function hookCommand(program: readonly Path[], agent: string): string {
  return `${program.map(shellWord).join(' ')} hook run ${agent} --pid "$PPID" || exit 0`;
}

const hookForm =
  /^((?:'(?:[^']|'\\'')*'|[^\s']+)(?: (?:'(?:[^']|'\\'')*'|[^\s']+))*) hook run \w+ --pid "\$PPID" \|\| exit 0$/;

/** The files that a command of `hookCommand` starts; undefined for any other command. */
export function hookProgram(command: string): readonly Path[] | undefined {
  const [, program] = hookForm.exec(command) ?? [];
  return program
    ?.match(/'(?:[^']|'\\'')*'|[^\s']+/g)
    ?.map((word) => word.replace(/^'(.*)'$/s, '$1').replaceAll("'\\''", "'"));
}
