import { appendFileSync, closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { describeError, visibleName } from '@tandem/core';
import { CommandError, exitCode } from './exitCode.js';

/** Non-blocking: opening a pipe must not wait for a reader. */
const flags =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0);

/** The file of `serve --record`. The caller of `open` closes it. */
export class RecordFile {
  readonly #handle: number;
  #isClosed = false;

  private constructor(handle: number) {
    this.#handle = handle;
  }

  /** Throws `CommandError` if it cannot be written, or is not a regular file: writing to a pipe could block. */
  static open(file: string): RecordFile {
    const requireRegular = (found: Stats | undefined): void => {
      if (found === undefined || found.isFile()) return;
      throw new CommandError(
        `${visibleName(file)} is not a regular file. Name another file for --record.`,
        exitCode.usage,
      );
    };
    try {
      // Checked before opening, which has effects on some devices.
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
