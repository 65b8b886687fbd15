import { realpathSync } from 'node:fs';
import type { Path } from '@tandem/core';

/** The path with all links resolved, or the same path if it does not exist. */
export function realPathOr(path: Path): Path {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
