import type { FileContent } from './mergeWithFile.js';

/** The permissions of a file, where they count. */
function modeOf(content: FileContent): number | undefined {
  return content.kind === 'missing' ? undefined : content.mode;
}

/** The same content with other permissions. */
export function withMode(content: FileContent, mode: number | undefined): FileContent {
  return content.kind === 'missing' || content.mode === mode ? content : { ...content, mode };
}

/** Whether a file is known to have other permissions than these. */
export function hasOtherMode(file: FileContent, mode: number | undefined): boolean {
  const now = modeOf(file);
  return mode !== undefined && now !== undefined && now !== mode;
}

/**
 * The permissions of a file without changes to it, the oldest first. Permissions that something else gave it stay; a file that the
 * changes removed gets back those that it had.
 */
export function modeWithout(
  changes: readonly { readonly before: FileContent; readonly after: FileContent }[],
  file: FileContent,
): number | undefined {
  let mode = modeOf(file);
  let isMissing = file.kind === 'missing';
  for (const { before, after } of changes.toReversed()) {
    if (before.kind === 'missing') {
      isMissing = true;
      mode = undefined;
    } else if (isMissing || (mode !== undefined && mode === modeOf(after))) {
      mode = modeOf(before) ?? mode;
      isMissing = false;
    }
  }
  return mode;
}
