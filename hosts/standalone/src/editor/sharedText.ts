import { ChangeSet, Text } from '@codemirror/state';
import { type Disposable, Emitter, type Event } from '@tandem/core';
import { hostClientId } from '@tandem/page/connection';
import type { TextUpdate } from '@tandem/page/wire';
import { finish, KnownResults, lineChangesInSteps, type Pause, type Steps } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import * as z from 'zod';

/** How many code units of changes are kept, for pages that reconnect. */
const maxHistory = 8 * 1024 * 1024;
/** The size of an update without its inserted text. */
const updateOverhead = 64;
/** Code units, and changes, that are handled in one step; a few milliseconds. */
const unitsPerStep = 100_000;
const changesPerStep = 2_000;
/** With more changes, the whole text is built again: applying each of them takes longer. */
const mostApplied = 1_000;

/** Updates of a text; the first one leads from `version` to `version + 1`. */
export interface TextUpdates {
  readonly version: number;
  readonly updates: readonly TextUpdate[];
}

/**
 * The authority of one text that several pages edit, by the protocol of `@codemirror/collab`: updates are applied in order,
 * those of an older version are refused, and their page rebases them. Lines end in `\n`. The creator disposes it.
 */
export class SharedText implements Disposable {
  readonly onDidChange: Event<TextUpdates>;

  readonly #didChange: Emitter<TextUpdates>;
  #doc: Text;
  #version: number;
  readonly #contents = new KnownResults<Text, string>(contentOf, Object.is);
  readonly #replacements = new KnownResults<Replacing, Replacement | undefined>(
    ({ doc, content }) => this.#replacementIn(doc, content),
    (one, other) => one.doc === other.doc && one.content === other.content,
  );
  /** The last updates, the newest last. */
  #history: { readonly update: TextUpdate; readonly size: number }[] = [];
  #historySize = 0;

  /** `version`: how many times the text changed before. */
  constructor(content: string | Text, onListenerError: (error: unknown) => void, version = 0) {
    this.#doc = typeof content === 'string' ? textOf(content) : content;
    this.#version = version;
    this.#didChange = new Emitter(onListenerError);
    this.onDidChange = this.#didChange.event;
  }

  /** The number of updates so far. */
  get version(): number {
    return this.#version;
  }

  get doc(): Text {
    return this.#doc;
  }

  get content(): string {
    return this.#contents.get(this.#doc);
  }

  /** Puts the text together in short steps, so that `content` is known afterwards. */
  prepareContent(pause: Pause): Promise<void> | undefined {
    return this.#contents.prepare(() => this.#doc, pause);
  }

  get length(): number {
    return this.#doc.length;
  }

  slice(from: number, to: number): string {
    return this.#doc.sliceString(from, to);
  }

  /** The updates after `version`; `undefined` if some are no longer kept or there is no such version. */
  updatesSince(version: number): TextUpdate[] | undefined {
    const missed = this.#version - version;
    if (missed < 0 || missed > this.#history.length) return undefined;
    return this.#history.slice(this.#history.length - missed).map(({ update }) => update);
  }

  /**
   * Applies updates that a page made at `version`: all of them, or none and returns `false` if that is not the newest.
   * Throws `bad-params`, and applies nothing, if they are not changes of this text.
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
    this.#apply(
      doc,
      changes.map((change, at) => ({ clientId: updates[at]?.clientId ?? '', changes: change.toJSON() })),
    );
    return true;
  }

  /** Replaces the text by small changes, so that cursors elsewhere stay. */
  replace(content: string): void {
    const found = this.#replacements.get({ doc: this.#doc, content });
    this.#replacements.forget();
    if (found !== undefined) this.#apply(found.doc, [{ clientId: hostClientId, changes: found.changes }]);
  }

  /** The text after `replace`. */
  after(content: string): Text {
    return this.#replacements.get({ doc: this.#doc, content })?.doc ?? this.#doc;
  }

  /** Finds in short steps what `replace` is going to change. Undefined if that took no pause. */
  prepareReplace(newest: () => string, pause: Pause): Promise<void> | undefined {
    return this.#replacements.prepare(() => ({ doc: this.#doc, content: newest() }), pause);
  }

  dispose(): void {
    this.#didChange.dispose();
    this.#history = [];
    this.#historySize = 0;
    this.#contents.forget();
    this.#replacements.forget();
  }

  *#replacementIn(doc: Text, content: string): Steps<Replacement | undefined> {
    const wanted = content.includes('\r') ? content.replace(/\r\n?/g, '\n') : content;
    const from = yield* this.#contents.inSteps(doc);
    if (from === wanted) return undefined;
    const changes = yield* changesOf(from, wanted);
    const isShort = changes.length <= mostApplied;
    return { changes, doc: isShort ? ChangeSet.fromJSON(changes).apply(doc) : yield* textInSteps(wanted) };
  }

  #apply(doc: Text, updates: readonly TextUpdate[]): void {
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

