import { findCompanions } from '@tandem/companion/control';
import { ask, bestFor, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, paint, print, printError, printJson } from '../output.js';
import { statusText } from '../statusText.js';

/**
 * `tandem status`: all companions, or the named one; with `--json` an array of `CompanionStatus`. Exits with 3 if none runs.
 */
export async function status(options: CompanionChoice & { readonly json?: boolean }): Promise<void> {
  const cwd = process.cwd();
  const companions =
    options.companion === undefined ? await findCompanions() : [await chooseCompanion(cwd, options)];
  // One that is stopping, or of another version, must not hide the others.
  const answers = await Promise.allSettled(companions.map((companion) => ask(companion, 'status', {})));
  const statuses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  for (const answer of answers) {
    if (answer.status === 'rejected' && answer.reason instanceof CommandError)
      printError(answer.reason.message);
  }
  if (options.json) printJson(statuses);
  else if (statuses.length === 0) print(`No companion is running. Start one: ${commandName}`);
  else {
    const here = bestFor(companions, cwd).map(({ pid }) => pid);
    const isMarked = statuses.length > 1;
    const isHere = ({ pid }: (typeof statuses)[number]): boolean => here.includes(pid);
    statuses.sort((one, other) => Number(isHere(other)) - Number(isHere(one)));
    const texts = statuses.map((each) => {
      const mark = isMarked && isHere(each) ? paint('green', '  <- serves this folder') : '';
      return statusText(each, cwd).replace('\n', () => `${mark}\n`);
    });
    print(texts.join('\n\n'));
  }
  if (statuses.length === 0) process.exitCode = exitCode.noCompanion;
}
