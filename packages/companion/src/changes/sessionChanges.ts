import { DocumentError, describeError, type Path, Turns } from '@tandem/core';
import {
  type FileContent,
  finishWithPauses,
  type HistoryEntry,
  isSameContent,
  presentPartRestored,
  presentRestored,
  type Restored,
  type UndoneChanges,
  undoInSteps,
} from '@tandem/reviews';
import {
  type ChangeSelection,
  type HunkChoice,
  type RestoredFile,
  RpcError,
  type WaitingHunk,
} from '@tandem/rpc';
import { pausing } from '../files/pausing.js';
import type { WorkspaceFiles } from '../files/workspaceFiles.js';
import type { WorkspaceWriter } from '../files/workspaceWriter.js';
import { changesByFile, fileChanges, isChange } from '../reviews/entryChanges.js';
import { describeEntry, type History } from '../reviews/history.js';
import { requireSession } from '../reviews/sessions.js';
import {
  type ChangedFile,
  type ChangedFileSummary,
  type ChangeFacts,
  describe,
  type FileWithEntries,
  hasCopy,
  isOwn,
  stampOf,
  warningsOf,
} from './changedFile.js';
import { type EntryGroup, isUncertain, isWaiting } from './changeGroups.js';
import { fileReader, nowOf, type ReadFile } from './fileReader.js';
import { groupEntries } from './groupEntries.js';
import { type Keeping, type Kept, keepChanges } from './keepChanges.js';
import { isNamed, requireChanges, requireChoice, selectChanges } from './selectChanges.js';
import { undoPart } from './undoPart.js';
import { waitingHunks } from './waitingHunks.js';

/** How many files are read in parallel. With more, a queued read could time out, and its file would count as unreadable. */
const readAtOnce = 8;

/** Of how many files what stands of their changes is remembered: comparing large texts is slow. */
const mostKnown = 2_000;

/** Which changes to undo, and how. See `changes.restore` in `changesContract`. */
export interface Restoring extends ChangeSelection, HunkChoice {
  readonly marksConflicts?: boolean | undefined;
  readonly isPartial?: boolean | undefined;
  readonly previews?: boolean | undefined;
}

/** What agents changed, under one heading. */
export interface ChangeGroup extends Omit<EntryGroup, 'entries'> {
  /** Whether its changes wait for the user. */
  readonly waits: boolean;
  /** Those with `waits` have only the entries that this selects. */
  readonly files: readonly (ChangedFileSummary & Pick<ChangeSelection, 'waits'>)[];
}

/** A conflict of a restoration, for the user to resolve in the editor. */
export interface RestoreConflict {
  readonly path: Path;
  /** The file now. */
  readonly file: string;
  /** Both versions, with conflict markers. */
  readonly text: string;
  readonly conflicts: number;
  /** The latest change that it undoes. */
  readonly entry: HistoryEntry;
}

