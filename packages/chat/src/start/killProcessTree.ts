import { type ChildProcess, spawnSync } from 'node:child_process';

/** Ends a process that leads a group of its own, with all in it, at once. One that has ended is none of our business. */
export function killProcessTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: nobody in the group lives any more.
  }
}
