import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/** A disk that delays the final rename of a review's journal file until it is released. */
export interface HeldDisk {
  /** Resolves when a rename is held. */
  readonly reached: Promise<void>;
  release(): void;
}

/** Holds all such renames from now on, in the whole process. The caller releases it. */
export function holdDisk(): HeldDisk {
  const real = promises.rename;
  let release = (): void => {};
  let reach = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const put = (rename: typeof real): void => {
    promises.rename = rename;
    syncBuiltinESMExports();
  };
  put(async (from, to) => {
    if (/^[0-9a-f]{24}\./.test(basename(String(from)))) {
      reach();
      await released;
    }
    return real(from, to);
  });
  return {
    reached,
    release() {
      put(real);
      release();
    },
  };
}
