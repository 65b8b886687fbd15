import { isSocketPath } from '@tandem/core';
import { DiscoveryError, isOwn, statOf } from './discovery/privateFile.js';

/** Call it before listening at a path. @throws DiscoveryError if the path is too long for a socket */
export function requireSocketPath(path: string): void {
  if (!isSocketPath(path, process.platform)) throw new DiscoveryError('path-too-long', path);
}

/**
 * Call it before connecting to a path: the program that listens there receives secrets.
 *
 * @throws DiscoveryError if the path is too long, or is something else than a socket of this user
 */
export function requireOwnSocket(path: string): void {
  requireSocketPath(path);
  const stats = isPipe(path) ? undefined : statOf(path);
  if (stats !== undefined && !(stats.isSocket() && isOwn(stats)))
    throw new DiscoveryError('not-a-socket', path);
}

/** Whether it is the name of a pipe of Windows, which has neither a folder nor a mode. */
export function isPipe(path: string): boolean {
  return path.startsWith('\\\\');
}
