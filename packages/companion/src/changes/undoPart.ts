import {
  type FileContent,
  finishWithPauses,
  type Hunk,
  isHunkInLines,
  type UndoneChanges,
  undoHunksInSteps,
} from '@tandem/reviews';
import { type HunkChoice, RpcError } from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import { describe, type FileWithEntries, stampOf, standingOf } from './changedFile.js';

/** Undoes some hunks. Throws `RpcError` if the file is not as it was shown, or has none of them. */
export async function undoPart(file: FileWithEntries, choice: HunkChoice): Promise<UndoneChanges> {
  const { path, now } = file;
  const { before } = await describe(file, await requireStamp(file, choice));
  if (before.kind === 'binary') return { kind: 'binary', which: 'before' };
  if (now.kind === 'binary') return { kind: 'binary', which: 'now' };
  const undone = await finishWithPauses(undoHunksInSteps(before, now, isChosenBy(choice)), pausing());
  if (undone === undefined) {
    throw new RpcError('not-found', `${path} has no change of an agent in these lines.`);
  }
  return { kind: undone.areAll ? 'restored' : 'merged', content: undone.content };
}

/** Two changes in the place of some. */
export interface ChangeParts {
  readonly kept: { readonly before: FileContent; readonly after: FileContent };
  readonly rest: { readonly before: FileContent; readonly after: FileContent };
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
  if (kind !== 'all' || before.kind === 'binary' || now.kind === 'binary') {
    throw new RpcError(
      'refused',
      `${path} was changed again on lines of these changes, so they cannot be kept one by one. Keep the whole file.`,
    );
  }
  const isChosen = isChosenBy(choice);
  let chosen = 0;
  const rest = await finishWithPauses(
    undoHunksInSteps(before, now, (hunk) => {
      if (!isChosen(hunk)) return true;
      chosen += 1;
      return false;
    }),
    pause,
  );
  if (chosen === 0) return 'none';
  if (rest === undefined) return 'all';
  return { kept: { before, after: rest.content }, rest: { before: rest.content, after: now } };
}

async function requireStamp(file: FileWithEntries, { stamp }: HunkChoice): Promise<string> {
  const present = await finishWithPauses(stampOf(file), pausing());
  if (stamp === undefined || stamp === present) return present;
  throw new RpcError('refused', `${file.path} has changed since it was shown. Look at its changes again.`);
}

function isChosenBy({ hunks, lines }: HunkChoice): (hunk: Hunk) => boolean {
  return (hunk) =>
    hunks?.includes(hunk.index) === true || (lines !== undefined && isHunkInLines(hunk, lines));
}
