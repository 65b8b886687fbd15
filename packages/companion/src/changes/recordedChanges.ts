import { type Path, Turns } from '@tandem/core';
import { finishWithPauses, type HistoryEntry } from '@tandem/reviews';
import type { ChangeSelection, RestoredFile, WaitingHunk } from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import { changesByFile, isChange } from '../reviews/entryChanges.js';
import {
  type ChangedFile,
  type ChangedFileSummary,
  type ChangeFacts,
  describe,
  type FileWithEntries,
  stampOf,
  warningsOf,
  withCertainty,
} from './changedFile.js';
import { type EntryGroup, isWaiting } from './changeGroups.js';
import { ChangeUndo, type RestoreConflict, type Restoring, type UndoServices } from './changeUndo.js';
import { fileReader, nowOf, type ReadFile } from './fileReader.js';
import { groupEntries } from './groupEntries.js';
import { type Keeping, type Kept, keepChanges } from './keepChanges.js';
import { requireChanges, selectChanges } from './selectChanges.js';
import { waitingHunks } from './waitingHunks.js';

/** How many files are read in parallel. With more, a queued read could time out, and its file would count as unreadable. */
const readAtOnce = 8;

/** Of how many files what stands of their changes is remembered: comparing large texts is slow. */
const mostKnown = 2_000;

/** What agents changed, under one heading. */
export interface ChangeGroup extends Omit<EntryGroup, 'entries'> {
  /** Whether its changes wait for the user. */
  readonly waits: boolean;
  /** Those with `waits` have only the entries that this selects. */
  readonly files: readonly (ChangedFileSummary & Pick<ChangeSelection, 'waits'>)[];
}

export interface ChangeServices extends UndoServices {
  /** The path for users. */
  readonly label: (path: Path) => string;
}

/** What `SessionChanges` loads when it is first used. */
export class RecordedChanges {
  readonly #of: ChangeServices;
  readonly #undo: ChangeUndo;
  /** Of the restorations: the next one reads what the latest one wrote. */
  readonly #turns = new Turns();
  /** What was found about files, by stamp, the oldest first. */
  readonly #known = new Map<string, Facts>();

  constructor(of: ChangeServices) {
    this.#of = of;
    this.#undo = new ChangeUndo(of);
  }

  /** The files that were changed, those with warnings first, otherwise in the order of their first change. What cannot be read counts as not text. */
  async list(selection: ChangeSelection = {}): Promise<readonly ChangedFile[]> {
    const found: ChangedFile[] = [];
    for await (const file of this.#read(this.#select(selection), { onlyWaiting: selection.waits }))
      found.push(await describe(file));
    return found;
  }

  /** The same without the contents. */
  summaries(selection: ChangeSelection = {}): Promise<readonly ChangedFileSummary[]> {
    return this.#summarize(this.#read(this.#select(selection), { onlyWaiting: selection.waits }));
  }

  /**
   * The files by session and turn, see `groupEntries`: first what waits for the user, then the rest. A file is in each group that
   * changed it.
   */
  async groups(session?: string): Promise<readonly ChangeGroup[]> {
    const [waiting, others]: [ChangeGroup[], ChangeGroup[]] = [[], []];
    const read = fileReader(this.#of);
    const of = session === undefined ? {} : { session };
    const waits = new Set(this.#select({ ...of, waits: true }));
    for (const { entries, ...group } of groupEntries(this.#select(of).filter(isChange))) {
      const found = await this.#summarize(
        this.#read(
          entries.filter((entry) => waits.has(entry)),
          { read, onlyWaiting: true },
        ),
      );
      const standing = found.filter((file) => !file.isAbsent);
      const shown = new Set(standing.flatMap((file) => file.entries));
      const shownPaths = new Set(standing.map(({ path }) => path));
      const rest = (
        await this.#summarize(
          this.#read(
            entries.filter((entry) => !shown.has(entry)),
            { read },
          ),
        )
      ).filter((file) => !isOver(file));
      if (standing.length > 0)
        waiting.push({ ...group, waits: true, files: standing.map((file) => ({ ...file, waits: true })) });
      if (rest.length > 0)
        others.push({
          ...group,
          waits: false,
          files: rest.map((file) => (shownPaths.has(file.path) ? { ...file, waits: false } : file)),
        });
    }
    return [...waiting, ...others];
  }

  /** How many files have changes that wait for the user. */
  async countWaiting(session?: string): Promise<number> {
    const waiting = (await this.groups(session)).filter((group) => group.waits);
    return new Set(waiting.flatMap(({ files }) => files.map(({ path }) => path))).size;
  }

