/** A call that waits for the user. */
interface WaitingCall {
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  /** Call it when the hook has its answer. */
  end(): void;
}

/** The calls of an agent's hooks that wait for the user, by the agent's ids of its sessions. */
export class WaitingCalls {
  /** Ends each call of a session. */
  readonly #waiting = new Map<string, Set<() => void>>();
  /** What is called when no call of the session waits any more: with whether the last one was decided. */
  readonly #whenOver = new Map<string, (isDecided: boolean) => void>();

  has(session: string): boolean {
    return this.#waiting.has(session);
  }

  /** `signal`: aborts when the hook ends. */
  begin(session: string, signal: AbortSignal): WaitingCall {
    const over = new AbortController();
    const end = (): void => over.abort();
    const all = this.#waiting.get(session) ?? new Set();
    this.#waiting.set(session, all.add(end));
    signal.addEventListener('abort', end, { once: true });
    return {
      signal: over.signal,
      end: () => {
        all.delete(end);
        if (all.size === 0) {
          this.#waiting.delete(session);
          this.#whenOver.get(session)?.(!over.signal.aborted);
          this.#whenOver.delete(session);
        }
        signal.removeEventListener('abort', end);
      },
    };
  }

  /** Ends all calls of a session. */
  endAll(session: string): void {
    for (const end of [...(this.#waiting.get(session) ?? [])]) end();
  }

  /** Resolves when no call of the session waits, or when `signal` aborts: to whether the last call was decided, and not interrupted. */
  whenOver(session: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      this.#whenOver.set(session, resolve);
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
  }
}
