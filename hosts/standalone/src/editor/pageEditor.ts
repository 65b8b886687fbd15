import { stat } from 'node:fs/promises';
import { onDisk, RefusedFileError } from '@tandem/companion/files';
import {
  type Disposable,
  DisposableStore,
  DocumentError,
  type DocumentState,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
  type Range,
} from '@tandem/core';
import type { Editor, Review } from '@tandem/reviews';
import { RpcError } from '@tandem/rpc';
import { spellingIn } from './diskFile.js';
import { FileWatches } from './fileWatches.js';
import { FocusOrder } from './focusOrder.js';
import type { OpenDocument } from './openDocument.js';
import { OpenDocuments } from './openDocuments.js';
import { readSelection } from './selection.js';
import type { ShownReview } from './shownReview.js';
import { ShownReviews } from './shownReviews.js';

/** More files are not kept open, except those with unsaved changes; agents receive ten. */
const maxOpenFiles = 100;

/** An agent or a command requests that a file is shown. */
export interface ShowRequest {
  readonly path: Path;
  readonly range?: Range;
  readonly takesFocus: boolean;
  /** How many requests so far took the focus. */
  readonly count: number;
}

/**
 * The editor of a companion without an IDE. Pages show and edit its open documents and reviews. It also works without a page:
 * `tandem focus` reports what the user sees in another editor, and `tandem review` decides. It writes a file only when the
 * user saves it.
 */
export class PageEditor implements Editor, Disposable {
  readonly info: Editor['info'];
  readonly workspace: Editor['workspace'];
  readonly context: Editor['context'];
  readonly documents: Editor['documents'];
  readonly reviews: Editor['reviews'];
  /** A document was opened or closed, or became dirty, saved, in conflict or the like. */
  readonly onDidChangeDocuments: Event<void>;
  /** A review was added, changed, ended or was removed. May fire often. */
  readonly onDidChangeReviews: Event<void>;
  readonly onDidRequestShow: Event<ShowRequest>;

  readonly #owned = new DisposableStore();
  readonly #folders: readonly Path[];
  readonly #didChange: Emitter<void>;
  readonly #didRequestShow: Emitter<ShowRequest>;
  readonly #documents: OpenDocuments;
  readonly #reviews: ShownReviews;
  readonly #focus = new FocusOrder();
  #focusRequests = 0;
  #lastOpening: Promise<unknown> = Promise.resolve();

