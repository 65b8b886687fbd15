import type { Shell } from '@tandem/companion/shell';
import type { Command } from 'commander';
import { completeWords } from '../completeWords.js';
import { print } from '../output.js';
import { shellScripts } from '../shellScripts.js';

/** `tandem completion SHELL`: prints the script that a shell sources. */
export function completion(shell: Shell): void {
  process.stdout.write(shellScripts[shell]);
}

/** `tandem complete -- WORD… =CURRENT`: called by those scripts. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const current = (words.at(-1) ?? '').replace(/^=/, '');
  const { candidates, others } = await completeWords(program, words.slice(0, -1), current);
  for (const { value, description = '' } of candidates) print(`${value}\t${description}`);
  print(`:${others}`);
}
