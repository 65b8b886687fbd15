/** Does what takes several turns of the event loop one after the other, in the order of the calls. */
export class Turns {
  #last: Promise<unknown> | undefined;

  /** Runs at once if nothing else is running. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last === undefined ? task() : this.#last.then(task);
    const ended: Promise<void> = turn.then(
      () => this.#end(ended),
      () => this.#end(ended),
    );
    this.#last = ended;
    return turn;
  }

  /** Resolves when everything so far has ended. Never rejects. */
  async ended(): Promise<void> {
    await this.#last;
  }

  #end(turn: Promise<unknown>): void {
    if (this.#last === turn) this.#last = undefined;
  }
}
