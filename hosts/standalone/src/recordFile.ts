import { appendFileSync, closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { describeError, visibleName } from '@tandem/core';
import { CommandError, exitCode } from './exitCode.js';

/** Without waiting for somebody to read, as a pipe would; this user alone may read what is recorded. */
const flags =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0);

/** The file of `serve --record`. Whoever opens it closes it. */
export class RecordFile {
  readonly #handle: number;
  #isClosed = false;

  private constructor(handle: number) {
    this.#handle = handle;
  }

  /** Throws `CommandError` when it cannot be written, or is not a regular file: writing into a pipe could block us. */
  static open(file: string): RecordFile {
    const requireRegular = (found: Stats | undefined): void => {
      if (found === undefined || found.isFile()) return;
      throw new CommandError(
        `${visibleName(file)} is not a regular file. Name another file for --record.`,
        exitCode.usage,
      );
    };
    try {
      // Looked at first: to open some devices has effects of its own.
      requireRegular(statSync(file, { throwIfNoEntry: false }));
      const handle = openSync(file, flags, 0o600);
      try {
        requireRegular(fstatSync(handle));
        return new RecordFile(handle);
      } catch (error) {
        closeSync(handle);
        throw error;
      }
    } catch (cause) {
      if (cause instanceof CommandError) throw cause;
      throw new CommandError(
        `${visibleName(file)} cannot be written: ${describeError(cause)}`,
        exitCode.usage,
        {
          cause,
        },
      );
    }
  }

  append(line: string): void {
    if (!this.#isClosed) appendFileSync(this.#handle, `${line}\n`);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#handle);
  }
}
