import { awakeTimeout, type Path } from '@tandem/core';
import { RefusedFileError } from './refusedFileError.js';

/**
 * libuv runs all file operations in a pool of this many threads. A thread that waits for an unresponsive disk is
 * blocked until the disk answers. At most half of the threads work on files that others control, so that our own files
 * can always be read and written.
 */
const slots = Math.max(1, Math.floor((Number(process.env.UV_THREADPOOL_SIZE) || 4) / 2));

/** Shorter than the ten seconds that a proposal may wait for its file, so that the agent receives our reason. */
const defaultLimitMs = 8_000;

interface Run {
  readonly path: Path;
  /** The operation timed out and still holds its thread. */
  isStuck: boolean;
}

const running = new Set<Run>();
const waiting = new Set<() => void>();

/**
 * Runs `operation` on the file at `path` once a thread is free for it, and abandons it after a time limit. The
 * operation calls `check` after each step, which throws if the operation was abandoned.
 *
 * Rejects with `RefusedFileError` if the disk does not answer, and with the reason of `signal` if it aborts.
 */
export function onDisk<T>(
  path: Path,
  operation: (check: () => void) => Promise<T>,
  how: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<T> {
  const { signal, timeoutMs = defaultLimitMs } = how;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stuck = [...running].filter(({ isStuck }) => isStuck);
    if (stuck.some((each) => each.path === path)) throw noAnswer(path);
    if (stuck.length >= slots) throw noAnswer(path, stuck[0]?.path);
    const run: Run = { path, isStuck: false };
    let isOver = false;
    const end = (finish: () => void): void => {
      if (isOver) return;
      isOver = true;
      waiting.delete(start);
      signal?.removeEventListener('abort', onAbort);
      // An aborted operation may be stuck as well: the limit detects that.
      if (!running.has(run)) limit.dispose();
      finish();
    };
    const onAbort = (): void => end(() => reject(signal?.reason));
    const release = (finish: () => void): void => {
      limit.dispose();
      running.delete(run);
      end(finish);
      const [next] = waiting;
      next?.();
    };
    const start = (): void => {
      waiting.delete(start);
      running.add(run);
      operation(() => {
        if (isOver) throw new Error(`The operation on ${path} was cancelled.`);
      }).then(
        (result) => release(() => resolve(result)),
        (error: unknown) => release(() => reject(error)),
      );
    };
    const limit = awakeTimeout(() => {
      run.isStuck = running.has(run);
      end(() => reject(noAnswer(path)));
    }, timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (running.size < slots) start();
    else waiting.add(start);
  });
}

/**
 * Resolves to whether no operation holds a thread, after a short wait for operations that are about to finish. Node
 * exits only after its threads have finished: a process that must exit despite an unresponsive disk has to kill itself.
 */
export async function isDiskFree(waitMs: number): Promise<boolean> {
  for (const until = Date.now() + waitMs; running.size > 0 && Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return running.size === 0;
}

function noAnswer(path: Path, other: Path = path): RefusedFileError {
  const why =
    other === path
      ? 'its disk does not answer'
      : `the disk of ${other} does not answer, and no other file is read until it does`;
  return new RefusedFileError(path, 'no-answer', why);
}