  /** `folders` are real paths. */
  constructor(options: {
    readonly folders: readonly Path[];
    readonly isTrusted: boolean;
    readonly version: string;
    readonly logger: Logger;
  }) {
    const { folders, isTrusted, version, logger } = options;
    const onError = logListenerError(logger, 'the editor');
    this.#folders = folders;
    this.#didChange = this.#owned.add(new Emitter<void>(onError));
    this.#didRequestShow = this.#owned.add(new Emitter<ShowRequest>(onError));
    const watches = this.#owned.add(new FileWatches(logger, folders));
    this.#documents = this.#owned.add(new OpenDocuments({ logger, watches, folders }));
    this.#reviews = this.#owned.add(new ShownReviews({ logger, watches }));
    this.onDidChangeDocuments = this.#documents.onDidChange;
    this.onDidChangeReviews = this.#reviews.onDidChange;
    this.onDidRequestShow = this.#didRequestShow.event;
    this.#owned.add(this.#documents.onDidChangePresence(() => this.#didChange.fire()));
    this.#owned.add(this.#documents.onDidChangeText((document) => this.#onText(document)));

    this.info = { name: 'tandem', displayName: 'Tandem', version, pid: process.pid };
    const didChangeWorkspace = this.#owned.add(new Emitter<void>(onError));
    this.workspace = {
      folders: () => folders,
      isTrusted: () => isTrusted,
      onDidChange: didChangeWorkspace.event,
    };
    this.context = {
      snapshot: () => ({ ...this.#focus.snapshot(), isTrusted }),
      onDidChange: this.#didChange.event,
    };
    this.documents = {
      open: (path, how) => this.#inTurn(() => this.#show(path, how ?? {})),
      state: (path) => stateOf(this.document(path)),
      save: (path) => this.#save(path),
      close: async (path) => this.#closeClean(path),
      onDidSave: this.#documents.onDidSave,
    };
    this.reviews = { show: async (review) => this.#reviews.show(review) };
  }

  /** In the order in which they were opened. */
  get openDocuments(): readonly OpenDocument[] {
    return this.#documents.all;
  }

  document(path: Path): OpenDocument | undefined {
    return this.#documents.find(path);
  }

  /** Pending ones, the oldest first. */
  get shownReviews(): readonly ShownReview[] {
    return this.#reviews.pending;
  }

  /** Recently ended ones, the newest first. */
  get endedReviews(): readonly ShownReview[] {
    return this.#reviews.ended;
  }

  /** A pending or recently ended review. */
  shownReview(id: string): ShownReview | undefined {
    return this.#reviews.find(id);
  }

  /** Removes a decided review. */
  forgetReview(review: Review): void {
    this.#reviews.forget(review);
  }

  /** Opens a file as a tab, without the focus. Rejects with `DocumentError`, as `documents.open`. */
  openDocument(path: Path): Promise<OpenDocument> {
    return this.#inTurn(async () => {
      await requireFile(path);
      return this.#open(await spellingIn(this.#folders, path));
    });
  }

  /**
   * Restores unsaved changes that a page kept while the companion was down, also of a deleted file.
   * Rejects as `OpenDocument.restore`.
   */
  restoreDocument(path: Path, base: string, content: string): Promise<void> {
    return this.#inTurn(async () => {
      const document = await this.#open(await spellingIn(this.#folders, path));
      await document.restore(base, content);
    });
  }

  /** Closes a tab, if it is open. Rejects with `unsaved`, unless `discards`. */
  async closeDocument(path: Path, options: { readonly discards?: boolean } = {}): Promise<void> {
    const document = this.document(path);
    if (document === undefined) return;
    if (document.isDirty && options.discards !== true) {
      throw new RpcError('unsaved', `${path} has unsaved changes.`);
    }
    this.#close(document);
  }

  /**
   * Whether a page that has received this many requests that take the focus has received all of them. Of an earlier one, it
   * reports the file from before the request.
   */
  hasReceivedAll(focusRequests: number): boolean {
    return focusRequests >= this.#focusRequests;
  }

  /**
   * The user activated an open file or moved its cursor; without a path, no file is active. Throws `not-found` if the file is
   * not open.
   */
  setFocus(path: Path | undefined, range?: Range, cursor?: 'start' | 'end'): void {
    if (path === undefined) {
      if (this.#focus.activePath === undefined) return;
      this.#focus.leave();
      this.#didChange.fire();
      return;
    }
    const document = this.document(path);
    if (document === undefined) throw new RpcError('not-found', `${path} is not open.`);
    // Not clipped to the text: the typing that moved the cursor may arrive later.
    this.#focus.visit(document, true, range && { range, ...(cursor && { cursor }) });
    this.#didChange.fire();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Of two concurrent requests the later must win, even if its file is read faster. */
  #inTurn<T>(open: () => Promise<T>): Promise<T> {
    const opening = this.#lastOpening.then(open);
    this.#lastOpening = opening.catch(() => undefined);
    return opening;
  }

  async #show(asked: Path, how: { readonly range?: Range; readonly takeFocus?: boolean }): Promise<void> {
    await requireFile(asked);
    const path = await spellingIn(this.#folders, asked);
    const document = await this.#open(path);
    const takesFocus = how.takeFocus === true;
    const range = how.range ?? this.#focus.locationIn(document)?.range;
    if (document.kind === 'text') {
      this.#focus.visit(document, takesFocus, range && { range: document.selection(range).range });
    } else {
      const foreign = range && (await readSelection(path, range));
      this.#focus.visit(document, takesFocus, foreign && { foreign, range: foreign.range });
    }
    if (takesFocus) this.#focusRequests += 1;
    this.#didChange.fire();
    const count = this.#focusRequests;
    this.#didRequestShow.fire({ path, ...(how.range && { range: how.range }), takesFocus, count });
  }

  async #open(path: Path): Promise<OpenDocument> {
    let document: OpenDocument;
    try {
      document = await this.#documents.open(path);
    } catch (cause) {
      const message = cause instanceof RefusedFileError ? cause.message : `${path} cannot be read.`;
      throw new DocumentError('failed', message, { cause });
    }
    if (this.#focus.locationIn(document) === undefined) {
      this.#focus.visit(document, false);
      this.#dropOldest(document);
      this.#didChange.fire();
    }
    return document;
  }

  /** Closes the least recently used file if there are too many. Unsaved ones stay. */
  #dropOldest(opened: OpenDocument): void {
    if (this.#focus.size <= maxOpenFiles) return;
    const { activePath, documents } = this.#focus;
    const oldest = documents.findLast(
      (document) => document !== opened && !document.isDirty && document.path !== activePath,
    );
    if (oldest !== undefined) this.#close(oldest);
  }

  async #save(path: Path): Promise<boolean> {
    const document = this.document(path);
    if (document === undefined) return false;
    try {
      await document.save(document.text.version);
      return true;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  #closeClean(path: Path): boolean {
    const document = this.document(path);
    if (document === undefined || document.isDirty) return false;
    this.#close(document);
    return true;
  }

  #close(document: OpenDocument): void {
    this.#focus.forget(document);
    this.#documents.close(document);
    this.#didChange.fire();
  }

  /** The selected text may have changed. */
  #onText(document: OpenDocument): void {
    if (this.#focus.locationIn(document)?.range !== undefined) this.#didChange.fire();
  }
}

function stateOf(document: OpenDocument | undefined): DocumentState | undefined {
  return document && { isDirty: document.isDirty };
}

async function requireFile(path: Path): Promise<void> {
  let isFile: boolean;
  try {
    isFile = (await onDisk(path, () => stat(path))).isFile();
  } catch (cause) {
    throw new DocumentError('not-found', `${path} does not exist or cannot be read.`, { cause });
  }
  if (!isFile) throw new DocumentError('not-a-file', `${path} is not a file.`);
}
