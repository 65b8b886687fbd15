import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DiscoveryError } from './discoveryError.js';
import { DiscoveryFile } from './discoveryFile.js';
import { ownMark } from './discoveryMark.js';
import { isOpenToOthers, isOwn, statOf } from './privateFile.js';

/** A folder that was checked and may be written to. */
export interface DiscoveryFolder {
  readonly path: string;
  /**
   * Writes a file with the agent's fields and our mark.
   *
   * @param port where this process listens, for the mark
   * @throws DiscoveryError
   */
  write(name: string, content: Readonly<Record<string, unknown>>, port: number): DiscoveryFile;
}

/**
 * Opens a folder that holds nothing but discovery files of this user. It is created when it is missing, with
 * every missing parent, and made private (0700) when others may enter it; parents that exist are left alone.
 *
 * @throws DiscoveryError when it is a symbolic link, another user's, no folder, or not writable
 */
export function openOwnFolder(path: string): DiscoveryFolder {
  const absolute = resolve(path);
  if (statOf(absolute) === undefined) create(absolute);
  // Looked at also when we have just created it: somebody else may have been quicker.
  const stats = statOf(absolute);
  if (stats === undefined) throw new DiscoveryError('not-writable', absolute);
  if (stats.isSymbolicLink()) throw new DiscoveryError('symlink', absolute);
  if (!stats.isDirectory()) throw new DiscoveryError('not-a-directory', absolute);
  if (!isOwn(stats)) throw new DiscoveryError('foreign-owner', absolute);
  if (isOpenToOthers(stats)) tighten(absolute);
  return folder(absolute);
}

/**
 * Opens a folder that belongs to everybody, such as the temporary folder. Nothing about it is changed; it must
 * exist and be writable.
 *
 * @throws DiscoveryError when it is no folder or not writable
 */
export function openSharedFolder(path: string): DiscoveryFolder {
  const absolute = resolve(path);
  let isDirectory: boolean;
  try {
    // Follows links: on macOS the temporary folder is reached through one.
    isDirectory = statSync(absolute).isDirectory();
  } catch (cause) {
    throw new DiscoveryError('not-writable', absolute, cause);
  }
  if (!isDirectory) throw new DiscoveryError('not-a-directory', absolute);
  return folder(absolute);
}

function folder(path: string): DiscoveryFolder {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new DiscoveryError('not-writable', path, cause);
  }
  return {
    path,
    write(name, content, port) {
      if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
        throw new DiscoveryError('bad-name', join(path, name));
      }
      return DiscoveryFile.create(join(path, name), content, ownMark(port));
    },
  };
}

/**
 * Creates a folder and its missing parents, all private. Not `mkdirSync` with `recursive`: Node 20 never returns
 * from that where a folder exists and nothing can be created in it, as below /proc.
 */
function create(path: string): void {
  const missing: string[] = [];
  for (let at = path; statOf(at) === undefined && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const at of missing) {
    try {
      mkdirSync(at, { mode: 0o700 });
    } catch (cause) {
      // Another companion that starts at the same time may have created it in between.
      if (statOf(at) === undefined) throw new DiscoveryError('not-writable', path, cause);
    }
  }
}

function tighten(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (cause) {
    throw new DiscoveryError('not-writable', path, cause);
  }
}
