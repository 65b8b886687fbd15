import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { commandName, printAnswer } from '../output.js';
import { sharingLine } from '../statusText.js';

interface ShareOptions extends CompanionChoice {
  readonly json?: boolean;
}

/** `tandem share`: what agents see now, and how to change that. */
export async function showSharing(options: ShareOptions): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const { sharing } = await ask(companion, 'status', {});
  printAnswer(sharing, options, (status) => {
    const pause = `To share nothing: ${commandName} share pause`;
    return [sharingLine(status, process.cwd()), ...(status.isPaused ? [] : [pause])].join('\n');
  });
}

/** `tandem share pause|resume`. */
export async function setSharing(change: 'pause' | 'resume', options: ShareOptions): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  const answer = await ask(companion, `share.${change}`, {});
  printAnswer(answer, options, (status) => sharingLine(status, process.cwd()));
}
