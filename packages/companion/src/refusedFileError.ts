import type { Stats } from 'node:fs';
import type { Path } from '@tandem/core';

/** Why a file is not read: what it is, how much it holds, or that its disk does not answer. */
export type RefusedFileReason = 'folder' | 'special' | 'too-large' | 'endless' | 'no-answer';

/** A file that others control is not read. The message names it and says why; `why` says it without the path. */
export class RefusedFileError extends Error {
  override readonly name = 'RefusedFileError';

  constructor(
    readonly path: Path,
    readonly reason: RefusedFileReason,
    readonly why: string,
    /** What is known of it, of one that is too large. */
    readonly stats?: Stats,
  ) {
    super(`${path} is not read: ${why}.`);
  }
}
