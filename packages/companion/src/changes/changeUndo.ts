import { DocumentError, describeError, type Path } from '@tandem/core';
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
import { type ChangeSelection, type HunkChoice, type RestoredFile, RpcError } from '@tandem/rpc';
import { type CopyOf, hashIn, linkIn } from '../files/exactContent.js';
import { pausing } from '../files/pausing.js';
import type { WorkspaceFiles } from '../files/workspaceFiles.js';
import type { WorkspaceWriter } from '../files/workspaceWriter.js';
import { changesByFile, fileChanges, hasCopy } from '../reviews/entryChanges.js';
import { describeEntry, type History } from '../reviews/history.js';
import { isOwn, withCertainty } from './changedFile.js';
import { isWaiting } from './changeGroups.js';
import { fileReader, type ReadFile } from './fileReader.js';
import { isNamed, requireChanges, requireChoice } from './selectChanges.js';
import { undoPart, undoStanding } from './undoPart.js';

/** What undoing changes needs. */
export interface UndoServices {
  readonly history: History;
  readonly files: WorkspaceFiles;
  readonly writer: WorkspaceWriter;
  /** What is kept of files that are not text. */
  readonly copyOf?: CopyOf;
}

/** Which changes to undo, and how. See `changes.restore` in `changesContract`. */
export interface Restoring extends ChangeSelection, HunkChoice {
  readonly marksConflicts?: boolean | undefined;
  readonly isPartial?: boolean | undefined;
  readonly previews?: boolean | undefined;
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

/** Undoes recorded changes. The caller lets one call follow the other. */
export class ChangeUndo {
  readonly #of: UndoServices;

  constructor(of: UndoServices) {
    this.#of = of;
  }

  /** The conflicts that prevent changes from being undone. */
  async conflicts(selection: ChangeSelection): Promise<readonly RestoreConflict[]> {
    const plans = await this.#plan(selection);
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

  /** See `SessionChanges`. */
  async restore({ marksConflicts, isPartial, previews, ...selection }: Restoring): Promise<RestoredFile[]> {
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
    const read = fileReader(this.#of);
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
      const undoFile = async (now: FileContent): Promise<UndoneChanges> => {
        const shown = withCertainty({ ...file, now, onlyWaiting }, countsAll);
        if (isPart) return undoPart(shown, { hunks, lines, stamp });
        // What was undone or kept before is in no change that waits, and would be a conflict.
        if (onlyWaiting && file.all.some(isDecided)) return undoStanding(shown);
        return finishWithPauses(undoInSteps(fileChanges(file.all, new Set(undo), now), now), pausing());
      };
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
      const content = contentOf(undone);
      if (undone.kind !== 'nothing')
        await this.#of.writer.requireWritable(path, content && { content, basis: before });
      if (content !== undefined) await this.#requireCopies(path, content, before);
      const refusal = refusalOf(path, undone, before);
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
    const writing = { content: after, basis: before };
    await writer.requireWritable(path, writing);
    await writer.write(path, writing, this.#of.copyOf);
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

  /** Throws `RpcError` unless there are copies of what is to be written, and of what is there: an undo can be undone. */
  async #requireCopies(path: Path, ...contents: readonly FileContent[]): Promise<void> {
    for (const hash of contents.flatMap((content) => hashIn(content) ?? [])) {
      if ((await this.#of.copyOf?.(hash)) !== undefined) continue;
      throw new RpcError('refused', `${path} cannot be undone: Tandem has no copy of it any more.`);
    }
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
}

/** Whether the user has undone or kept it. */
function isDecided({ decided, keptAt }: HistoryEntry): boolean {
  return decided.how === 'restored' || keptAt !== undefined;
}

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

function refusalOf(path: Path, undone: UndoneChanges, now: FileContent): string | undefined {
  if (undone.kind === 'binary' && linkIn(now) !== undefined)
    return `${path} cannot be undone: it is another link by now. Remove the link, then try again.`;
  if (undone.kind === 'binary' && undone.which === 'changed')
    return `${path} cannot be undone: it is binary and has changed since. Rename or delete it, then try again.`;
  if (undone.kind === 'binary') {
    return undone.which === 'before'
      ? `${path} cannot be undone: it was binary before the change, so Tandem has no copy of it.`
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
