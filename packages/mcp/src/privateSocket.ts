import { chmodSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { awakeTimeout } from '@tandem/core';
import { openOwnFolder } from './discovery/discoveryFolder.js';
import { isOwn, removeQuietly, statOf } from './discovery/privateFile.js';
import type { LoopbackServer } from './loopbackServer.js';

/** How long the owner of a socket has to accept a connection. One that does not is alive, but busy. */
const answerLimitMs = 1_000;

/** A named pipe of Windows, which has neither a folder nor a mode. */
const pipePrefix = '\\\\.\\pipe\\';

/**
 * Listens on a Unix socket that only this user can open, in a private folder. Removes the socket of a program that has
 * ended; one that answers is left alone. Closing the server removes the socket.
 *
 * @throws DiscoveryError if the folder is not this user's; another error if the path is in use
 */
export async function listenPrivately(server: LoopbackServer, path: string): Promise<void> {
  if (path.startsWith(pipePrefix)) return server.listenOnPath(path);
  openOwnFolder(dirname(path));
  const stats = statOf(path);
  if (stats !== undefined) {
    if (!stats.isSocket() || !isOwn(stats)) throw new Error(`${path} is not a socket of this user.`);
    if (await isAnswering(path)) throw new Error(`${path} is in use by another program.`);
    removeQuietly(path);
  }
  await server.listenOnPath(path);
  // The folder is private, so nobody else could connect before this line.
  chmodSync(path, 0o600);
}

/** Whether a program accepts connections at a socket, or may do so later. */
function isAnswering(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answers: boolean): void => {
      limit.dispose();
      socket.destroy();
      resolve(answers);
    };
    const limit = awakeTimeout(() => settle(true), answerLimitMs);
    socket.once('connect', () => settle(true));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      settle(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
