import { type ConflictNames, type MergeResult, mergeInSteps } from './merge.js';
import { finish, type Steps } from './steps.js';

/** The content at a path. */
export type FileContent =
  | { readonly kind: 'missing' }
  /** `encoding` is absent for UTF-8. A byte order mark is part of the text. */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly encoding?: string | undefined;
      /** The permission bits, where they count. */
      readonly mode?: number | undefined;
    }
  /** Not text: it cannot be shown as lines, and a proposal for it is decided whole. `size` in bytes. */
  | {
      readonly kind: 'binary';
      readonly size: number;
      /** What it is, where that is known: two contents with the same name are the same. */
      readonly is?: string | undefined;
      readonly mode?: number | undefined;
    };

/** The text at a path; empty if there is none. */
export function textOf(content: FileContent): string {
  return content.kind === 'text' ? content.text : '';
}

/**
 * Whether both are the same text in the same encoding, both are missing, or both are not text and have the same name. Permissions do
 * not count.
 */
export function isSameContent(one: FileContent, other: FileContent): boolean {
  if (one.kind === 'text' && other.kind === 'text')
    return one.text === other.text && one.encoding === other.encoding;
  if (one.kind === 'binary' && other.kind === 'binary') return one.is !== undefined && one.is === other.is;
  return one.kind === 'missing' && other.kind === 'missing';
}

/** The encoding of the text at a path; undefined for UTF-8, and if there is no text. */
export function encodingOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.encoding : undefined;
}

/** How the file on disk relates to a proposed text. `text` is what the file would hold with both. */
export type FileMerge =
  /** The file already contains the proposed text. */
  | { readonly kind: 'applied'; readonly text: string }
  /** The file is as it was when the text was proposed. */
  | { readonly kind: 'unchanged'; readonly text: string }
  /** The file changed on other lines. */
  | { readonly kind: 'merged'; readonly text: string }
  /** The file changed on the same lines. `text` has both versions between conflict markers. */
  | { readonly kind: 'conflict'; readonly text: string; readonly conflicts: number }
  /** The file was deleted; `text` would create it again. */
  | { readonly kind: 'deleted'; readonly text: string }
  /** The file is no longer text. */
  | { readonly kind: 'binary' };

const proposalName = 'the proposal';

/** How the two sides of a conflict are marked. */
function conflictNames(name = proposalName): ConflictNames {
  return { mine: name, theirs: 'the file' };
}

/**
 * The rule for a file that changed after a text was proposed for it: merge what merges cleanly, guess nothing.
 * `original` is the file's content at that time, `file` its current content. `name` labels `content` in the conflict
 * markers.
 */
export function mergeWithFile(
  original: FileContent,
  content: string,
  file: FileContent,
  name = proposalName,
): FileMerge {
  return finish(mergeWithFileInSteps(original, content, file, name));
}

type TextMerge = (base: string, mine: string, theirs: string, marks: ConflictNames) => Steps<MergeResult>;

/** `mergeWithFile`, with other work between its steps. `merge` merges the texts. */
export function* mergeWithFileInSteps(
  original: FileContent,
  content: string,
  file: FileContent,
  name = proposalName,
  merge: TextMerge = mergeInSteps,
): Steps<FileMerge> {
  if (file.kind === 'binary') return { kind: 'binary' };
  if (file.kind === 'missing') {
    return { kind: original.kind === 'missing' ? 'unchanged' : 'deleted', text: content };
  }
  if (file.text === content) return { kind: 'applied', text: content };
  if (original.kind === 'text' && file.text === original.text) return { kind: 'unchanged', text: content };
  const merged = yield* merge(textOf(original), content, file.text, conflictNames(name));
  if (!merged.ok) return { kind: 'conflict', text: merged.text, conflicts: merged.conflicts.length };
  return { kind: merged.text === file.text ? 'applied' : 'merged', text: merged.text };
}
