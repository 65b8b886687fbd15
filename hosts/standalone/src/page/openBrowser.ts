import { hostname } from 'node:os';
import type { PageNotice } from '../introduction.js';
import { printError } from '../output.js';
import type { ServedPage } from './servedPage.js';

/** A companion that `tandem run` starts in the background prints to a log, which must not contain a token. */
export function pageNotice(page: ServedPage): PageNotice {
  const [address, problem] = [page.address(), page.problem()];
  if (address === undefined) return problem === undefined ? {} : { problem };
  if (process.connected && !process.stdout.isTTY) return {};
  const tunnel = tunnelCommand(address);
  return { address, ...(tunnel !== undefined && { tunnel }) };
}

/** Opens the page if the user who started this process sees the browser and the output. */
export async function openForUser(page: ServedPage): Promise<void> {
  if (!process.stdout.isTTY || !hasOwnDesktop()) return;
  const address = page.addressForOpening();
  if (address !== undefined) await openBrowser(address);
}

/** Whether the user who started this process would see a browser that it opens. */
export function hasOwnDesktop(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  if (isRemote(env)) return false;
  if (platform !== 'linux') return true;
  return [env.DISPLAY, env.WAYLAND_DISPLAY, env.WSL_DISTRO_NAME].some(Boolean);
}

/** The command on the user's own machine that lets its browser reach the page; `undefined` if it is this machine. */
export function tunnelCommand(
  address: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  host = hostname(),
): string | undefined {
  const { port } = new URL(address);
  return isRemote(env) ? `ssh -L ${port}:127.0.0.1:${port} ${host}` : undefined;
}

/** Opens an address in the user's browser. Resolves when a program was started for it, and reports if none was. */
export async function openBrowser(address: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const opener = await open(address);
    opener.on('error', reportFailure);
  } catch {
    reportFailure();
  }
}

/** The error quotes the command line, whose address is secret. */
function reportFailure(): void {
  printError('tandem: no browser could be opened. Open the address yourself.');
}

function isRemote(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_TTY);
}
