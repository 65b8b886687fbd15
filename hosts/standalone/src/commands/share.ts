import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { print, printJson } from '../output.js';
import { sharingLine } from '../statusText.js';

/** `tandem share pause|resume`. */
export async function setSharing(
  change: 'pause' | 'resume',
  options: CompanionChoice & { readonly json?: boolean },
): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const answer = await ask(companion, `share.${change}`, {});
  if (options.json) printJson(answer);
  else print(sharingLine(answer, process.cwd()));
}
