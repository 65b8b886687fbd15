import type { Path } from '@tandem/core';
import { lazily } from '@tandem/mcp';
import type { ChangeSelection, RestoredFile, WaitingHunk } from '@tandem/rpc';
import { changesByFile } from '../reviews/entryChanges.js';
import { requireSession } from '../reviews/sessions.js';
import type { ChangedFile, ChangedFileSummary } from './changedFile.js';
import { isWaiting } from './changeGroups.js';
import type { RestoreConflict, Restoring } from './changeUndo.js';
import type { Keeping, Kept } from './keepChanges.js';
import type { ChangeGroup, ChangeServices } from './recordedChanges.js';

/** The recorded changes of agents: shows them together, keeps them, and takes them back. Loads the code for it when it is first used. */
export class SessionChanges {
  readonly #of: ChangeServices;
  readonly #load = lazily(async () => {
    const { RecordedChanges } = await import('./recordedChanges.js');
    return new RecordedChanges(this.#of);
  });

  constructor(of: ChangeServices) {
    this.#of = of;
  }

  /** The paths of all files that were changed. */
  paths(): Iterable<Path> {
    return changesByFile(this.#of.history.entries).keys();
  }

  /** The paths of the files with changes that wait, of all sessions or of one, also if a file has none of them any more. */
  waitingPaths(session?: string): ReadonlySet<Path> {
    const waiting = this.#of.history.entries.filter(
      (entry) => isWaiting(entry) && (session === undefined || entry.session === session),
    );
    return new Set(waiting.map(({ path }) => path));
  }

  /** The full id of the session that begins with these characters. Rejects with `RpcError` unless there is exactly one. */
  requireSession(beginning: string): string {
    const known = new Set(this.#of.history.entries.map(({ session }) => session));
    return requireSession([...known], beginning, `There is no session ${beginning} in the history.`);
  }

  /** The files that were changed, those with warnings first, otherwise in the order of their first change. What cannot be read counts as not text. */
  async list(selection?: ChangeSelection): Promise<readonly ChangedFile[]> {
    return (await this.#load()).list(selection);
  }

  /** The same without the contents. */
  async summaries(selection?: ChangeSelection): Promise<readonly ChangedFileSummary[]> {
    return (await this.#load()).summaries(selection);
  }

  /**
   * The files by session and turn, see `groupEntries`: first what waits for the user, then the rest. A file is in each group that
   * changed it.
   */
  async groups(session?: string): Promise<readonly ChangeGroup[]> {
    return (await this.#load()).groups(session);
  }

  /** How many files have changes that wait for the user. */
  async countWaiting(session?: string): Promise<number> {
    return (await this.#load()).countWaiting(session);
  }

  /** One file that was changed, by all or by one session or group. Rejects with `RpcError` if it was not. */
  async file(path: Path, of?: ChangeSelection): Promise<ChangedFile> {
    return (await this.#load()).file(path, of);
  }

  /** Where a file has changes that wait, from its first line to its last. */
  async hunks(path: Path): Promise<readonly Omit<WaitingHunk, 'label'>[]> {
    return (await this.#load()).hunks(path);
  }

  /** Keeps changes, one request after the other, or asks first. See `keepChanges`. */
  async keep(keeping: Keeping): Promise<Kept> {
    return (await this.#load()).keep(keeping);
  }

  /**
   * Restores changes, one request after the other, without losing what anything else wrote. Without `isPartial`, it rejects with
   * `RpcError` and writes nothing if any file cannot be written.
   */
  async restore(restoring: Restoring): Promise<RestoredFile[]> {
    return (await this.#load()).restore(restoring);
  }

  /** The conflicts that prevent changes from being undone. */
  async conflicts(selection: ChangeSelection): Promise<readonly RestoreConflict[]> {
    return (await this.#load()).conflicts(selection);
  }

  /** The user resolved a conflict and saved the file: records that as a restoration, unless the file is as before. */
  async recordResolved(conflict: RestoreConflict): Promise<void> {
    return (await this.#load()).recordResolved(conflict);
  }
}
