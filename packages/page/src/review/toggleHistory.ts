/** A hunk that was kept or dropped, and how many edits could be undone when that was done. */
interface HunkToggle {
  readonly hunk: number;
  readonly isKept: boolean;
  readonly depth: number;
}

/**
 * Lets undo and redo take hunks in turn with what was typed. The editor's own history does not know of them: a hunk is
 * kept or dropped by the host.
 */
export class ToggleHistory {
  readonly #done: HunkToggle[] = [];
  readonly #undone: HunkToggle[] = [];

  /** A hunk was kept or dropped while `depth` edits could be undone. */
  add(hunk: number, isKept: boolean, depth: number): void {
    this.#done.push({ hunk, isKept, depth });
    this.#undone.length = 0;
  }

  /** Something was typed: what was undone before cannot be done again. */
  forgetUndone(): void {
    this.#undone.length = 0;
  }

  /** What to ask of the host when the last thing done was a hunk. */
  undo(depth: number): { readonly hunk: number; readonly isKept: boolean } | undefined {
    // Edits below were undone to less than that: the toggle stands above nothing of its own time.
    while ((this.#done.at(-1)?.depth ?? 0) > depth) this.#done.pop();
    const last = this.#done.at(-1);
    if (last === undefined || last.depth !== depth) return undefined;
    this.#done.pop();
    this.#undone.push(last);
    return { hunk: last.hunk, isKept: !last.isKept };
  }

  /** What to ask of the host when the last thing undone was a hunk. */
  redo(depth: number): { readonly hunk: number; readonly isKept: boolean } | undefined {
    const last = this.#undone.at(-1);
    if (last === undefined || last.depth !== depth) return undefined;
    this.#undone.pop();
    this.#done.push(last);
    return { hunk: last.hunk, isKept: last.isKept };
  }
}
