import type { Stats } from 'node:fs';
import type { Path } from '@tandem/core';

/** Why a file is not read: its type, its size, or a disk that does not answer. */
export type RefusedFileReason = 'folder' | 'special' | 'too-large' | 'endless' | 'no-answer';

/** A file that others control is not read. The message has the path and the reason; `why` has only the reason. */
export class RefusedFileError extends Error {
  override readonly name = 'RefusedFileError';

  constructor(
    readonly path: Path,
    readonly reason: RefusedFileReason,
    readonly why: string,
    /** The metadata, if the file is too large. */
    readonly stats?: Stats,
  ) {
    super(`${path} is not read: ${why}.`);
  }
}
