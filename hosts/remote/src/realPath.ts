import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Path } from '@tandem/core';

/**
 * The path without links, also of a file that does not exist. Agents and plugins spell paths in their own ways; the editor
 * protocol has real paths alone. Synchronous: the companion has read the file before, within a limit.
 */
export function realPathOf(path: Path): Path {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}
