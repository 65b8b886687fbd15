import { awakeTimeout, type Path } from '@tandem/core';
import { RefusedFileError } from './refusedFileError.js';

/**
 * libuv does all work on files in so many threads. One that waits for a disk that does not answer is lost until the
 * disk does. At most half of the threads work on files of others, so that our own files are always read and written.
 */
const slots = Math.max(1, Math.floor((Number(process.env.UV_THREADPOOL_SIZE) || 4) / 2));

/** Shorter than the ten seconds that a proposal has for its file, so that its agent receives our reason. */
const defaultLimitMs = 8_000;

interface Run {
  readonly path: Path;
  /** It was given up and still holds its thread. */
  isStuck: boolean;
}

const running = new Set<Run>();
const waiting = new Set<() => void>();

/**
 * Runs `operation` on the file at `path` once a thread is free for it, and gives it up after a time. The operation calls
 * `check` after each step, which throws when it was given up.
 *
 * Rejects with `RefusedFileError` when the disk does not answer, and with the reason of `signal` when that aborts.
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
      // What was aborted may be stuck as well: the limit finds out.
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
        if (isOver) throw new Error(`The work on ${path} was given up.`);
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
 * Resolves to whether no operation holds a thread, after a short wait for those that are about to finish. Node ends only
 * when its threads have: a process that wants to end in spite of a disk that does not answer must kill itself.
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
