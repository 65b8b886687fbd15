import { type ChildProcess, spawn } from 'node:child_process';

/** Waits until its input ends, which it does with the process that holds the other end, by whatever that ended. */
const script =
  'read -r _; kill -s TERM "$1" 2>/dev/null || exit 0; sleep 3; kill -s KILL -- "-$1" 2>/dev/null';

/**
 * Ends a daemon also when this process is killed and can do nothing any more: a shell beside it waits for that. Returns
 * what lets the shell go, for when the daemon has ended. Windows has no such shell: there a daemon outlives a process that
 * was killed.
 */
export function guardDaemon({ pid }: ChildProcess): () => void {
  if (pid === undefined || process.platform === 'win32') return () => {};
  const guard = spawn('/bin/sh', ['-c', script, 'tandem-daemon-guard', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // What a terminal sends to all that runs in it is not meant for it.
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  });
  // Without a shell the daemon is as well off as without a guard.
  guard.once('error', () => {});
  guard.stdin.once('error', () => {});
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return () => void guard.kill('SIGKILL');
}
