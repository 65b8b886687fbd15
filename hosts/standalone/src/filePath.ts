import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { onDisk } from '@tandem/companion/files';
import type { Path } from '@tandem/core';

/**
 * The path of a file for agents, who compare it with the workspace folders, which are real paths: resolves links up to such a
 * folder. Names below it stay, because the sharing policy checks the name and the real path, and a link must not hide the name.
 * Elsewhere the path stays.
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
