import { isDiskFree } from '@tandem/companion/files';

/** How long a reading may take to finish. */
const waitMs = 500;

/**
 * Ends this process when it is done and a disk that does not answer would keep it. Node waits for all of its threads, also
 * in `process.exit`; only a signal ends one that waits for a disk.
 */
export async function endDespiteDisk(): Promise<void> {
  if (!(await isDiskFree(waitMs))) process.kill(process.pid, 'SIGKILL');
}
