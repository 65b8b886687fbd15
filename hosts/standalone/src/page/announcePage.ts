import { hostname } from 'node:os';
import type { PageNotice } from '../introduction.js';
import { hasOwnDesktop, openBrowser, tunnelCommand } from './openBrowser.js';
import type { ServedPage } from './servedPage.js';

/** A companion that `tandem run` starts in the background prints to a log, which must not contain a token. */
export function pageNotice(page: ServedPage): PageNotice {
  const [address, problem] = [page.address(), page.problem()];
  if (address === undefined) return problem === undefined ? {} : { problem };
  if (process.connected && !process.stdout.isTTY) return {};
  const tunnel = tunnelCommand(Number(new URL(address).port), hostname());
  return { address, ...(tunnel !== undefined && { tunnel }) };
}

/** Opens the page if the user who started this process sees the browser and the output. */
export async function openForPerson(page: ServedPage): Promise<void> {
  if (!process.stdout.isTTY || !hasOwnDesktop()) return;
  const address = page.addressForOpening();
  if (address !== undefined) await openBrowser(address);
}
