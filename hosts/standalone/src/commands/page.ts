import { ask, type CompanionChoice, lastUsedCompanion } from '../connectCompanion.js';
import { CommandError } from '../exitCode.js';
import { printAnswer, printError } from '../output.js';
import { hasOwnDesktop, openBrowser, tunnelCommand } from '../page/openBrowser.js';

export interface PageOptions extends CompanionChoice {
  readonly open?: boolean;
  readonly json?: boolean;
}

/** `tandem page`: prints the address of the companion's page; opens it with `--open`. */
export async function page(options: PageOptions): Promise<void> {
  const companion = await lastUsedCompanion(process.cwd(), options);
  const { url, openingUrl } = await ask(companion, 'page', {});
  printAnswer({ url }, options, () => url);
  const tunnel = tunnelCommand(url);
  if (tunnel !== undefined && process.stdout.isTTY) {
    printError(`# First, on your own machine: ${tunnel}`);
  }
  if (!options.open) return;
  if (!hasOwnDesktop()) {
    throw new CommandError(
      'This terminal has no desktop to open the page on. Open the address on your own machine.',
    );
  }
  await openBrowser(openingUrl);
}
