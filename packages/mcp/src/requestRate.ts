/** Counts what comes within a second. The time is a steady one: a clock that is set does not upset it. */
export class RequestRate {
  readonly #perSecond: number;
  #began = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts one more; false when it is one too many for this second. */
  admits(): boolean {
    const now = performance.now();
    if (now - this.#began >= 1000) {
      this.#began = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#perSecond;
  }
}
