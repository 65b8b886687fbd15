import { validateDaemonBaseUrl } from '@tandem/companion/chat';
import { describeError, visibleName } from '@tandem/core';
import { CommandError, exitCode } from '../exitCode.js';
import { printError } from '../output.js';
import type { ServedPage } from '../page/servedPage.js';
import { readNamedFile } from '../readContent.js';

/** A larger file does not hold a token alone. */
const maxTokenBytes = 64 * 1024;

interface DaemonChoice {
  readonly url: string;
  readonly token?: string;
}

/**
 * The daemon that the command line names. Its token comes from a file or from the environment: the command line of a
 * process can be read by every user of the machine. Throws `CommandError`.
 */
export async function daemonChoice(options: {
  readonly daemon?: string;
  readonly daemonTokenFile?: string;
}): Promise<DaemonChoice | undefined> {
  const { daemon, daemonTokenFile } = options;
  if (daemon === undefined) {
    if (daemonTokenFile === undefined) return undefined;
    throw new CommandError('--daemon-token-file needs --daemon.', exitCode.usage);
  }
  try {
    validateDaemonBaseUrl(daemon);
  } catch (cause) {
    throw new CommandError(describeError(cause), exitCode.usage, { cause });
  }
  const token =
    daemonTokenFile === undefined ? process.env.QWEN_SERVER_TOKEN : await readToken(daemonTokenFile);
  return token ? { url: daemon, token } : { url: daemon };
}

/** Connects the page's chat. That it fails keeps nothing else from running: it is said here, and in the chat. */
export function connectDaemon(page: ServedPage, choice: DaemonChoice): void {
  page.chat?.connect(choice).catch((error: unknown) => {
    printError(`tandem: the chat is not connected: ${visibleName(describeError(error))}`);
  });
}

async function readToken(file: string): Promise<string> {
  try {
    const token = (await readNamedFile(file, maxTokenBytes)).toString('utf8').trim();
    if (token !== '') return token;
  } catch (cause) {
    throw new CommandError(`${visibleName(file)} cannot be read: ${describeError(cause)}`, exitCode.usage, {
      cause,
    });
  }
  throw new CommandError(`${visibleName(file)} is empty: it should hold the daemon's token.`, exitCode.usage);
}
