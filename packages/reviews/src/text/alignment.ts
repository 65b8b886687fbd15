/** The pairs of an alignment: `left[at]` and `right[at]` are equal elements, ascending on both sides. */
export interface Alignment {
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/** A row of the search: for one number of edits, what is known on each diagonal. */
interface Row {
  /** Where each path begins after its last edit, and whether that was an insertion. */
  readonly starts: Int32Array;
  readonly isInsertion: Uint8Array;
}

/** No path reaches this diagonal. */
const none = -2;
/** How much is compared in one step; some milliseconds. */
const stepSize = 10_000;

/**
 * Aligns two sequences with as few insertions and deletions as possible, by the algorithm of Myers; undefined if more
 * than `maxEdits` are needed. A generator, so that other work can be done between its steps.
 *
 * It finds what `diffArrays` of the package diff finds, in a tenth of the time: numbers in typed arrays take the place of
 * an object for each path. Deletions come before insertions.
 */
export function* align(
  left: Int32Array,
  right: Int32Array,
  maxEdits: number,
): Generator<undefined, Alignment | undefined> {
  const search = new Search(left, right, Math.min(maxEdits, left.length + right.length));
  let compared = search.begin();
  while (!search.isFound) {
    if (search.edits >= search.maxEdits) return undefined;
    compared += search.addEdit();
    if (compared < stepSize) continue;
    compared = 0;
    yield undefined;
  }
  yield undefined;
  return search.trace();
}

class Search {
  readonly maxEdits: number;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #rows: Row[] = [];
  /** By diagonal: the last element of `left` that its path has passed. The diagonal is that minus the one of `right`. */
  readonly #best: Int32Array;
  /** A path that has passed the end of one side never needs a diagonal beyond. */
  #min = Number.NEGATIVE_INFINITY;
  #max = Number.POSITIVE_INFINITY;
  #foundOn: number | undefined;

  constructor(left: Int32Array, right: Int32Array, maxEdits: number) {
    this.#left = left;
    this.#right = right;
    this.maxEdits = maxEdits;
    this.#best = new Int32Array(2 * maxEdits + 3).fill(none);
  }

  get edits(): number {
    return this.#rows.length;
  }

  get isFound(): boolean {
    return this.#foundOn !== undefined;
  }

  /** Returns how many elements were compared. */
  begin(): number {
    const reached = this.#follow(-1, 0);
    this.#best[this.maxEdits + 1] = reached;
    if (this.#isEnd(reached, 0)) this.#foundOn = 0;
    return reached + 2;
  }

  /** Extends all paths by one edit and the equal elements that follow it. */
  addEdit(): number {
    const edits = this.edits + 1;
    const best = this.#best;
    const zero = this.maxEdits + 1;
    const row: Row = { starts: new Int32Array(edits + 1), isInsertion: new Uint8Array(edits + 1) };
    this.#rows.push(row);
    let compared = 0;
    const last = Math.min(this.#max, edits);
    for (let diagonal = Math.max(this.#min, -edits); diagonal <= last; diagonal += 2) {
      compared++;
      const before = best[zero + diagonal - 1] ?? none;
      const after = best[zero + diagonal + 1] ?? none;
      best[zero + diagonal - 1] = none;
      const inRight = after - diagonal;
      const canInsert = after !== none && inRight >= 0 && inRight < this.#right.length;
      const canDelete = before !== none && before + 1 < this.#left.length;
      if (!canInsert && !canDelete) {
        best[zero + diagonal] = none;
        continue;
      }
      const isInsertion = !canDelete || (canInsert && before < after);
      const start = isInsertion ? after : before + 1;
      const at = (diagonal + edits) / 2;
      row.starts[at] = start;
      row.isInsertion[at] = isInsertion ? 1 : 0;
      const reached = this.#follow(start, diagonal);
      compared += reached - start;
      best[zero + diagonal] = reached;
      if (this.#isEnd(reached, diagonal)) {
        this.#foundOn = diagonal;
        return compared;
      }
      if (reached + 1 >= this.#left.length) this.#max = Math.min(this.#max, diagonal - 1);
      if (reached - diagonal + 1 >= this.#right.length) this.#min = Math.max(this.#min, diagonal + 1);
    }
    return compared;
  }

  /** The alignment that was found, from its end. */
  trace(): Alignment {
    let diagonal = this.#foundOn ?? 0;
    const count = (this.#left.length + this.#right.length - this.edits) / 2;
    const [left, right] = [new Int32Array(count), new Int32Array(count)];
    let next = count;
    const pairDownTo = (start: number, end: number): void => {
      for (let at = end; at > start; at--) {
        left[--next] = at;
        right[next] = at - diagonal;
      }
    };
    let end = this.#left.length - 1;
    for (let edits = this.edits; edits > 0; edits--) {
      const row = this.#rows[edits - 1];
      const at = (diagonal + edits) / 2;
      const start = row?.starts[at] ?? 0;
      pairDownTo(start, end);
      const isInsertion = row?.isInsertion[at] === 1;
      diagonal += isInsertion ? 1 : -1;
      end = isInsertion ? start : start - 1;
    }
    pairDownTo(-1, end);
    return { left, right };
  }

  /** Passes equal elements, and returns the last one. */
  #follow(from: number, diagonal: number): number {
    const [left, right] = [this.#left, this.#right];
    let at = from;
    while (
      at + 1 < left.length &&
      at + 1 - diagonal < right.length &&
      left[at + 1] === right[at + 1 - diagonal]
    )
      at++;
    return at;
  }

  #isEnd(reached: number, diagonal: number): boolean {
    return reached + 1 >= this.#left.length && reached - diagonal + 1 >= this.#right.length;
  }
}
