import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/** A disk that does not put the file of a review in its place in the journal before it is released. */
export interface HeldDisk {
  /** Resolves when a file waits. */
  readonly reached: Promise<void>;
  release(): void;
}

/** Holds what is renamed from now on, in the whole process. The caller releases it. */
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
