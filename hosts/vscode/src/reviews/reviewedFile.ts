import { isUtf8 } from 'node:buffer';
import { RefusedFileError, readBoundedFile } from '@tandem/companion/files';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  mergeText,
  type Review,
} from '@tandem/core';
import * as vscode from 'vscode';
import { loadedDocument, loadedNotebook } from '../loadedDocument.js';

/** A file is often written in several steps. */
const settleMs = 100;
/** No larger file is reviewed. */
const maxBytes = 64 * 1024 * 1024;

/** How the file under review relates to what the proposal was made from. */
export type FileRelation =
  | 'same'
  /** It changed, and its change was taken into the proposal. */
  | 'followed'
  /** It changed in the very lines that the proposal changes: accepting would undo that. */
  | 'conflict';

/**
 * Watches the file of a review. What changes in it on disk is taken into the proposal, for the agent would write it
 * away; where that is not possible it is told. Unsaved changes are the person's own and are only told.
 */
export class ReviewedFile implements Disposable {
  readonly uri: vscode.Uri;
  readonly #review: Review;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<FileRelation>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #beforeFollowing: () => void;
  /** What the proposal is up to date with; `undefined` for a file that is not there or no text. */
  #basis: string | undefined;
  /** What the file held when it was last looked at. */
  #seen: string | undefined;
  #relation: FileRelation = 'same';
  #isGone = false;
  #settling: Disposable | undefined;
  #wasDirty = false;

  /** The file changed on disk, or has unsaved changes now, or has none any more. */
  readonly onDidChange: Event<FileRelation>;

  constructor(options: {
    readonly review: Review;
    readonly uri: vscode.Uri;
    readonly clock: Clock;
    readonly logger: Logger;
    /** Brings into the review what is being typed, before a change of the file is merged with it. */
    readonly beforeFollowing: () => void;
  }) {
    const { review, uri } = options;
    this.uri = uri;
    this.#beforeFollowing = options.beforeFollowing;
    this.#review = review;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#basis = review.original.kind === 'text' ? review.original.text : undefined;
    this.#seen = this.#basis;
    this.#didChange = this.#owned.add(new Emitter(logListenerError(options.logger, 'a reviewed file')));
    this.onDidChange = this.#didChange.event;
    // A pattern would read brackets in a name as its own.
    const folder = vscode.Uri.joinPath(uri, '..');
    const watcher = this.#owned.add(
      vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*')),
    );
    const changed = (which: vscode.Uri): void => {
      if (which.toString() !== uri.toString()) return;
      this.#settling?.dispose();
      this.#settling = this.#clock.setTimeout(() => void this.check(), settleMs);
    };
    const noteDirty = ({ uri: which }: { readonly uri: vscode.Uri }): void => {
      if (which.toString() === uri.toString()) this.#noteDirty();
    };
    this.#owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => noteDirty(document)));
    this.#owned.add(vscode.workspace.onDidSaveTextDocument(noteDirty));
    this.#owned.add(vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => noteDirty(notebook)));
    this.#owned.add(vscode.workspace.onDidSaveNotebookDocument(noteDirty));
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
      this.#owned.add(event(changed));
    }
  }

  get relation(): FileRelation {
    return this.#relation;
  }

  /** Whether it was there when this was proposed, and is not any more. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether an editor holds changes to the file that are not on disk. */
  get isDirty(): boolean {
    const { document, notebook } = this.#open;
    return document?.isDirty === true || notebook?.isDirty === true;
  }

  /** Saves what an editor holds. Resolves to whether nothing is unsaved any more. */
  async save(): Promise<boolean> {
    const { document, notebook } = this.#open;
    return ((await notebook?.save()) ?? true) && ((await document?.save()) ?? true);
  }

  /** Looks at the file now, and takes a change into the proposal where that is possible. */
  async check(): Promise<FileRelation> {
    const { text: now, isThere } = await this.#read();
    const review = this.#review;
    if (this.#owned.isDisposed || review.state !== 'pending') return this.#relation;
    // What the agent itself has written already is no change to warn of.
    if (now === this.#seen || now === review.content) return this.#relation;
    this.#seen = now;
    this.#isGone = !isThere && this.#basis !== undefined;
    // Whoever made the conflict may take it back.
    if (now === this.#basis) this.#relation = 'same';
    else if (this.#follow(now)) this.#relation = 'followed';
    else this.#relation = 'conflict';
    this.#didChange.fire(this.#relation);
    return this.#relation;
  }

  dispose(): void {
    this.#settling?.dispose();
    this.#owned.dispose();
  }

  #noteDirty(): void {
    if (this.isDirty === this.#wasDirty) return;
    this.#wasDirty = this.isDirty;
    this.#didChange.fire(this.#relation);
  }

  /** What VS Code holds of the file: as text, as a notebook, or both. */
  get #open(): { document: vscode.TextDocument | undefined; notebook: vscode.NotebookDocument | undefined } {
    return { document: loadedDocument(this.uri), notebook: loadedNotebook(this.uri) };
  }

  /** No text has a file that went away, cannot be read, or holds something else. */
  async #read(): Promise<{ readonly text?: string; readonly isThere: boolean }> {
    try {
      const { bytes } = await readBoundedFile(this.uri.fsPath, { maxBytes });
      return isUtf8(bytes) ? { text: bytes.toString('utf8'), isThere: true } : { isThere: true };
    } catch (error) {
      if (error instanceof RefusedFileError) {
        this.#logger.warn('the file of a review cannot be read', { error: error.message });
      }
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      return { isThere: !isMissing };
    }
  }

  #follow(now: string | undefined): boolean {
    if (now === undefined || this.#basis === undefined) return false;
    this.#beforeFollowing();
    const merged = mergeText(this.#basis, this.#review.content, now);
    if (!merged.ok) return false;
    this.#basis = now;
    this.#review.edit(merged.text);
    return true;
  }
}
