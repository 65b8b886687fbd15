import { spawnSync } from 'node:child_process';
import { root } from './devTool.mjs';

/**
 * Runs npm in the root to its end.
 *
 * @param {readonly string[]} args
 * @returns {{ status: number, stdout: string, stderr: string }} never throws; the status is -1 if npm did not start or
 * took longer than a minute
 */
export function npmOutput(args) {
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
    shell: process.platform === 'win32',
  });
  return { status: status ?? -1, stdout: stdout ?? '', stderr: stderr ?? '' };
}
