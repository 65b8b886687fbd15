import { companionStatus, findCompanions } from '@tandem/companion';
import { type CompanionChoice, calling, chooseCompanion } from '../connectCompanion.js';
import { exitCode } from '../exitCode.js';
import { print, printJson } from '../output.js';
import { statusText } from '../statusText.js';

/**
 * `tandem status`: what runs. Shows every companion, unless one is named. With `--json` an array of
 * `CompanionStatus`. Exits with 3 when none runs, so that a script can ask.
 */
export async function status(options: CompanionChoice & { readonly json?: boolean }): Promise<void> {
  const companions =
    options.companion === undefined ? await findCompanions() : [await chooseCompanion(process.cwd(), options)];
  const statuses = await Promise.all(
    companions.map(async ({ client }) => companionStatus.parse(await calling(client, (each) => each.call('status', {})))),
  );
  if (options.json) printJson(statuses);
  else if (statuses.length === 0) print('No companion runs. Start one with: tandem serve');
  else print(statuses.map((each) => statusText(each, process.cwd())).join('\n\n'));
  if (statuses.length === 0) process.exitCode = exitCode.noCompanion;
}
