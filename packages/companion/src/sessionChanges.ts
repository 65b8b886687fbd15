import {
  DocumentError,
  describeError,
  type FileContent,
  isSameContent,
  type Path,
  type TakenBack,
  takeBack,
} from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { changeOf, changesByFile, type History, type HistoryEntry } from './history.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import type { WorkspaceWriter } from './workspaceWriter.js';

/** How much is read for one request, in code units: the files may have grown since. */
const maxRead = 64 * 1024 * 1024;

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
  /** The latest restoration: the next one reads what it wrote. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(of: {
    readonly history: History;
    readonly files: WorkspaceFiles;
    readonly writer: WorkspaceWriter;
  }) {
    this.#of = of;
  }

  /** The files that were changed, in the order of their first change. What cannot be read counts as not text. */
  async list(session?: string): Promise<readonly ChangedFile[]> {
    const files: ChangedFile[] = [];
    const read = this.#reader();
    for (const [path, entries] of changesByFile(this.#select({ session }))) {
      const now = await read(path).catch((error: unknown) => {
        // Such as a folder in place of the file: the other files are still shown.
        if (error instanceof DocumentError) return { kind: 'binary' as const, size: 0 };
        throw error;
      });
      files.push({ path, before: entries[0]?.original ?? { kind: 'missing' }, now, entries });
    }
    return files;
  }

  /**
   * Takes changes back, one request after the other, without losing what anything else wrote. Nothing is written unless all
   * files can be. Without `marksConflicts`, rejects with `RpcError` if one has a conflict.
   */
  restore(selection: Selection, how: { readonly marksConflicts?: boolean } = {}): Promise<RestoredFile[]> {
    const restored = this.#running.then(() => this.#restore(selection, how.marksConflicts === true));
    this.#running = restored.catch(() => {});
    return restored;
  }

  async #restore(selection: Selection, marksConflicts: boolean): Promise<RestoredFile[]> {
    const plans: Plan[] = [];
    const read = this.#reader();
    for (const [path, entries] of changesByFile(this.#requireSome(selection))) {
      const before = await read(path);
      const taken = takeBack(
        entries.flatMap((entry) => changeOf(entry) ?? []),
        before,
      );
      if (taken.kind !== 'nothing') await this.#of.writer.requireWritable(path);
      plans.push({ path, entries, before, taken });
    }
    const refused = plans.flatMap((plan) => refusalOf(plan, marksConflicts) ?? []);
    if (refused.length > 0) throw new RpcError('refused', refused.join('\n'));
    const written: Path[] = [];
    try {
      for (const plan of plans) if (await this.#write(plan)) written.push(plan.path);
    } catch (cause) {
      if (written.length === 0) throw cause;
      const message = `${describeError(cause)}\nRestored before that: ${written.join(', ')}.`;
      throw new RpcError('refused', message, { cause });
    }
    return plans.map(({ path, taken }) => ({
      path,
      kind: kindOf(taken),
      conflicts: taken.kind === 'conflict' ? taken.conflicts : 0,
    }));
  }

  /** Writes a planned file and records it. Rejects if the file has changed since it was planned. */
  async #write({ path, before, taken, entries }: Plan): Promise<boolean> {
    const { history, files, writer } = this.#of;
    const after = contentOf(taken);
    const entry = entries.at(-1);
    if (after === undefined || entry === undefined) return false;
    await writer.requireWritable(path);
    if (!isSameContent(await files.read(path), before))
      throw new RpcError('refused', `${path} has just been changed. Try again.`);
    await writer.write(path, after.kind === 'text' ? after.text : undefined);
    history.addRestoration({ entry, before, after });
    return true;
  }

  /** Reads files, up to a limit for all of them together. */
  #reader(): (path: Path) => Promise<FileContent> {
    let size = 0;
    return async (path) => {
      const content = await this.#of.files.read(path);
      size += content.kind === 'text' ? content.text.length : 0;
      if (size <= maxRead) return content;
      throw new RpcError('refused', `These files have more than ${maxRead} characters together. Name fewer.`);
    };
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
