import { readFileSync } from 'node:fs';

/** Linux counts a process's start in ticks of a hundredth of a second, whatever the kernel's own clock. */
const msPerTick = 10;

/** The boot time is known in whole seconds, and setting the clock moves it. */
const toleranceMs = 5_000;

/** Whether a process with this pid lives, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether the process runs that had this pid and started then. Where that cannot be told for certain, a living pid counts. */
export function isRunning(pid: number, startedAt: number): boolean {
  return isAlive(pid) && isSameProcess(pid, startedAt) !== false;
}

/**
 * Whether the living process with this pid is the one that started then. Undefined where that cannot be told:
 * outside Linux, or when the process is hidden from us.
 */
export function isSameProcess(pid: number, startedAt: number): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const found = startOf(pid);
    return Number.isFinite(found) ? Math.abs(found - startedAt) <= toleranceMs : undefined;
  } catch {
    return undefined;
  }
}

/** When a process started, in Unix milliseconds. @throws when /proc cannot be read */
function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses, which may itself hold spaces and parentheses. The
  // start time is field 22, the twentieth after it.
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const boot = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
  return boot * 1000 + ticks * msPerTick;
}
