import { shorten } from '@tandem/core';
import type { SessionTurn } from '@tandem/reviews';

/** Of a prompt, this many characters are its title. */
const titleLength = 120;
/** The turns of this many sessions are known. */
const remembered = 500;

/** The present turn of each session whose hooks report prompts. */
export class SessionTurns {
  readonly #turns = new Map<string, SessionTurn>();
  readonly #lastBefore: (session: string) => number;

  /** `lastBefore`: the number of the last known turn of a session that this companion has not seen. */
  constructor(lastBefore: (session: string) => number) {
    this.#lastBefore = lastBefore;
  }

  of(session: string): SessionTurn | undefined {
    return this.#turns.get(session);
  }

  /** The user sent a prompt. */
  begin(session: string, prompt: string | undefined): void {
    const number = (this.#turns.get(session)?.number ?? this.#lastBefore(session)) + 1;
    const title = prompt && shorten(prompt.trim().replace(/\s+/g, ' '), titleLength);
    this.#turns.delete(session);
    this.#turns.set(session, { number, ...(title && { prompt: title }) });
    for (const oldest of this.#turns.keys()) {
      if (this.#turns.size <= remembered) break;
      this.#turns.delete(oldest);
    }
  }
}
