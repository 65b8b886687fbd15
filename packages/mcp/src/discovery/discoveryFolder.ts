import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DiscoveryFile, ownMark } from './discoveryFile.js';
import { DiscoveryError, isOpenToOthers, isOwn, statOf } from './privateFile.js';

/** A checked, writable folder. */
export interface DiscoveryFolder {
  readonly path: string;
  /**
   * Writes a file with the agent's fields and our mark.
   *
   * @param port of the listener of this process, for the mark
   * @throws DiscoveryError
   */
  write(name: string, content: Readonly<Record<string, unknown>>, port: number): DiscoveryFile;
}

/**
 * Opens a folder that contains only discovery files of this user. Creates it, and missing parents, if necessary, and makes
 * it private (0700). Existing parents are left alone.
 *
 * @throws DiscoveryError when it is a symbolic link, another user's, no folder, or not writable
 */
export function openOwnFolder(path: string): DiscoveryFolder {
  const absolute = resolve(path);
  if (statOf(absolute) === undefined) create(absolute);
  // Also checked if we have just created it: another process may have been faster.
  const stats = statOf(absolute);
  if (stats === undefined) throw new DiscoveryError('not-writable', absolute);
  if (stats.isSymbolicLink()) throw new DiscoveryError('symlink', absolute);
  if (!stats.isDirectory()) throw new DiscoveryError('not-a-directory', absolute);
  if (!isOwn(stats)) throw new DiscoveryError('foreign-owner', absolute);
  if (isOpenToOthers(stats)) tighten(absolute);
  return folder(absolute);
}

/**
 * Opens a shared folder, such as the temporary folder, and leaves its mode alone. It must exist and be writable.
 *
 * @throws DiscoveryError when it is no folder or not writable
 */
export function openSharedFolder(path: string): DiscoveryFolder {
  const absolute = resolve(path);
  let isDirectory: boolean;
  try {
    // Follows links: the path of the temporary folder of macOS contains one.
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
 * Creates a folder and its missing parents, all private. Not with `recursive`: `mkdirSync` of Node 20 then never returns
 * where nothing can be created, as below /proc.
 */
function create(path: string): void {
  const missing: string[] = [];
  for (let at = path; statOf(at) === undefined && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const at of missing) {
    try {
      mkdirSync(at, { mode: 0o700 });
    } catch (cause) {
      // Another starting companion may have created it.
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
