import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { printAnswer } from '../output.js';
import { sharingLine } from '../statusText.js';

/** `tandem share pause|resume`. */
export async function setSharing(
  change: 'pause' | 'resume',
  options: CompanionChoice & { readonly json?: boolean },
): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const answer = await ask(companion, `share.${change}`, {});
  printAnswer(answer, options, (status) => sharingLine(status, process.cwd()));
}
