import { lstatSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, type Path } from '@tandem/core';
import { readPrivateFile } from '@tandem/mcp';
import { readBoundedFile } from '../files/boundedFile.js';
import { versionsIn } from './hookCommands.js';
import { place } from './placeFile.js';

/** A version that no hook has run for so long, and that no file names, is removed, in milliseconds. */
export const unusedMs = 30 * 24 * 60 * 60 * 1000;
/** The list of the files that name a version, in its folder. */
const listName = 'named-in.json';
/** A larger file is not read, and its version is kept. */
const maxBytes = 1024 * 1024;

const versionName = /^[0-9a-f]{16}$/;
/** Notes that a file names a version. `folder`: that of the version. */
export async function noteEntry(folder: Path, file: Path): Promise<void> {
  place(join(folder, listName), JSON.stringify([...new Set([...notedIn(folder), file])]));
}

/** Notes that a version is used now. */
export function markUsed(folder: Path): void {
  utimesSync(folder, new Date(), new Date());
}

/**
 * Removes versions that were not used for long and that no file names: neither one that was noted nor one of `files`. `folder`: that of
 * all versions. A file that cannot be read may name one. Never rejects.
 */
export async function removeUnused(folder: Path, files: readonly Path[], now = Date.now()): Promise<void> {
  const isUnused = (path: Path): boolean => now - lstatSync(path).mtimeMs > unusedMs;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      if (versionName.test(name)) {
        if (!isUnused(path) || (await isNamed(path, files))) continue;
        // A hook that starts meanwhile finds either all or nothing.
        const aside = join(folder, `${name}.removed`);
        renameSync(path, aside);
        if (isUnused(aside)) rmSync(aside, { recursive: true, force: true });
        else renameSync(aside, path);
      } else if (name.endsWith('.removed')) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process does the same, or the folder is not ours.
    }
  }
}

async function isNamed(folder: Path, files: readonly Path[]): Promise<boolean> {
  const version = basename(folder);
  const named = [...notedIn(folder), ...files].map(async (file) => {
    try {
      const { bytes } = await readBoundedFile(file, { maxBytes });
      return versionsIn(bytes.toString('utf8')).includes(version);
    } catch (error) {
      return errorCode(error) !== 'ENOENT';
    }
  });
  return (await Promise.all(named)).includes(true);
}

function notedIn(folder: Path): readonly string[] {
  const text = readPrivateFile(join(folder, listName));
  const list: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
