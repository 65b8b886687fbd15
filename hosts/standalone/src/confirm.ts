import { createInterface } from 'node:readline/promises';

/** Asks a question in the terminal; no is the default. Call it only if standard input is a terminal. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}
