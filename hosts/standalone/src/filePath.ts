import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { onDisk } from '@tandem/companion/files';
import type { Path } from '@tandem/core';

/**
 * The path by which agents know a file. They compare it with the workspace folders, which are real paths, so links on
 * the way to such a folder are resolved. Below it the names stay as they were said: the sharing policy judges a
 * file by its name and by its real path, and a link must not hide the name. Elsewhere the path stays as it is.
 */
export async function spellingIn(folders: readonly Path[], path: Path): Promise<Path> {
  let below = basename(path);
  for (let above = dirname(path); ; above = dirname(above)) {
    const real = await onDisk(path, () => realpath(above)).catch(() => undefined);
    if (real !== undefined && folders.includes(real)) return join(real, below);
    if (dirname(above) === above) return path;
    below = join(basename(above), below);
  }
}
