import { type FileChange, finishWithPauses, type Hunk, undoHunksInSteps } from '@tandem/reviews';
import { type HunkChoice, RpcError } from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import { type FileWithEntries, standingOf } from './changedFile.js';
import { isChosenBy, requireStamp } from './undoPart.js';

/** Two changes in the place of some. */
export interface ChangeParts {
  readonly kept: FileChange;
  readonly rest: FileChange;
}

/**
 * Tells some hunks of changes from the rest: undoing one part leaves the other. `all`: there is no rest. Throws `RpcError` if the file is
 * not as it was shown, or if something else changed the same lines.
 */
export async function keepPart(
  file: FileWithEntries,
  choice: HunkChoice,
): Promise<ChangeParts | 'none' | 'all'> {
  const { path, now } = file;
  await requireStamp(file, choice);
  const pause = pausing();
  const { before, kind } = await finishWithPauses(standingOf(file), pause);
  if (kind === 'none') return 'none';
  const isText = before.kind !== 'binary' && now.kind !== 'binary';
  const isChosen = isChosenBy(choice);
  let chosen = 0;
  const isRest = (hunk: Hunk): boolean => {
    if (!isChosen(hunk)) return true;
    chosen += 1;
    return false;
  };
  const rest = isText ? await finishWithPauses(undoHunksInSteps(before, now, isRest), pause) : undefined;
  if (isText && chosen === 0) return 'none';
  if (!isText || kind !== 'all') {
    throw new RpcError(
      'refused',
      `${path} was changed again on lines of these changes, so they cannot be kept one by one. Keep the whole file.`,
    );
  }
  if (rest === undefined) return 'all';
  return { kept: { before, after: rest.content }, rest: { before: rest.content, after: now } };
}
