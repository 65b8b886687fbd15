import { type Disposable, Emitter, type Event, type Logger, logListenerError } from '@tandem/core';

/** How many of the recorder's lines are kept. */
const keptLines = 1000;
/** How many characters all kept lines may have together. */
const keptCharacters = 4 * 1024 * 1024;

/** The recorder's last lines, and each new one. */
export class TraceBuffer {
  readonly #lines: string[] = [];
  readonly #startedAt: number;
  readonly #didWrite: Emitter<string>;
  #characters = 0;
  #written = 0;

  readonly onDidWrite: Event<string>;

  constructor(clock: { now(): number }, logger: Logger) {
    this.#startedAt = clock.now();
    this.#didWrite = new Emitter(logListenerError(logger, 'the trace'));
    this.onDidWrite = this.#didWrite.event;
  }

  /** The oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Changes when `lines` changes. Each buffer has its own versions. */
  get version(): string {
    return `${this.#startedAt}-${this.#written}`;
  }

  /** Passes on the existing lines and then each new one, until it is disposed. */
  follow(write: (line: string) => void): Disposable {
    for (const line of this.#lines) write(line);
    return this.onDidWrite(write);
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
