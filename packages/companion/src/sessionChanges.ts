import { type FileContent, type Path, type TakenBack, takeBack } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { changeOf, changesByFile, type History, type HistoryEntry } from './history.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import type { WorkspaceWriter } from './workspaceWriter.js';

/** What agents changed in one file: its content before the first change, and now. */
export interface ChangedFile {
  readonly path: Path;
  readonly before: FileContent;
  readonly now: FileContent;
  /** The accepted reviews and the restorations, the oldest first. */
  readonly entries: readonly HistoryEntry[];
}

/** Which changes to take back. Without `ids`, all of a session or of a file. */
export interface Selection {
  readonly ids?: readonly string[] | undefined;
  readonly session?: string | undefined;
  readonly path?: Path | undefined;
}

/** What became of one file. */
export interface RestoredFile {
  readonly path: Path;
  readonly kind: 'nothing' | 'restored' | 'merged' | 'removed' | 'conflict';
  /** How many conflicts are marked in it. */
  readonly conflicts: number;
}

/** The changes that agents made through accepted reviews: shows them together, and takes them back. */
export class SessionChanges {
  readonly #of: {
    readonly history: History;
    readonly files: WorkspaceFiles;
    readonly writer: WorkspaceWriter;
  };

  constructor(of: {
    readonly history: History;
    readonly files: WorkspaceFiles;
    readonly writer: WorkspaceWriter;
  }) {
    this.#of = of;
  }

  /** The files that were changed, in the order of their first change. Rejects with `DocumentError` if one cannot be read. */
  async list(session?: string): Promise<readonly ChangedFile[]> {
    const changed = changesByFile(this.#select({ session }));
    return Promise.all(
      [...changed].map(async ([path, entries]) => ({
        path,
        before: entries[0]?.original ?? { kind: 'missing' as const },
        now: await this.#of.files.read(path),
        entries,
      })),
    );
  }

  /**
   * Takes changes back, without losing what anything else wrote. Nothing is written unless all files can be. Without
   * `marksConflicts`, rejects with `RpcError` if one has a conflict.
   */
  async restore(
    selection: Selection,
    how: { readonly marksConflicts?: boolean } = {},
  ): Promise<RestoredFile[]> {
    const { history, files, writer } = this.#of;
    const plans: Plan[] = [];
    for (const [path, entries] of changesByFile(this.#requireSome(selection))) {
      const before = await files.read(path);
      const taken = takeBack(
        entries.flatMap((entry) => changeOf(entry) ?? []),
        before,
      );
      if (taken.kind !== 'nothing') await writer.requireWritable(path);
      plans.push({ path, entries, before, taken });
    }
    const refused = plans.flatMap((plan) => refusalOf(plan, how.marksConflicts === true) ?? []);
    if (refused.length > 0) throw new RpcError('refused', refused.join('\n'));
    for (const { path, before, taken, entries } of plans) {
      const after = contentOf(taken);
      const entry = entries.at(-1);
      if (after === undefined || entry === undefined) continue;
      await writer.write(path, after.kind === 'text' ? after.text : undefined);
      history.addRestoration({ entry, before, after });
    }
    return plans.map(({ path, taken }) => ({
      path,
      kind: kindOf(taken),
      conflicts: taken.kind === 'conflict' ? taken.conflicts : 0,
    }));
  }

  /** The full id of the session that begins with these characters. Rejects with `RpcError` unless there is exactly one. */
  requireSession(beginning: string): string {
    const known = new Set(this.#of.history.entries.map(({ session }) => session));
    const found = [...known].filter((session) => session.startsWith(beginning));
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    throw new RpcError(
      'not-found',
      found.length === 0
        ? `There is no session ${beginning} in the history.`
        : `${found.length} sessions begin with ${beginning}. Use more characters.`,
    );
  }

  #select({ ids, session, path }: Selection): readonly HistoryEntry[] {
    return this.#of.history.entries.filter(
      (entry) =>
        (ids === undefined || ids.includes(entry.decided.id)) &&
        (session === undefined || entry.session === session) &&
        (path === undefined || entry.path === path),
    );
  }

  #requireSome(selection: Selection): readonly HistoryEntry[] {
    const found = this.#select(selection);
    const { ids = [], path } = selection;
    const missing = ids.filter((id) => found.every(({ decided }) => decided.id !== id));
    if (missing.length > 0) {
      const known = this.#of.history.entries.filter(changeOf).map(({ decided }) => decided.id);
      throw new RpcError(
        'not-found',
        `The history has no accepted review ${missing.join(', ')}. It has: ${known.join(', ') || 'none'}.`,
      );
    }
    const rejected = found.find((entry) => ids.includes(entry.decided.id) && changeOf(entry) === undefined);
    if (rejected !== undefined) {
      throw new RpcError('refused', `Review ${rejected.decided.id} was rejected: it changed nothing.`);
    }
    if (found.some(changeOf)) return found;
    throw new RpcError('not-found', `The history has no change${path === undefined ? '' : ` to ${path}`}.`);
  }
}

interface Plan {
  readonly path: Path;
  readonly entries: readonly HistoryEntry[];
  readonly before: FileContent;
  readonly taken: TakenBack;
}

function contentOf(taken: TakenBack): FileContent | undefined {
  if (taken.kind === 'conflict') return { kind: 'text', text: taken.text };
  return taken.kind === 'restored' || taken.kind === 'merged' ? taken.content : undefined;
}

function kindOf(taken: TakenBack): RestoredFile['kind'] {
  if (taken.kind === 'conflict' || taken.kind === 'merged') return taken.kind;
  if (taken.kind !== 'restored') return 'nothing';
  return taken.content.kind === 'missing' ? 'removed' : 'restored';
}

function refusalOf({ path, taken }: Plan, marksConflicts: boolean): string | undefined {
  switch (taken.kind) {
    case 'binary':
      return `${path} was not text before the change, so its content is not known.`;
    case 'changed':
      return `${path} was created by the agent and has been changed since. To lose those changes, remove it yourself.`;
    case 'conflict': {
      if (marksConflicts) return undefined;
      const places = taken.conflicts === 1 ? 'in one place' : `in ${taken.conflicts} places`;
      return `${path} has changed since on the same lines, ${places}. To write both versions with conflict markers, add --conflicts.`;
    }
    default:
      return undefined;
  }
}
