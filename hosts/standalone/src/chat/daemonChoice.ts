import { validateDaemonBaseUrl } from '@tandem/companion/chat';
import { describeError, visibleName } from '@tandem/core';
import { CommandError, exitCode } from '../exitCode.js';
import { printError } from '../output.js';
import type { ServedPage } from '../page/servedPage.js';
import { readNamedFile } from '../readContent.js';

/** Larger than any token. */
const maxTokenBytes = 64 * 1024;

interface DaemonChoice {
  readonly url: string;
  readonly token?: string;
}

/**
 * The daemon of the command line. Its token comes from a file or the environment: every user of the machine can read the
 * command line of a process. Throws `CommandError`.
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

/** Connects the page's chat. A failure is reported here and in the chat, and stops nothing else. */
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
  throw new CommandError(
    `${visibleName(file)} is empty. It must contain the daemon's token.`,
    exitCode.usage,
  );
}