  async #summarize(files: AsyncIterable<FileWithEntries>): Promise<readonly ChangedFileSummary[]> {
    const found: ChangedFileSummary[] = [];
    const pause = pausing();
    for await (const file of files) {
      const { path, entries, now } = file;
      const stamp = await finishWithPauses(stampOf(file), pause);
      const facts = this.#known.get(stamp) ?? this.#remember(await describe(file, stamp));
      found.push({ path, entries, now: now.kind, stamp, ...facts });
    }
    return found;
  }

  /** One file that was changed, by all or by one session or group. Rejects with `RpcError` if it was not. */
  async file(path: Path, of: ChangeSelection = {}): Promise<ChangedFile> {
    return describe(await this.#file({ ...of, path }));
  }

  async #file(of: ChangeSelection & { readonly path: Path }): Promise<FileWithEntries> {
    const { path } = of;
    const { entries: everything } = this.#of.history;
    const entries = requireChanges(everything, of).filter(isChange);
    const all = changesByFile(everything).get(path) ?? [];
    const now = await nowOf(path, entries, fileReader(this.#of));
    return withCertainty({ path, entries, all, now, onlyWaiting: of.waits === true });
  }

  /** Where a file has changes that wait, from its first line to its last. */
  async hunks(path: Path): Promise<readonly Omit<WaitingHunk, 'label'>[]> {
    const groups = groupEntries(this.#select({ path, waits: true }).filter(isWaiting));
    const found = await Promise.all(
      groups.map(async ({ key }) => waitingHunks(await this.#file({ path, group: key, waits: true }))),
    );
    return found.flat().sort((one, other) => one.start - other.start);
  }

  /** Keeps changes, one request after the other, or asks first. See `keepChanges`. */
  async keep(keeping: Keeping): Promise<Kept> {
    const { history, label } = this.#of;
    return this.#turns.run(() =>
      keepChanges(keeping, {
        history,
        label,
        waitingIn: (path, group) => this.#file({ path, group, waits: true }),
        summarize: (entries) => this.#summarize(this.#read(entries, { onlyWaiting: true })),
      }),
    );
  }

  /**
   * Restores changes, one request after the other, without losing what anything else wrote. Without `isPartial`, it rejects with
   * `RpcError` and writes nothing if any file cannot be written.
   */
  async restore(restoring: Restoring): Promise<RestoredFile[]> {
    return this.#turns.run(() => this.#undo.restore(restoring));
  }

  /** The conflicts that prevent changes from being undone. */
  async conflicts(selection: ChangeSelection): Promise<readonly RestoreConflict[]> {
    return this.#turns.run(() => this.#undo.conflicts(selection));
  }

  /** The user resolved a conflict and saved the file: records that as a restoration, unless the file is as before. */
  async recordResolved(conflict: RestoreConflict): Promise<void> {
    await this.#undo.recordResolved(conflict);
  }

  #select(selection: ChangeSelection): readonly HistoryEntry[] {
    return selectChanges(this.#of.history.entries, selection);
  }

  /** Reads the files that these entries changed, in the order of their first change. */
  async *#read(
    of: readonly HistoryEntry[],
    {
      read = fileReader(this.#of),
      onlyWaiting = false,
    }: { readonly read?: ReadFile; readonly onlyWaiting?: boolean | undefined } = {},
  ): AsyncGenerator<FileWithEntries> {
    const all = changesByFile(this.#of.history.entries);
    const isUnwarned = (entries: readonly HistoryEntry[]): number => Number(warningsOf(entries).length === 0);
    const files = [...changesByFile(of)].sort(([, one], [, other]) => isUnwarned(one) - isUnwarned(other));
    while (files.length > 0) {
      const batch = files.splice(0, readAtOnce).map(async ([path, entries]) => {
        const now = await nowOf(path, entries, read);
        return withCertainty({ path, entries, all: all.get(path) ?? [], now, onlyWaiting });
      });
      yield* await Promise.all(batch);
    }
  }

  #remember({ stamp, before, added, removed, isAbsent, warnings, notes, undoable }: ChangedFile): Facts {
    const facts = {
      before: before.kind,
      added,
      removed,
      isAbsent,
      warnings,
      notes,
      ...(undoable && { undoable }),
    };
    this.#known.set(stamp, facts);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostKnown) break;
      this.#known.delete(oldest);
    }
    return facts;
  }
}

/** A file with only undos of which nothing is left. */
function isOver({ entries, undoable }: ChangedFileSummary): boolean {
  return undoable === undefined && entries.every(({ decided }) => decided.reversed !== undefined);
}

type Facts = ChangeFacts & Pick<ChangedFileSummary, 'before'>;
