import * as z from 'zod';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError } from '../exitCode.js';
import { print, printError } from '../output.js';
import { visibleLines } from '../visible.js';

/** `tandem trace`: the recorder's last lines, and with `--follow` each new one until Ctrl+C. */
export async function trace(options: CompanionChoice & { readonly follow?: boolean }): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const tell = (line: string): void => print(visibleLines(line));
  if (!options.follow) {
    const lines = await ask(companion, 'trace', {}, z.array(z.string()));
    if (lines.length === 0 && process.stdout.isTTY) printError('No agent has said anything yet.');
    for (const line of lines) tell(line);
    return;
  }
  try {
    await companion.client.followTrace(tell);
  } catch (cause) {
    throw new CommandError(`The companion (process ${companion.pid}) does not answer.`, 1, { cause });
  }
}
