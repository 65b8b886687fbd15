import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, renameSync } from 'node:fs';
import { createConnection, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '@tandem/core';
import { openOwnFolder } from './discovery/discoveryFolder.js';
import { removeQuietly } from './discovery/privateFile.js';
import { socketIdentity } from './socketOwner.js';
import { isPipe, requireOwnSocket, requireSocketPath } from './socketPath.js';

/** How long the owner of a socket has to accept a connection, in milliseconds. One that does not is alive, but busy. */
const acceptLimitMs = 1_000;
/** How long a claim is repeated because other programs are faster, in milliseconds. */
const claimLimitMs = 2_000;

/** A socket that this process owns. */
export interface OwnedSocket {
  /** Its `socketIdentity`. */
  readonly identity: string | undefined;
  /** Whether the path still leads to it. Another program may have removed or replaced it. */
  isInPlace(): boolean;
  /** Stops listening, and removes the path unless it leads to the socket of another program. */
  release(): void;
}

/**
 * Owns a Unix socket that only this user can open, in a private folder, or connects to the program that owns it. Of several
 * programs that claim it at once, one owns it. The socket of a program that has ended is replaced; one at which a program
 * listens is never removed, unless it is `replaced`. On Windows, the path is the name of a pipe.
 *
 * @param replaced the `socketIdentity` of a socket whose owner does not answer. If it is at the path, it is replaced in one
 * step, and its owner finds that it is no longer in place
 * @throws DiscoveryError if the path is too long, or the folder or the socket is not this user's; another error if its owner
 * accepts no connection, or other programs create and remove the socket all the time
 */
export async function claimSocket(
  path: string,
  server: Server,
  replaced?: string,
): Promise<OwnedSocket | Socket> {
  requireSocketPath(path);
  const until = performance.now() + claimLimitMs;
  do {
    if (!isPipe(path)) openOwnFolder(dirname(path));
    const before = socketIdentity(path);
    if (before !== undefined && before === replaced) requireOwnSocket(path);
    else {
      const connection = await connectToSocket(path);
      if (connection !== undefined) return connection;
      if (before !== undefined) removeStale(path, before);
    }
    const owned = await own(path, server, replaced);
    if (owned !== undefined) return owned;
    // Another program was faster.
    await sleep(Math.random() * 20);
  } while (performance.now() < until);
  throw new Error(`Other programs create and remove ${path} all the time. To find them, run: lsof ${path}`);
}

/** Connects to a socket of this user; undefined if nothing listens there. */
export function connectToSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    requireOwnSocket(path);
    const socket = createConnection(path, () => resolve(socket.setTimeout(0)));
    socket.setTimeout(acceptLimitMs, () => socket.destroy(new Error(`The owner of ${path} is busy.`)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else reject(error);
    });
  });
}

/**
 * Listens under a temporary name, which is then linked to the path: only one of several programs can, and none finds a
 * socket that does not listen yet. A socket that is `replaced` is never missing meanwhile. Undefined if another was faster, or
 * removed the folder.
 */
async function own(
  path: string,
  server: Server,
  replaced: string | undefined,
): Promise<OwnedSocket | undefined> {
  const name = isPipe(path) ? path : temporaryName(path);
  try {
    await listen(server, name);
    if (!isPipe(path)) {
      chmodSync(name, 0o600);
      if (replaced !== undefined && socketIdentity(path) === replaced) renameSync(name, path);
      else linkSync(name, path);
    }
  } catch (error) {
    server.close();
    // ENOENT: the program that ended last has removed the folder.
    if (/^(EEXIST|EADDRINUSE|ENOENT)$/.test(errorCode(error) ?? '')) return undefined;
    throw error;
  } finally {
    if (!isPipe(path)) removeQuietly(name);
  }
  const identity = socketIdentity(path);
  return {
    identity,
    isInPlace: () => socketIdentity(path) === identity,
    release() {
      if (identity !== undefined && socketIdentity(path) === identity) removeQuietly(path);
      server.close();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    requireSocketPath(path);
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Removes the socket that refused a connection. Another program may have replaced it meanwhile: then that one is put back,
 * and if this process ends before that, its owner notices.
 */
function removeStale(path: string, identity: string): void {
  const aside = temporaryName(path);
  try {
    renameSync(path, aside);
    if (socketIdentity(aside) !== identity) linkSync(aside, path);
  } catch {
    // Another program has removed it, or has already made a new one.
  } finally {
    removeQuietly(aside);
  }
}

/** Short, because the system limits the length of the path. */
function temporaryName(path: string): string {
  return join(dirname(path), `.${randomBytes(3).toString('hex')}`);
}
