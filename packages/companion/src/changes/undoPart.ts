import { finishWithPauses, isHunkInLines, type UndoneChanges, undoHunksInSteps } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import { describe, type FileWithEntries } from './changedFile.js';

/** Some hunks of what stands of the changes to one file. */
export interface HunkChoice {
  /** Their indexes, from 0. */
  readonly hunks?: readonly number[] | undefined;
  /** Those in these lines of the present text. */
  readonly lines?: { readonly first: number; readonly last: number } | undefined;
  /** Of the file as it was shown. */
  readonly stamp?: string | undefined;
}

/** Undoes some hunks. Throws `RpcError` if the file is not as it was shown, or has none of them. */
export async function undoPart(
  file: FileWithEntries,
  { hunks, lines, stamp }: HunkChoice,
): Promise<UndoneChanges> {
  const { path, now } = file;
  const { before, stamp: present } = await describe(file);
  if (stamp !== undefined && stamp !== present) {
    throw new RpcError('refused', `${path} has changed since it was shown. Look at its changes again.`);
  }
  if (before.kind === 'binary') return { kind: 'binary', which: 'before' };
  if (now.kind === 'binary') return { kind: 'binary', which: 'now' };
  const steps = undoHunksInSteps(
    before,
    now,
    (hunk) => hunks?.includes(hunk.index) === true || (lines !== undefined && isHunkInLines(hunk, lines)),
  );
  const undone = await finishWithPauses(steps, pausing());
  if (undone === undefined) {
    throw new RpcError('not-found', `${path} has no change of an agent in these lines.`);
  }
  return { kind: undone.areAll ? 'restored' : 'merged', content: undone.content };
}
