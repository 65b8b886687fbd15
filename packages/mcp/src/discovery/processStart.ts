import { readFileSync } from 'node:fs';
import { errorCode } from '@tandem/core';

/** Linux reports the start of a process in hundredths of a second. */
const msPerTick = 10;

/** The boot time is in whole seconds, and changes when the clock is set. */
const toleranceMs = 5_000;

/** Whether a process with this pid exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Whether the process with this pid and start time is running. If the start time is unknown, the pid decides. */
export function isRunning(pid: number, startedAt: number): boolean {
  return isAlive(pid) && isSameProcess(pid, startedAt) !== false;
}

/**
 * Whether the existing process with this pid started at this time. Undefined if unknown: outside Linux, or if the process is
 * hidden from us.
 */
export function isSameProcess(
  pid: number,
  startedAt: number,
  platform = process.platform,
): boolean | undefined {
  if (platform !== 'linux') return undefined;
  try {
    const found = startOf(pid);
    return Number.isFinite(found) ? Math.abs(found - startedAt) <= toleranceMs : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process with this pid and start time is stopped, as by SIGSTOP or Ctrl+Z. False if unknown, and outside Linux. */
export function isStopped(pid: number, startedAt: number): boolean {
  try {
    return isSameProcess(pid, startedAt) === true && statFields(pid)[0] === 'T';
  } catch {
    return false;
  }
}

/** When a process started, in Unix milliseconds. @throws when /proc cannot be read */
function startOf(pid: number): number {
  const ticks = Number(statFields(pid)[19]);
  const boot = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
  return boot * 1000 + ticks * msPerTick;
}

/** What Linux reports of a process, from field 3, its state, on. @throws when /proc cannot be read */
function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Field 2, the program's name in parentheses, may contain spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
