import { Emitter, type Event, type Logger, logListenerError } from '@tandem/core';

/** How many of the recorder's lines are kept for whoever asks later. */
const keptLines = 1000;
/** How many characters they may hold together. */
const keptCharacters = 4 * 1024 * 1024;

/** The recorder's last lines, and each new one as it comes. */
export class TraceBuffer {
  readonly #lines: string[] = [];
  readonly #didWrite: Emitter<string>;
  #characters = 0;
  #written = 0;

  readonly onDidWrite: Event<string>;

  constructor(logger: Logger) {
    this.#didWrite = new Emitter(logListenerError(logger, 'the trace'));
    this.onDidWrite = this.#didWrite.event;
  }

  /** The oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** How many lines were ever written: another number means that something is new. */
  get written(): number {
    return this.#written;
  }

  write(line: string): void {
    this.#written += 1;
    this.#lines.push(line);
    this.#characters += line.length;
    while (this.#lines.length > keptLines || (this.#characters > keptCharacters && this.#lines.length > 1)) {
      this.#characters -= this.#lines.shift()?.length ?? 0;
    }
    this.#didWrite.fire(line);
  }
}
