import {
  finishWithPauses,
  type Hunk,
  isHunkInLines,
  isSameContent,
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
  if (before.kind === 'binary' || now.kind === 'binary') {
    if (before.kind === 'binary' && before.is === undefined) return { kind: 'binary', which: 'before' };
    throw new RpcError('refused', `${path} has no lines to undo: it is not text. Undo it as a whole.`);
  }
  const undone = await finishWithPauses(undoHunksInSteps(before, now, isChosenBy(choice)), pausing());
  if (undone === undefined) {
    throw new RpcError('not-found', `${path} has no change of an agent in these lines.`);
  }
  return { kind: undone.areAll ? 'restored' : 'merged', content: undone.content };
}

/** Undoes all that stands of the changes. Lines that were changed again later stay. */
export async function undoStanding(file: FileWithEntries): Promise<UndoneChanges> {
  const { now } = file;
  const { before } = await finishWithPauses(standingOf(file), pausing());
  if (before.kind === 'binary' && before.is === undefined) return { kind: 'binary', which: 'before' };
  return isSameContent(before, now) ? { kind: 'nothing' } : { kind: 'merged', content: before };
}

/** The stamp of a file. Throws `RpcError` if it is not as it was shown. */
export async function requireStamp(file: FileWithEntries, { stamp }: HunkChoice): Promise<string> {
  const present = await finishWithPauses(stampOf(file), pausing());
  if (stamp === undefined || stamp === present) return present;
  throw new RpcError('refused', `${file.path} has changed since it was shown. Look at its changes again.`);
}

/** Which hunks are chosen. */
export function isChosenBy({ hunks, lines }: HunkChoice): (hunk: Hunk) => boolean {
  return (hunk) =>
    hunks?.includes(hunk.index) === true || (lines !== undefined && isHunkInLines(hunk, lines));
}
