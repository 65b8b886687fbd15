import type { Path } from '@tandem/core';
import { shellWord } from '../doctor/shell.js';

/** The files that a command of a hook starts. */
interface HookFiles {
  readonly script: Path;
  /** The Node.js that runs the program. The one on the PATH takes its place. */
  readonly node: Path;
}

/** The commands of the hooks of an agent. The parent of their shell is the agent. `options`: those of an installed hook. */
export function hookCommands(
  { script: file, node }: HookFiles,
  agent: string,
  origin: 'injected' | 'installed',
  options: readonly string[] = [],
): { readonly call: string; readonly patch: string; readonly event: string } {
  const [words, more] = [shellWord(file), options.map((each) => ` ${shellWord(each)}`).join('')];
  const of = (kind: string): string =>
    `[ ! -f ${words} ] || exec /bin/sh ${words} ${shellWord(node)} ${kind} ${agent} ${origin} "$PPID"${more}`;
  return { call: of('call'), patch: of('patch'), event: of('event') };
}

/** One word of a shell command, as `shellWord` writes it. */
const word = /(?:'(?:[^']|'\\'')*'|[^\s'])+/.source;
const form = new RegExp(
  `^\\[ ! -f (${word}) \\] \\|\\| exec /bin/sh \\1 (${word}) (?:call|patch|event) \\w+ (?:injected|installed) "\\$PPID"(?: ${word})*$`,
);
/** The forms of earlier versions. */
const earlierForm = new RegExp(
  `^(${word}) (${word}) (?:hook run \\w+ --pid "\\$PPID"|\\w+ (?:injected|installed) "\\$PPID"(?: ${word})*) \\|\\| exit 0$`,
);

/** What the command of a hook of ours starts; undefined for any other command. `isEarlier`: an earlier version has written it. */
export function hookFiles(command: string): (HookFiles & { readonly isEarlier: boolean }) | undefined {
  const [, script, node] = form.exec(command) ?? [];
  if (script !== undefined && node !== undefined)
    return { script: plainWord(script), node: plainWord(node), isEarlier: false };
  const [, earlierNode, program] = earlierForm.exec(command) ?? [];
  return earlierNode === undefined || program === undefined
    ? undefined
    : { script: plainWord(program), node: plainWord(earlierNode), isEarlier: true };
}

function plainWord(text: string): string {
  return text.replace(/^'(.*)'$/s, '$1').replaceAll("'\\''", "'");
}

const programs = /\/hooks\/([0-9a-f]{16})\/(?:hook\.(?:sh|mjs)|\w+Plugin\.mjs)/g;

/** The versions of our program that the hooks in a file start. */
export function versionsIn(text: string): readonly string[] {
  return [...text.matchAll(programs)].flatMap(([, version]) => version ?? []);
}
