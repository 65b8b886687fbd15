import { ChangeSet, type Text } from '@codemirror/state';
import { type Disposable, Emitter, type Event } from '@tandem/core';
import { hostClientId, type TextUpdate } from '@tandem/page/wire';
import { parseChanges } from './parseChanges.js';
import { replacementOf, textOf } from './replacementOf.js';

/** How many code units of changes are remembered, for pages that were away for a moment. */
const maxHistory = 8 * 1024 * 1024;
/** What an update costs besides the text it puts in. */
const updateOverhead = 64;

/** Updates of a text; the first of them leads from `version` to `version + 1`. */
export interface TextUpdates {
  readonly version: number;
  readonly updates: readonly TextUpdate[];
}

/**
 * The authority of one text that several pages edit at once, by the protocol of `@codemirror/collab`: updates are
 * taken in the order they come, those that were made to an older version are refused, and the page that made them
 * rebases. Lines end in `\n`. Whoever creates it disposes it.
 */
export class SharedText implements Disposable {
  readonly onDidChange: Event<TextUpdates>;

  readonly #didChange: Emitter<TextUpdates>;
  #doc: Text;
  #version = 0;
  /** The last updates; the newest of them led to the present version. */
  #history: { readonly update: TextUpdate; readonly size: number }[] = [];
  #historySize = 0;

  constructor(content: string, onListenerError: (error: unknown) => void) {
    this.#doc = textOf(content);
    this.#didChange = new Emitter(onListenerError);
    this.onDidChange = this.#didChange.event;
  }

  /** How many updates there have been. */
  get version(): number {
    return this.#version;
  }

  /** An immutable value. */
  get doc(): Text {
    return this.#doc;
  }

  get content(): string {
    return this.#doc.toString();
  }

  get length(): number {
    return this.#doc.length;
  }

  slice(from: number, to: number): string {
    return this.#doc.sliceString(from, to);
  }

  /** The updates after `version`, or `undefined` when some of them are forgotten or there is no such version. */
  updatesSince(version: number): TextUpdate[] | undefined {
    const missed = this.#version - version;
    if (missed < 0 || missed > this.#history.length) return undefined;
    return this.#history.slice(this.#history.length - missed).map(({ update }) => update);
  }

  /**
   * Applies updates that a page made at `version`: all of them, or none and `false` when that is not the newest.
   * Throws `bad-params` for what are no changes of this text; then nothing is applied either.
   */
  push(version: number, updates: readonly TextUpdate[]): boolean {
    if (version !== this.#version) return false;
    let doc = this.#doc;
    const changes: ChangeSet[] = [];
    for (const update of updates) {
      const change = parseChanges(update.changes, doc.length);
      doc = change.apply(doc);
      changes.push(change);
    }
    this.#take(
      doc,
      changes.map((change, at) => ({ clientId: updates[at]?.clientId ?? '', changes: change.toJSON() })),
    );
    return true;
  }

  /** Makes the text another one, by changes so small that carets elsewhere in it stay where they are. */
  replace(content: string): void {
    const wanted = content.includes('\r') ? textOf(content).toString() : content;
    const changes = ChangeSet.of(replacementOf(this.content, wanted), this.#doc.length);
    if (changes.empty) return;
    this.#take(changes.apply(this.#doc), [{ clientId: hostClientId, changes: changes.toJSON() }]);
  }

  dispose(): void {
    this.#didChange.dispose();
    this.#history = [];
    this.#historySize = 0;
  }

  #take(doc: Text, updates: readonly TextUpdate[]): void {
    if (updates.length === 0) return;
    const version = this.#version;
    this.#doc = doc;
    this.#version += updates.length;
    for (const update of updates) this.#remember(update);
    this.#didChange.fire({ version, updates });
  }

  #remember(update: TextUpdate): void {
    const size = updateOverhead + sizeOf(update.changes);
    this.#history.push({ update, size });
    this.#historySize += size;
    let forgotten = 0;
    while (this.#historySize > maxHistory && forgotten < this.#history.length) {
      this.#historySize -= this.#history[forgotten]?.size ?? 0;
      forgotten++;
    }
    if (forgotten > 0) this.#history.splice(0, forgotten);
  }
}

/** About how much memory changes take, in code units. */
function sizeOf(changes: unknown): number {
  if (typeof changes === 'string') return changes.length;
  return Array.isArray(changes) ? changes.reduce((sum: number, part) => sum + 1 + sizeOf(part), 0) : 1;
}
