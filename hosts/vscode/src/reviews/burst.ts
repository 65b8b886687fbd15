import type { Clock, Disposable } from '@tandem/core';

/** Collects items that arrive within `quietMs` of each other, and passes them on together. Its creator disposes it. */
export class Burst<T> implements Disposable {
  readonly #options: BurstOptions<T>;
  #items: T[] = [];
  #quiet: Disposable | undefined;

  constructor(options: BurstOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    const { clock, quietMs } = this.#options;
    this.#items.push(item);
    this.#quiet?.dispose();
    this.#quiet = clock.setTimeout(() => this.#end(), quietMs);
  }

  dispose(): void {
    this.#quiet?.dispose();
  }

  #end(): void {
    const items = this.#items;
    this.#items = [];
    this.#options.onEnd(items);
  }
}

interface BurstOptions<T> {
  readonly clock: Clock;
  readonly quietMs: number;
  /** At least one item, in order of arrival. */
  readonly onEnd: (items: readonly T[]) => void;
}
