import { createInterface } from 'node:readline/promises';

/** Asks which of these the user wants. Resolves to its index; undefined if the user cancels. Call it as `confirm`. */
export async function pick(question: string, labels: readonly string[]): Promise<number | undefined> {
  const [only = '', ...others] = labels;
  if (others.length === 0) return (await confirm(`${question}\n${only}?`)) ? 0 : undefined;
  const lines = labels.map((label, index) => `  ${index + 1}  ${label}`);
  const typed = await read([question, ...lines, 'Number, or Enter to cancel: '].join('\n'));
  const index = Number(typed.trim()) - 1;
  return labels[index] === undefined ? undefined : index;
}

/** Asks a question in the terminal; no is the default. Call it only if standard input is a terminal. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await read(`${question} [y/N] `));
}

async function read(question: string): Promise<string> {
  return (await askLine(question)) ?? '';
}

/** A line that the user types; `undefined` if the input ends. */
export async function askLine(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
