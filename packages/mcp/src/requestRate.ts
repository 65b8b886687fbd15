/** Counts requests per second, by a monotonic clock. */
export class RequestRate {
  readonly #perSecond: number;
  #began = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a request. Returns false if it exceeds the limit for this second. */
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
