import { isUtf8 } from 'node:buffer';
import { RefusedFileError, readBoundedFile } from '@tandem/companion/files';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  type FileContent,
  type FileRelation,
  followFile,
  type Logger,
  logListenerError,
  type Review,
} from '@tandem/core';
import * as vscode from 'vscode';
import { loadedDocument, loadedNotebook } from '../tabs.js';

/** A file is often written in several steps. */
const settleMs = 100;
/** No larger file is reviewed. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Watches the file of a pending review: merges its changes on disk into the review by the rule of `followFile`, and
 * reports unsaved changes in an editor, which only the user may save. Its creator disposes it.
 */
export class FollowedFile implements Disposable {
  readonly uri: vscode.Uri;
  /** Its relation to the review changed, or whether it has unsaved changes. */
  readonly onDidChange: Event<FileRelation>;
  readonly #review: Review;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<FileRelation>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #flush: () => void;
  #relation: FileRelation = 'unchanged';
  #file: FileContent | undefined;
  #settling: Disposable | undefined;
  #wasDirty = false;

  constructor(options: {
    readonly review: Review;
    readonly uri: vscode.Uri;
    readonly clock: Clock;
    readonly logger: Logger;
    /** Applies unfinished input to the review before a change of the file is merged. */
    readonly flush: () => void;
  }) {
    const { review, uri } = options;
    this.uri = uri;
    this.#flush = options.flush;
    this.#review = review;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#didChange = this.#owned.add(new Emitter(logListenerError(options.logger, 'a file under review')));
    this.onDidChange = this.#didChange.event;
    const { workspace } = vscode;
    // A pattern with the file name would misinterpret brackets in it.
    const folder = vscode.Uri.joinPath(uri, '..');
    const watcher = this.#owned.add(
      workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*')),
    );
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
      this.#owned.add(event((which) => this.#isThis(which) && this.#checkSoon()));
    }
    const noteDirty = ({ uri: which }: { readonly uri: vscode.Uri }): void => {
      if (this.#isThis(which)) this.#noteDirty();
    };
    this.#owned.add(workspace.onDidChangeTextDocument(({ document }) => noteDirty(document)));
    this.#owned.add(workspace.onDidSaveTextDocument(noteDirty));
    this.#owned.add(workspace.onDidChangeNotebookDocument(({ notebook }) => noteDirty(notebook)));
    this.#owned.add(workspace.onDidSaveNotebookDocument(noteDirty));
    // The user may have resolved the conflict, or the terminal may have marked it.
    this.#owned.add(review.onDidChange(() => this.#relation === 'conflict' && this.#checkSoon()));
  }

  /** `merged` from the first merge on. */
  get relation(): FileRelation {
    return this.#relation === 'unchanged' && this.#review.basis > 0 ? 'merged' : this.#relation;
  }

  /** Whether `markConflicts` can show the conflict: the file is still text. */
  get canMarkConflicts(): boolean {
    return this.#relation === 'conflict' && this.#file?.kind === 'text';
  }

  /** Whether an editor has unsaved changes to the file. */
  get isDirty(): boolean {
    const { document, notebook } = this.#open;
    return document?.isDirty === true || notebook?.isDirty === true;
  }

  /** Saves the editor's changes. Resolves to whether everything is saved. */
  async save(): Promise<boolean> {
    const { document, notebook } = this.#open;
    return ((await notebook?.save()) ?? true) && ((await document?.save()) ?? true);
  }

  /** Reads the file, and merges its changes if possible. Resolves to the result; `merged` only if this call merged. */
  async check(): Promise<FileRelation> {
    const file = await this.#read();
    if (file === undefined || this.#owned.isDisposed || this.#review.state !== 'pending')
      return this.#relation;
    this.#file = file;
    this.#flush();
    const found = followFile(this.#review, file);
    const before = this.#relation;
    this.#relation = found === 'merged' ? 'unchanged' : found;
    if (found === 'merged' || this.#relation !== before) this.#didChange.fire(found);
    return found;
  }

  /** Adds both versions of conflicting lines to the review, with conflict markers. Throws `FileConflictError`. */
  markConflicts(): void {
    if (this.#file === undefined || this.#review.state !== 'pending') return;
    this.#flush();
    this.#review.mergeFile(this.#file, { marksConflicts: true });
    this.#relation = 'unchanged';
    this.#didChange.fire('merged');
  }

  dispose(): void {
    this.#settling?.dispose();
    this.#owned.dispose();
  }

  #isThis(uri: vscode.Uri): boolean {
    return uri.toString() === this.uri.toString();
  }

  #checkSoon(): void {
    this.#settling?.dispose();
    this.#settling = this.#clock.setTimeout(() => void this.check(), settleMs);
  }

  #noteDirty(): void {
    if (this.isDirty === this.#wasDirty) return;
    this.#wasDirty = this.isDirty;
    this.#didChange.fire(this.relation);
  }

  /** VS Code's documents of the file: text, notebook, or both. */
  get #open(): { document: vscode.TextDocument | undefined; notebook: vscode.NotebookDocument | undefined } {
    return { document: loadedDocument(this.uri), notebook: loadedNotebook(this.uri) };
  }

  /** Undefined if it cannot be read: the agent reports that when it writes the file. */
  async #read(): Promise<FileContent | undefined> {
    try {
      const { bytes } = await readBoundedFile(this.uri.fsPath, { maxBytes });
      if (!isUtf8(bytes)) return { kind: 'binary', size: bytes.length };
      return { kind: 'text', text: bytes.toString('utf8') };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { kind: 'missing' };
      const reason = error instanceof RefusedFileError ? error.message : describeError(error);
      this.#logger.warn('the file of a review cannot be read', { error: reason });
      return undefined;
    }
  }
}
