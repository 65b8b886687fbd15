import { hasOtherMode, modeWithout, withMode } from './fileMode.js';
import { mergeInSteps } from './merge.js';
import { encodingOf, type FileContent, isSameContent, textOf } from './mergeWithFile.js';
import { StandingLines } from './standingLines.js';
import { finish, type Steps } from './steps.js';

/** One change of a file: an accepted proposal, or a restoration. */
export interface FileChange {
  readonly before: FileContent;
  readonly after: FileContent;
}

/** What a file contains once changes to it are undone. */
export type UndoneChanges =
  /** The changes are not in the file. */
  | { readonly kind: 'nothing' }
  /** The file was as the changes left it. */
  | { readonly kind: 'restored'; readonly content: FileContent }
  /** The file changed on other lines since; those changes stay. */
  | { readonly kind: 'merged'; readonly content: FileContent }
  /** The file changed on the same lines since. `text` has both versions between conflict markers. */
  | {
      readonly kind: 'conflict';
      readonly text: string;
      readonly encoding?: string | undefined;
      readonly conflicts: number;
    }
  /** The file was created, and changed since: to remove it would lose that. */
  | { readonly kind: 'changed' }
  /** One side is not text: of the earlier content there is no copy; the present one cannot be merged; or it has changed since. */
  | { readonly kind: 'binary'; readonly which: 'before' | 'now' | 'changed' };

/**
 * Undoes changes to one file, the oldest first, without losing what anything else wrote to it before, between or after
 * them. `file` is the present content.
 */
export function undoChanges(changes: readonly FileChange[], file: FileContent): UndoneChanges {
  return finish(undoInSteps(changes, file));
}

/** `undoChanges`, with other work between its steps. */
export function* undoInSteps(changes: readonly FileChange[], file: FileContent): Steps<UndoneChanges> {
  let content = file;
  let [isMerged, isDone] = [false, false];
  let conflicts = 0;
  for (const change of joined(changes).reverse()) {
    const step = yield* undoOne(change, content);
    if (step.kind === 'nothing') continue;
    if (step.kind === 'changed' || step.kind === 'binary') return step;
    isDone = true;
    isMerged ||= step.kind === 'merged';
    if (step.kind === 'conflict') conflicts += step.conflicts;
    content =
      step.kind === 'conflict' ? { kind: 'text', text: step.text, encoding: step.encoding } : step.content;
  }
  if (conflicts > 0 && content.kind === 'text')
    return { kind: 'conflict', text: content.text, encoding: content.encoding, conflicts };
  const mode = modeWithout(changes, file);
  const isSame = !isDone || isSameContent(content, file);
  if (isSame && !hasOtherMode(file, mode)) return { kind: 'nothing' };
  return { kind: isMerged ? 'merged' : 'restored', content: withMode(content, mode) };
}

/** What of some changes a file still has. */
export interface StandingChanges {
  /**
   * The file without what stands of them, and with all that anything else wrote to it: the difference to the file is what they
   * changed. What `undoChanges` would restore, unless it would find a conflict.
   */
  readonly before: FileContent;
  /**
   * `none`: the file has none of them. `deleted`: neither, and something else deleted the file. `some`: lines of them were
   * changed again, and stand in `before` as in the file, because it is not known whose they are. `unknown`: one side is not text.
   */
  readonly kind: 'all' | 'some' | 'none' | 'deleted' | 'unknown';
}

/** Finds what of the changes to one file, the oldest first, still stands. `file` is the present content. */
export function* standingChanges(changes: readonly FileChange[], file: FileContent): Steps<StandingChanges> {
  const lines = new StandingLines();
  let before = file;
  let isDeleted = false;
  for (const change of joined(changes).reverse()) {
    if (isSameContent(before, change.before)) continue;
    const isKnown = change.before.kind !== 'binary' || change.before.is !== undefined;
    if (!isKnown) return { kind: 'unknown', before: change.before };
    if (isSameContent(before, change.after)) before = change.before;
    else if (before.kind === 'binary') return { kind: 'unknown', before };
    else if (before.kind === 'missing') isDeleted = true;
    else if (change.before.kind === 'binary') return { kind: 'unknown', before: change.before };
    else if (change.after.kind === 'binary') return { kind: 'unknown', before: change.after };
    else if (change.after.kind === 'text') before = yield* withoutChange(change, before, lines);
  }
  const mode = modeWithout(changes, file);
  before = withMode(before, mode);
  if (lines.hasOverlaps) return { kind: 'some', before };
  if (hasOtherMode(file, mode) || !isSameContent(before, file)) return { kind: 'all', before };
  return { kind: isDeleted ? 'deleted' : 'none', before };
}

function* withoutChange(
  { before, after }: FileChange,
  file: FileContent & { readonly kind: 'text' },
  lines: StandingLines,
): Steps<FileContent> {
  const merged = yield* mergeInSteps(textOf(after), textOf(before), file.text, lines.merge);
  // The change created the file, and nothing else wrote to it.
  if (before.kind === 'missing' && merged.text === '') return before;
  return { kind: 'text', text: merged.text, encoding: encodingBefore({ before, after }, file) };
}

/** The encoding is undone, too, unless something else changed it. */
function encodingBefore({ before, after }: FileChange, file: FileContent): string | undefined {
  const isOwn = before.kind === 'text' && encodingOf(file) === encodingOf(after);
  return encodingOf(isOwn ? before : file);
}

function* undoOne({ before, after }: FileChange, file: FileContent): Steps<UndoneChanges> {
  if (isSameContent(file, before)) return { kind: 'nothing' };
  if (before.kind === 'binary' && before.is === undefined) return { kind: 'binary', which: 'before' };
  if (isSameContent(file, after)) return { kind: 'restored', content: before };
  if (file.kind === 'binary') return { kind: 'binary', which: after.kind === 'binary' ? 'changed' : 'now' };
  if (before.kind === 'missing') return file.kind === 'missing' ? { kind: 'nothing' } : { kind: 'changed' };
  // Something else removed the file; the earlier text is what was asked for.
  if (file.kind === 'missing') return { kind: 'restored', content: before };
  if (before.kind === 'binary' || after.kind === 'binary') return { kind: 'binary', which: 'changed' };
  const names = { mine: 'the earlier text', theirs: 'the file' };
  const merged = yield* mergeInSteps(textOf(after), before.text, file.text, names);
  const encoding = encodingBefore({ before, after }, file);
  return merged.ok
    ? { kind: 'merged', content: { kind: 'text', text: merged.text, encoding } }
    : { kind: 'conflict', text: merged.text, encoding, conflicts: merged.conflicts.length };
}

/** Joins changes that follow each other without another change in between. Without those of permissions alone. */
function joined(changes: readonly FileChange[]): FileChange[] {
  const all: FileChange[] = [];
  for (const change of changes) {
    if (isSameContent(change.before, change.after)) continue;
    const last = all.at(-1);
    if (last !== undefined && isSameContent(last.after, change.before)) {
      all[all.length - 1] = { before: last.before, after: change.after };
    } else all.push(change);
  }
  return all;
}
