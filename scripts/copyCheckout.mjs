import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './devTool.mjs';

/**
 * Copies the files that are, or could be, in the repository, without anything that was built.
 *
 * @param {string} folder must not exist
 * @param {{ withModules?: boolean }} options `withModules`: whether to copy the installed packages, too
 */
export function copyCheckout(folder, { withModules = false } = {}) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  for (const name of names.split('\0')) {
    const from = join(root, name);
    // A file that was deleted is listed until the deletion is committed.
    if (name === '' || !existsSync(from)) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(from, join(folder, name), { verbatimSymlinks: true });
  }
  if (!withModules) return;
  // Hard links where the file system allows them: the packages have 500 MB.
  const isLinked = spawnSync('cp', ['-al', `${root}node_modules`, folder]).status === 0;
  if (!isLinked)
    cpSync(`${root}node_modules`, join(folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      force: true,
    });
}