/** The approximate memory of changes, in code units. */
function sizeOf(changes: unknown): number {
  if (typeof changes === 'string') return changes.length;
  return Array.isArray(changes) ? changes.reduce((sum: number, part) => sum + 1 + sizeOf(part), 0) : 1;
}

/** One line of inserted text. A line end in it would put lines and offsets at odds. */
const line = z.string().regex(/^[^\r\n]*$/);
const count = z.int().min(0);
/** `ChangeSet.toJSON()`: an unchanged span is its length, a changed one its length followed by the new lines. */
const changeSet = z.array(z.union([count, z.tuple([count], line)]));

/**
 * Parses changes of a text of `length` code units. `ChangeSet.fromJSON` alone accepts negative lengths and line ends within
 * lines. Throws `bad-params`.
 */
function parseChanges(json: unknown, length: number): ChangeSet {
  const parsed = changeSet.safeParse(json);
  if (!parsed.success) {
    throw new RpcError('bad-params', 'The changes are not a CodeMirror change set.', {
      cause: parsed.error,
    });
  }
  const changes = ChangeSet.fromJSON(parsed.data);
  if (changes.length !== length) {
    throw new RpcError(
      'bad-params',
      `The changes are for a text of ${changes.length} code units; this one has ${length}.`,
    );
  }
  return changes;
}

interface Replacing {
  readonly doc: Text;
  readonly content: string;
}

interface Replacement {
  readonly doc: Text;
  /** As `ChangeSet.toJSON`. */
  readonly changes: readonly unknown[];
}

/** The changes from one text to another, as a change set: by lines, trimmed to the differing part of each. */
export function replacementOf(from: string, to: string): ChangeSet {
  return ChangeSet.fromJSON(finish(changesOf(from, to)));
}

function* changesOf(from: string, to: string): Steps<unknown[]> {
  const [fromLines, toLines] = [yield* linesWithEnds(from), yield* linesWithEnds(to)];
  const changes: unknown[] = [];
  let [fromLine, fromOffset, toLine, toOffset, done] = [0, 0, 0, 0, 0];
  for (const change of yield* lineChangesInSteps(fromLines, toLines)) {
    for (; fromLine < change.from.start; fromLine++) fromOffset += fromLines[fromLine]?.text.length ?? 0;
    for (; toLine < change.to.start; toLine++) toOffset += toLines[toLine]?.text.length ?? 0;
    const [fromStart, toStart] = [fromOffset, toOffset];
    const [fromEnd, toEnd] = [change.from.start + change.from.count, change.to.start + change.to.count];
    for (; fromLine < fromEnd; fromLine++) fromOffset += fromLines[fromLine]?.text.length ?? 0;
    for (; toLine < toEnd; toLine++) toOffset += toLines[toLine]?.text.length ?? 0;
    const { head, gone, come } = differenceOf(from.slice(fromStart, fromOffset), to.slice(toStart, toOffset));
    const start = fromStart + head;
    if (start > done) changes.push(start - done);
    changes.push(come === '' ? [gone] : [gone, ...come.split('\n')]);
    done = start + gone;
    if (changes.length % changesPerStep < 2) yield undefined;
  }
  if (from.length > done) changes.push(from.length - done);
  return changes;
}

/** A text with `\n` line ends; other ends are converted. */
export function textOf(content: string): Text {
  return finish(textInSteps(content));
}

/** `textOf`, with other work between its steps. */
export function* textInSteps(content: string): Steps<Text> {
  let text = Text.empty;
  for (let start = 0; ; ) {
    const end = content.indexOf('\n', start + unitsPerStep) + 1 || content.length;
    const part = Text.of(content.slice(start, end).split(/\r\n?|\n/));
    text = start === 0 ? part : text.append(part);
    start = end;
    if (start >= content.length) return text;
    yield undefined;
  }
}

/** The content of a text, put together with other work between the steps. */
export function* contentOf(doc: Text): Steps<string> {
  let content = '';
  for (let start = 0; start < doc.length; start += unitsPerStep) {
    content += doc.sliceString(start, start + unitsPerStep);
    yield undefined;
  }
  return content;
}

/** The smallest single change of a text: where it begins, how much is removed, and what is inserted. */
function differenceOf(
  before: string,
  after: string,
): { readonly head: number; readonly gone: number; readonly come: string } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  if (isHighSurrogate(before.charCodeAt(head - 1))) head--;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (isLowSurrogate(before.charCodeAt(before.length - tail))) tail--;
  return { head, gone: before.length - tail - head, come: after.slice(head, after.length - tail) };
}

/** Each line with its `\n`: a last line without one differs. */
function* linesWithEnds(text: string): Steps<{ readonly text: string; readonly end: '' }[]> {
  const lines: { text: string; end: '' }[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start) + 1 || text.length;
    lines.push({ text: text.slice(start, end), end: '' });
    start = end;
    if (lines.length % changesPerStep === 0) yield undefined;
  }
  return lines;
}

/** A change must not split a surrogate pair: a page would show neither half. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
