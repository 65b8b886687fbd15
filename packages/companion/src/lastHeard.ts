import { Emitter, type Event, type Logger, logListenerError } from '@tandem/core';
import { isProbing, type Recorder } from '@tandem/mcp';

/** When each session's agent sent its last message: a connection that stands says little of whether it is used. */
export class LastHeard {
  readonly #clock: { now(): number };
  readonly #times = new Map<string, number>();
  readonly #didHear: Emitter<void>;

  /** An agent said something. */
  readonly onDidHear: Event<void>;

  constructor(of: { readonly clock: { now(): number }; readonly logger: Logger }) {
    this.#clock = of.clock;
    this.#didHear = new Emitter(logListenerError(of.logger, 'what was heard'));
    this.onDidHear = this.#didHear.event;
  }

  /** Unix time in milliseconds; undefined for a session that has said nothing yet. */
  of(session: string): number | undefined {
    return this.#times.get(session);
  }

  /** A recorder that passes everything on to another, and notes when agents speak: the doctor is none. */
  before(recorder: Recorder): Recorder {
    return {
      record: (entry) => {
        if (entry.direction === 'in' && !isProbing(entry.message)) {
          this.#times.set(entry.session, this.#clock.now());
          this.#didHear.fire();
        }
        recorder.record(entry);
      },
    };
  }

  /** A session is over. */
  forget(session: string): void {
    this.#times.delete(session);
  }

  dispose(): void {
    this.#didHear.dispose();
  }
}
