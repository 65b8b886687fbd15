import { encodingOf, type FileContent, textOf } from './mergeWithFile.js';
import { mergeText } from './text/merge.js';

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
  /** One side is not text: of the earlier content there is no copy; the present one cannot be merged. */
  | { readonly kind: 'binary'; readonly which: 'before' | 'now' };

/**
 * Undoes changes to one file, the oldest first, without losing what anything else wrote to it before, between or after
 * them. `file` is the present content.
 */
export function undoChanges(changes: readonly FileChange[], file: FileContent): UndoneChanges {
  let content = file;
  let [isMerged, isDone] = [false, false];
  let conflicts = 0;
  for (const change of joined(changes).reverse()) {
    const step = undoOne(change, content);
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
  if (!isDone || isSameContent(content, file)) return { kind: 'nothing' };
  return { kind: isMerged ? 'merged' : 'restored', content };
}

/** Whether both are the same text in the same encoding, or both are missing. Contents that are not text are never the same. */
export function isSameContent(one: FileContent, other: FileContent): boolean {
  if (one.kind === 'text' && other.kind === 'text')
    return one.text === other.text && one.encoding === other.encoding;
  return one.kind === 'missing' && other.kind === 'missing';
}

function undoOne({ before, after }: FileChange, file: FileContent): UndoneChanges {
  if (isSameContent(before, after) || isSameContent(file, before)) return { kind: 'nothing' };
  if (before.kind === 'binary') return { kind: 'binary', which: 'before' };
  if (isSameContent(file, after)) return { kind: 'restored', content: before };
  if (file.kind === 'binary') return { kind: 'binary', which: 'now' };
  if (before.kind === 'missing') return file.kind === 'missing' ? { kind: 'nothing' } : { kind: 'changed' };
  // Something else removed the file; the earlier text is what was asked for.
  if (file.kind === 'missing') return { kind: 'restored', content: before };
  const names = { mine: 'the earlier text', theirs: 'the file' };
  const merged = mergeText(textOf(after), before.text, file.text, names);
  // The encoding is restored, too, unless something else changed it.
  const encoding = file.encoding === encodingOf(after) ? before.encoding : file.encoding;
  return merged.ok
    ? { kind: 'merged', content: { kind: 'text', text: merged.text, encoding } }
    : { kind: 'conflict', text: merged.text, encoding, conflicts: merged.conflicts.length };
}

/** Joins changes that follow each other without another change in between. */
function joined(changes: readonly FileChange[]): FileChange[] {
  const all: FileChange[] = [];
  for (const change of changes) {
    const last = all.at(-1);
    if (last !== undefined && isSameContent(last.after, change.before)) {
      all[all.length - 1] = { before: last.before, after: change.after };
    } else all.push(change);
  }
  return all;
}
