import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Sandbox } from './sandbox.js';

/** The discovery files, the files for the `tandem` command and the sockets of all companions in a sandbox. */
export async function announcements({ root }: Sandbox): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return (
    entries
      .filter((entry) => !entry.isDirectory())
      // Not the sockets of Neovim and Emacs themselves.
      .filter((entry) => !entry.name.startsWith('nvim-') && entry.name !== 'emacs')
      .filter((entry) => entry.isSocket() || ['ide', 'companions'].includes(basename(entry.parentPath)))
      .map((entry) => join(entry.parentPath, entry.name))
  );
}

/** The text of all journals in a sandbox. */
export async function journalOf({ state }: Sandbox): Promise<string> {
  const folder = join(state, 'tandem/journal');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
  // A replaced version may disappear meanwhile.
  const texts = names.map((name) => readFile(join(folder, name), 'utf8').catch(() => ''));
  return (await Promise.all(texts)).join('\n');
}
