import { hookVariables } from '@tandem/agents';
import type { Path } from '@tandem/core';
import type { HookMode } from '@tandem/reviews';
import { shellWord } from '../doctor/shell.js';

/** Marks a folder of launchers. Contains the process of the companion. */
export const launcherMark = '.tandem-launchers';

/** A program of ours that has the name of an agent, and starts it with hooks. */
export interface Launcher {
  readonly agent: string;
  /** The name of the agent's program. */
  readonly program: string;
  readonly mode: HookMode;
  /** What it adds. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** It adds nothing if one of these is the first argument. */
  readonly firstWords?: readonly string[] | undefined;
  /** Likewise, unless the variables of the terminal are these; absent ones count as empty. */
  readonly expected: Readonly<Record<string, string>>;
  /** Likewise, unless these files exist. */
  readonly needed: readonly Path[];
  /** Likewise, if the first file has changed after the second one was made of it. */
  readonly made?: { readonly of: Path; readonly file: Path } | undefined;
  /** Likewise, if this process has ended. */
  readonly companion: number;
}

/**
 * The text of the program: for a POSIX shell, so that it costs nothing. It always becomes the first program of that name on the PATH
 * that is no launcher, with its arguments, terminal and process. It adds the hooks only in a terminal, because
 * other programs of the editor inherit the PATH, and not below an agent.
 */
export function launcherText(launcher: Launcher): string {
  const { agent, program, mode, args, env, firstWords = [], expected, needed, made, companion } = launcher;
  const conditions = [
    `[ -z "\${${hookVariables.agent}-}" ]`,
    `[ -n "\${${hookVariables.token}-}" ]`,
    ...firstWords.map((word) => `[ "\${1-}" != ${shellWord(word)} ]`),
    ...Object.entries(expected).map(([name, value]) => `[ "\${${name}-}" = ${shellWord(value)} ]`),
    '{ [ -t 0 ] || [ -t 1 ] || [ -t 2 ]; }',
    `kill -0 ${companion} 2>/dev/null`,
    ...needed.map((file) => `[ -e ${shellWord(file)} ]`),
    ...(made === undefined ? [] : [`! [ ${shellWord(made.of)} -nt ${shellWord(made.file)} ]`]),
  ];
  const variables = { [hookVariables.agent]: agent, [hookVariables.mode]: mode, ...env };
  const exports = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  // An exported variable of the user keeps its value: no other program uses these names.
  return `#!/bin/sh
# Starts ${program} with the hooks of Tandem. An editor with Tandem puts this folder first on the PATH of its terminals.
tandem_rest=$PATH:
tandem_found=
while [ -z "$tandem_found" ] && [ -n "$tandem_rest" ]; do
  tandem_folder=\${tandem_rest%%:*}
  tandem_folder=\${tandem_folder:-.}
  tandem_rest=\${tandem_rest#*:}
  [ -f "$tandem_folder/${program}" ] && [ -x "$tandem_folder/${program}" ] \\
    && ! [ -e "$tandem_folder/${launcherMark}" ] && tandem_found=$tandem_folder/${program}
done
if [ -z "$tandem_found" ]; then
  echo '${program}: command not found' >&2
  exit 127
fi
if ${conditions.join(' \\\n  && ')}; then
  export ${exports.join(' ')}
  set -- ${[...args.map(shellWord), '"$@"'].join(' ')}
fi
exec "$tandem_found" "$@"
`;
}