/** The recorded changes of agents: shows them together, and takes them back. */
export class SessionChanges {
  readonly #of: {
    readonly history: History;
    readonly files: WorkspaceFiles;
    readonly writer: WorkspaceWriter;
    /** The path for users. */
    readonly label: (path: Path) => string;
  };
  /** Of the restorations: the next one reads what the latest one wrote. */
  readonly #turns = new Turns();
  /** What was found about files, by stamp, the oldest first. */
  readonly #known = new Map<string, Facts>();

  constructor(of: {
    readonly history: History;
    readonly files: WorkspaceFiles;
    readonly writer: WorkspaceWriter;
    readonly label: (path: Path) => string;
  }) {
    this.#of = of;
  }

  /** The paths of all files that were changed. */
  paths(): Iterable<Path> {
    return changesByFile(this.#of.history.entries).keys();
  }

  /** The paths of the files with changes that wait, also if a file has none of them any more. */
  waitingPaths(): ReadonlySet<Path> {
    return new Set(this.#of.history.entries.filter(isWaiting).map(({ path }) => path));
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
    const read = fileReader(this.#of.files);
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
    const now = await nowOf(path, entries, fileReader(this.#of.files));
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
  keep(keeping: Keeping): Promise<Kept> {
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
  restore(restoring: Restoring): Promise<RestoredFile[]> {
    return this.#turns.run(() => this.#restore(restoring));
  }

  /** The conflicts that prevent changes from being undone. */
  async conflicts(selection: ChangeSelection): Promise<readonly RestoreConflict[]> {
    const plans = await this.#turns.run(() => this.#plan(selection));
    return plans.flatMap(({ path, before, undone, undo, refusal }) => {
      const entry = undo.at(-1);
      const isConflict = undone?.kind === 'conflict' && before?.kind === 'text' && refusal === undefined;
      if (!isConflict || entry === undefined) return [];
      return [{ path, file: before.text, text: undone.text, conflicts: undone.conflicts, entry }];
    });
  }

  /** The user resolved a conflict and saved the file: records that as a restoration, unless the file is as before. */
  async recordResolved({ path, file, entry }: RestoreConflict): Promise<void> {
    const before: FileContent = { kind: 'text', text: file };
    const after = await this.#of.files.read(path);
    if (isSameContent(before, after)) return;
    this.#of.history.addRestoration({ entry, before, after, isMixed: true, reversed: 'undone' });
  }

  async #restore({ marksConflicts, isPartial, previews, ...selection }: Restoring): Promise<RestoredFile[]> {
    const plans = await this.#plan(selection);
    if (previews) return plans.map((plan) => outcomeOf(plan));
    const refused = plans.flatMap((plan) => plan.refusal ?? (marksConflicts ? [] : (conflictIn(plan) ?? [])));
    if (!isPartial && refused.length > 0) throw new RpcError('refused', refused.join('\n'));
    const outcomes: RestoredFile[] = [];
    for (const plan of plans) {
      const isLeft = plan.refusal !== undefined || (!marksConflicts && plan.undone?.kind === 'conflict');
      try {
        outcomes.push(isLeft ? outcomeOf(plan) : await this.#write(plan));
      } catch (cause) {
        const reason = describeError(cause);
        if (isPartial) outcomes.push(outcomeOf({ ...plan, refusal: reason }));
        else throw restoreFailed(cause, reason, outcomes);
      }
    }
    return outcomes;
  }

  async #plan({ hunks, lines, stamp, ...selection }: ChangeSelection & HunkChoice): Promise<Plan[]> {
    const isPart = hunks !== undefined || lines !== undefined;
    requireChoice(selection, 'undo', isPart);
    const read = fileReader(this.#of.files);
    const every = changesByFile(this.#of.history.entries);
    const plans: Plan[] = [];
    for (const [changed, entries] of changesByFile(this.#requireUndoable(selection))) {
      // What is perhaps not the agent's is undone only by its id or its group, and an undo for several sessions by its id.
      const countsAll = isNamed(selection, entries);
      const onlyWaiting = selection.waits === true;
      const counted = onlyWaiting ? entries.filter(isWaiting) : entries;
      const undo = countsAll ? counted : counted.filter(isOwn);
      if (!entries.some(hasCopy)) {
        plans.push({ path: changed, undo, isPart, isUnkept: true });
        continue;
      }
      const file = { path: changed, entries, all: every.get(changed) ?? [] };
      const undoFile = async (now: FileContent): Promise<UndoneChanges> =>
        isPart
          ? undoPart(withCertainty({ ...file, now, onlyWaiting }, countsAll), {
              hunks,
              lines,
              stamp,
            })
          : finishWithPauses(undoInSteps(fileChanges(file.all, new Set(undo), now), now), pausing());
      const plan = await this.#planFile(changed, read, undoFile);
      plans.push({ path: changed, undo, isPart, ...plan });
    }
    return plans;
  }

  async #planFile(
    path: Path,
    read: ReadFile,
    undoFile: (now: FileContent) => Promise<UndoneChanges>,
  ): Promise<Pick<Plan, 'before' | 'undone' | 'refusal'>> {
    try {
      const before = await read(path);
      const undone = await undoFile(before);
      if (undone.kind !== 'nothing') await this.#of.writer.requireWritable(path);
      const refusal = refusalOf(path, undone);
      return { before, undone, ...(refusal !== undefined && { refusal }) };
    } catch (error) {
      if (error instanceof RpcError || error instanceof DocumentError) return { refusal: error.message };
      throw error;
    }
  }

  /** Writes a planned file and records it. Rejects if the file has changed since it was planned. */
  async #write(plan: Plan): Promise<RestoredFile> {
    const { history, writer } = this.#of;
    const { path, before, undone, undo } = plan;
    const after = undone && contentOf(undone);
    const entry = undo.at(-1);
    if (before === undefined || after === undefined || entry === undefined) return outcomeOf(plan);
    await writer.requireWritable(path);
    await writer.write(path, after, before);
    const isMixed = undone?.kind === 'conflict' || undo.some((each) => isMixedWith(each, entry));
    const { turn } = entry.decided;
    const isOfTurn = !isMixed && undo.every(({ decided }) => decided.turn?.number === turn?.number);
    const isRedo = undo.every(({ decided }) => decided.reversed === 'undone');
    const restoration = history.addRestoration({
      entry,
      before,
      after,
      isMixed,
      reversed: isRedo ? 'redone' : 'undone',
      turn: isOfTurn ? turn : undefined,
    });
    return { ...outcomeOf(plan, true), restoration };
  }

  #select(selection: ChangeSelection): readonly HistoryEntry[] {
    return selectChanges(this.#of.history.entries, selection);
  }

  #requireUndoable(selection: ChangeSelection): readonly HistoryEntry[] {
    const found = requireChanges(this.#of.history.entries, selection);
    const unkept = found.find((entry) => selection.ids?.includes(entry.decided.id) && !hasCopy(entry));
    if (unkept === undefined) return found;
    throw new RpcError(
      'refused',
      `${unkept.decided.id} cannot be undone: Tandem has no copy from before it.`,
    );
  }

  /** Reads the files that these entries changed, in the order of their first change. */
  async *#read(
    of: readonly HistoryEntry[],
    {
      read = fileReader(this.#of.files),
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

  /** The full id of the session that begins with these characters. Rejects with `RpcError` unless there is exactly one. */
  requireSession(beginning: string): string {
    const known = new Set(this.#of.history.entries.map(({ session }) => session));
    return requireSession([...known], beginning, `There is no session ${beginning} in the history.`);
  }
}

/** `countsAll`: also if only some of the entries are uncertain. */
function withCertainty(file: FileWithEntries, countsAll = file.entries.every(isUncertain)): FileWithEntries {
  return countsAll && file.entries.some(isUncertain) ? { ...file, isUncertain: true } : file;
}

/** A file with only undos of which nothing is left. */
function isOver({ entries, undoable }: ChangedFileSummary): boolean {
  return undoable === undefined && entries.every(({ decided }) => decided.reversed !== undefined);
}

type Facts = ChangeFacts & Pick<ChangedFileSummary, 'before'>;

/** What a restoration would do to one file. With a `refusal`, nothing. */
interface Plan {
  readonly path: Path;
  /** The changes that it undoes. */
  readonly undo: readonly HistoryEntry[];
  /** Only some hunks of them. */
  readonly isPart: boolean;
  readonly before?: FileContent;
  readonly undone?: UndoneChanges;
  readonly refusal?: string;
  /** No copy of its changes is kept. */
  readonly isUnkept?: true;
}

/** Whether the restoration of one entry together with another also wrote what is not of its session. */
function isMixedWith(one: HistoryEntry, other: HistoryEntry): boolean {
  return one.session !== other.session || !isOwn(one);
}

function contentOf(undone: UndoneChanges): FileContent | undefined {
  if (undone.kind === 'conflict') return { kind: 'text', text: undone.text, encoding: undone.encoding };
  return undone.kind === 'restored' || undone.kind === 'merged' ? undone.content : undefined;
}

function outcomeOf(plan: Plan, isDone = false): RestoredFile {
  const restored = restoredBy(plan);
  const isPart = plan.isPart && restored.kind === 'merged';
  const note = isPart ? presentPartRestored(isDone) : presentRestored(restored, isDone);
  const evidence = new Set(plan.undo.flatMap((entry) => describeEntry(entry).evidence ?? []));
  return { path: plan.path, ...restored, note, evidence: [...evidence] };
}

function restoredBy({ undone, refusal, isUnkept }: Plan): Restored {
  if (refusal !== undefined) return { kind: 'refused', conflicts: 0, reason: refusal };
  if (isUnkept) return { kind: 'refused', conflicts: 0, reason: 'Tandem has no copy of it from before.' };
  if (undone?.kind === 'conflict') return { kind: 'conflict', conflicts: undone.conflicts };
  if (undone?.kind === 'merged') return { kind: 'merged', conflicts: 0 };
  if (undone?.kind !== 'restored') return { kind: 'nothing', conflicts: 0 };
  return { kind: undone.content.kind === 'missing' ? 'removed' : 'restored', conflicts: 0 };
}

function refusalOf(path: Path, undone: UndoneChanges): string | undefined {
  if (undone.kind === 'binary') {
    return undone.which === 'before'
      ? `${path} cannot be undone: it was not text before the change, so Tandem has no copy of it.`
      : `${path} cannot be undone: it is no longer text, and would be lost. Rename or delete it, then try again.`;
  }
  if (undone.kind !== 'changed') return undefined;
  return `${path} was created by the agent and has been changed since. To discard those changes too, delete it yourself.`;
}

function conflictIn({ path, undone }: Plan): string | undefined {
  if (undone?.kind !== 'conflict') return undefined;
  const places = undone.conflicts === 1 ? 'in one place' : `in ${undone.conflicts} places`;
  return `${path} has later changes on the lines to undo, ${places}. To write both versions with conflict markers, add --conflicts.`;
}

/** The error of a restoration that cannot go on, which names what it has written. */
function restoreFailed(cause: unknown, reason: string, outcomes: readonly RestoredFile[]): unknown {
  const written = outcomes.filter(({ restoration }) => restoration !== undefined).map(({ path }) => path);
  if (written.length === 0) return cause;
  return new RpcError('refused', `${reason}\nUndone before that: ${written.join(', ')}.`, { cause });
}
