import { visibleName } from '@tandem/core';
import type { PageReview } from '../wire/index.js';

/**
 * What makes accepting a change dangerous, a sentence each: the user confirms it once. `replaces`: accepting would undo a
 * change of the file.
 */
export function dangersOf(review: PageReview, replaces: boolean): readonly string[] {
  const { path, heldBack, isBinary, isInGitFolder, isOutsideWorkspace } = review;
  const dangers: string[] = [];
  if (isBinary) dangers.push('The file is not text. Accepting replaces all of it with text.');
  if (isInGitFolder) dangers.push('The file is in a .git folder. Git may run commands that it contains.');
  if (heldBack !== undefined) {
    dangers.push(`The file is held back from the agent: ${visibleName(heldBack)}.`);
  }
  if (isOutsideWorkspace) dangers.push(`The file is outside the workspace: ${visibleName(path)}.`);
  if (review.hasConflictMarkers) dangers.push('The text contains conflict markers.');
  if (replaces) {
    dangers.push(
      'The file changed on disk on the same lines, or was deleted. Accepting replaces all of it with the text shown here.',
    );
  }
  return dangers;
}

/** The label of the button that accepts in spite of the dangers. */
export function acceptLabel(review: PageReview, replaces: boolean): string {
  if (replaces) return 'Accept and replace';
  return review.hasConflictMarkers ? 'Accept with conflict markers' : 'Accept';
}
