import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const neededBytes = 4 * 2 ** 30;
const disk = 'TANDEM_TEST_DISK';

/**
 * Gives the tests of this process, and what they start, a TMPDIR in memory: there it takes a tenth of the time to
 * create and to remove a file, and the tests do that a hundred thousand times. A TMPDIR that is set already stays. So
 * does the disk where the memory is too small or starts no programs, as in a Docker container with its defaults.
 */
export function useMemoryFolder(): void {
  if (process.env.TMPDIR !== undefined || !isUsable()) return;
  removeAbandoned();
  process.env[disk] = tmpdir();
  const folder = join(memory, `tandem-${process.pid}`);
  // The tests of the packages run programs in it as another user.
  mkdirSync(folder, { mode: 0o711 });
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
}

/** The system's temporary folder, for tests to which the file system matters. */
export function diskFolder(): string {
  return process.env[disk] ?? tmpdir();
}

function isUsable(): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const mount = mounts.map((line) => line.split(' ')).findLast(([, path]) => path === memory);
  if (mount === undefined) return false;
  const [, , type, options = ''] = mount;
  const isFit =
    type === 'tmpfs' && !options.split(',').some((option) => option === 'noexec' || option === 'ro');
  const { bavail, bsize } = statfsSync(memory);
  return isFit && bavail * bsize >= neededBytes;
}

/** Removes what runs have left that were killed: it would keep its memory. */
function removeAbandoned(): void {
  for (const name of readdirSync(memory)) {
    const pid = /^tandem-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(join(memory, name), { recursive: true, force: true, maxRetries: 20 });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
