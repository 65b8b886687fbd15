/** More pairs than a store of small files has; the oldest are dropped. */
const maxPairs = 100_000;

/** The contents that paths had before: they are removed from the store when a path becomes hidden. */
export class PastContents {
  readonly #hashes = new Map<string, Set<string>>();
  #count = 0;
  #isNew: [string, string][] = [];

  /** Notes that a path had a content. */
  add(path: string, hash: string): void {
    const known = this.#hashes.get(path) ?? new Set<string>();
    if (known.has(hash)) return;
    known.add(hash);
    this.#hashes.set(path, known);
    // Without a store, nobody takes them.
    if (this.#isNew.length < maxPairs) this.#isNew.push([path, hash]);
    this.#count += 1;
    for (const [oldest, hashes] of this.#hashes) {
      if (this.#count <= maxPairs) break;
      this.#hashes.delete(oldest);
      this.#count -= hashes.size;
    }
  }

  /** The contents of a path, which are then forgotten. */
  take(path: string): readonly string[] {
    const hashes = [...(this.#hashes.get(path) ?? [])];
    this.#hashes.delete(path);
    this.#count -= hashes.length;
    return hashes;
  }

  /** The paths of which it knows contents. */
  paths(): Iterable<string> {
    return [...this.#hashes.keys()];
  }

  /** All pairs of a path and a hash. */
  *all(): Generator<readonly [string, string]> {
    for (const [path, hashes] of this.#hashes) for (const hash of hashes) yield [path, hash];
  }

  /** The pairs that were added since the last call. */
  takeNew(): readonly (readonly [string, string])[] {
    const pairs = this.#isNew;
    this.#isNew = [];
    return pairs;
  }
}
