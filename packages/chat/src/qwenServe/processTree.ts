import { type ChildProcess, spawnSync } from 'node:child_process';

type Child = Pick<ChildProcess, 'pid' | 'kill'>;

/** What ends processes on a system. */
export interface ProcessSystem {
  readonly platform: NodeJS.Platform;
  kill(pid: number, signal: NodeJS.Signals): void;
  run(program: string, args: readonly string[]): void;
}

const thisSystem: ProcessSystem = {
  platform: process.platform,
  kill: (pid, signal) => void process.kill(pid, signal),
  run: (program, args) => void spawnSync(program, args, { windowsHide: true }),
};

/**
 * Asks a daemon to end: it notifies its clients and ends its agents itself. On Windows a process cannot be asked, and the
 * child is the shell that started the daemon, so that the daemon would outlive it: there all of them are killed.
 */
export function askToEnd(child: Child, system = thisSystem): void {
  if (system.platform === 'win32') killTree(child, system);
  else child.kill('SIGTERM');
}

/** Kills a process and its group. Ignores one that has ended. */
export function killTree({ pid }: Child, system = thisSystem): void {
  if (pid === undefined) return;
  try {
    if (system.platform === 'win32') system.run('taskkill', ['/pid', String(pid), '/t', '/f']);
    else system.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the group has ended.
  }
}
