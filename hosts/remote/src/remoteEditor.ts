import { stat } from 'node:fs/promises';
import { pausing, type ReviewContext } from '@tandem/companion';
import {
  type Diagnostics,
  type Disposable,
  DocumentError,
  type DocumentState,
  type Documents,
  describeError,
  type EditorContext,
  type EditorInfo,
  Emitter,
  type FileDiagnostics,
  type Logger,
  logListenerError,
  messageOf,
  type Path,
  type Range,
  type SavedDocument,
  toDisposable,
  visibleName,
  type Workspace,
} from '@tandem/core';
import {
  type Editor,
  type FileFollower,
  onceDecided,
  type Review,
  toDocumentText,
  type WhenClosed,
} from '@tandem/reviews';
import * as z from 'zod';
import { type Connection, PeerError } from './connection.js';
import { type ContextSnapshot, type InitializeParams, tandemCalls } from './protocol.js';
import { realPathOf } from './realPath.js';
import { RemoteReview } from './remoteReview.js';

/** Agents wait this long for diagnostics. */
const diagnosticsLimitMs = 2_000;

/** What editors call a language, where LSP has another identifier. */
const languageIds = new Map([
  ['sh', 'shellscript'],
  ['bash', 'shellscript'],
  ['c++', 'cpp'],
  ['cs', 'csharp'],
  ['js', 'javascript'],
  ['js2', 'javascript'],
  ['mhtml', 'html'],
  ['tsx', 'typescriptreact'],
  ['fundamental', 'plaintext'],
  ['text', 'plaintext'],
]);

const documentErrorCode = z.enum(['not-open', 'failed']).catch('failed');

export interface RemoteEditorOptions {
  readonly connection: Connection;
  readonly initialize: InitializeParams;
  readonly followFile: (review: Review) => FileFollower;
  readonly logger: Logger;
}

/** An editor in another process, over a connection. The creator disposes it. */
export class RemoteEditor implements Editor, Disposable {
  readonly info: EditorInfo;
  readonly workspace: Workspace;
  readonly context: Editor['context'];
  readonly documents: Documents;
  readonly reviews: Editor['reviews'];
  readonly diagnostics?: Diagnostics;

  readonly #options: RemoteEditorOptions;
  readonly #connection: Connection;
  readonly #didChangeContext: Emitter<void>;
  readonly #didChangeWorkspace: Emitter<void>;
  readonly #didChangeDiagnostics: Emitter<readonly Path[]>;
  readonly #didSave: Emitter<SavedDocument>;
  readonly #shown = new Map<string, RemoteReview>();
  #contextOf: (review: Review) => ReviewContext = () => ({});
  #folders: readonly Path[];
  #isTrusted: boolean;
  #context: Omit<EditorContext, 'isTrusted'> = { openFiles: [] };
  #states: ReadonlyMap<Path, DocumentState> = new Map();
  /** The real path of each open file, by the editor's path. */
  #realPaths: ReadonlyMap<Path, Path> = new Map();

  constructor(options: RemoteEditorOptions) {
    this.#options = options;
    this.#connection = options.connection;
    const { editor, workspaceFolders, isTrusted, capabilities } = options.initialize;
    this.info = {
      ...editor,
      displayName: visibleName(editor.displayName),
      version: visibleName(editor.version),
    };
    this.#folders = [...new Set(workspaceFolders.map(realPathOf))];
    this.#isTrusted = isTrusted;
    const onError = logListenerError(options.logger, 'the editor');
    this.#didChangeContext = new Emitter<void>(onError);
    this.#didChangeWorkspace = new Emitter<void>(onError);
    this.#didChangeDiagnostics = new Emitter<readonly Path[]>(onError);
    this.#didSave = new Emitter<SavedDocument>(onError);
    this.workspace = {
      folders: () => this.#folders,
      isTrusted: () => this.#isTrusted,
      onDidChange: this.#didChangeWorkspace.event,
    };
    this.context = {
      snapshot: () => ({ ...this.#context, isTrusted: this.#isTrusted }),
      onDidChange: this.#didChangeContext.event,
    };
    this.documents = {
      open: (path, how) => this.#open(path, how),
      state: (path) => this.#states.get(path) ?? this.#states.get(realPathOf(path)),
      save: async (path) => (await this.#ask('document/save', { path: realPathOf(path) })) === true,
      close: async (path) => (await this.#ask('document/close', { path: realPathOf(path) })) === true,
      ...(capabilities.format && { format: (path: Path) => this.#onDocument('document/format', { path }) }),
      onDidSave: this.#didSave.event,
    };
    this.reviews = { show: (review) => this.#show(review) };
    if (capabilities.diagnostics) {
      this.diagnostics = {
        get: (path) => this.#diagnosticsOf(path),
        onDidChange: this.#didChangeDiagnostics.event,
      };
    }
  }

  /** From now on reviews are described with what the companion knows. */
  attach(contextOf: (review: Review) => ReviewContext): void {
    this.#contextOf = contextOf;
  }

  /** What closing the view of a review does. */
  get whenClosed(): WhenClosed {
    return this.#options.initialize.settings.whenClosed ?? 'reject';
  }

  find(id: string): RemoteReview | undefined {
    return this.#shown.get(id);
  }

  /** Shows a pending review again, which the user had closed. */
  async showAgain(id: string): Promise<void> {
    const shown = this.find(id);
    if (shown === undefined) return;
    await shown.review.compare(pausing());
    await this.#connection.request('review/show', { review: shown.next() });
  }

  /** What the companion knows of the reviews may have changed. */
  refreshReviews(): void {
    for (const shown of this.#shown.values()) shown.refresh();
  }

  contextChanged({ openFiles, activePath }: ContextSnapshot): void {
    const before = new Map(this.#context.openFiles.map((file) => [file.path, file.lastFocusedAt]));
    const now = Date.now();
    const open = this.#withRealPaths(openFiles);
    const active = open[openFiles.findIndex(({ path }) => path === activePath)];
    const ordered = active === undefined ? open : [active, ...open.filter((file) => file !== active)];
    const files = new Map<Path, EditorContext['openFiles'][number]>();
    const states = new Map<Path, DocumentState>();
    let latest = Number.MAX_SAFE_INTEGER;
    for (const { path, lastFocusedAt, isDirty, languageId, selection } of ordered) {
      if (files.has(path)) continue;
      const isNewlyActive = path === active?.path && path !== this.#context.activePath;
      latest = Math.min(latest, lastFocusedAt ?? (isNewlyActive ? now : (before.get(path) ?? now)));
      files.set(path, {
        path,
        lastFocusedAt: latest,
        ...(selection && {
          selection: {
            range: selection.range,
            ...(selection.cursor && { cursor: selection.cursor }),
            text: selection.text,
          },
        }),
      });
      states.set(path, {
        isDirty,
        ...(languageId !== undefined && { languageId: languageIds.get(languageId) ?? languageId }),
      });
    }
    this.#context = {
      openFiles: [...files.values()],
      ...(active !== undefined && { activePath: active.path }),
    };
    this.#states = states;
    this.#didChangeContext.fire();
  }

  workspaceChanged(workspace: Pick<InitializeParams, 'workspaceFolders' | 'isTrusted'>): void {
    this.#folders = [...new Set(workspace.workspaceFolders.map(realPathOf))];
    this.#isTrusted = workspace.isTrusted;
    this.#didChangeWorkspace.fire();
  }

  diagnosticsChanged(paths: readonly Path[]): void {
    this.#didChangeDiagnostics.fire(paths.map(realPathOf));
  }

  documentSaved(path: Path, text?: string): void {
    this.#didSave.fire({ path: realPathOf(path), text: text === undefined ? text : toDocumentText(text) });
  }

  dispose(): void {
    for (const shown of this.#shown.values()) shown.dispose();
    this.#shown.clear();
    this.#didChangeContext.dispose();
    this.#didChangeWorkspace.dispose();
    this.#didChangeDiagnostics.dispose();
    this.#didSave.dispose();
  }

  /** Each file's path is resolved once while the file is open, because every movement of the cursor sends all files. */
  #withRealPaths(openFiles: ContextSnapshot['openFiles']): ContextSnapshot['openFiles'] {
    const before = this.#realPaths;
    this.#realPaths = new Map(openFiles.map(({ path }) => [path, before.get(path) ?? realPathOf(path)]));
    return openFiles.map((file) => ({ ...file, path: this.#realPaths.get(file.path) ?? file.path }));
  }

  async #open(path: Path, { range, takeFocus }: { range?: Range; takeFocus?: boolean } = {}): Promise<void> {
    const file = await stat(path).catch(() => undefined);
    if (file === undefined) throw new DocumentError('not-found', `${path} does not exist.`);
    if (!file.isFile()) throw new DocumentError('not-a-file', `${path} is not a file.`);
    await this.#onDocument('document/open', {
      path,
      ...(range && { range }),
      ...(takeFocus !== undefined && { takeFocus }),
    });
  }

  async #onDocument(method: 'document/open' | 'document/format', params: { path: Path }): Promise<void> {
    try {
      await this.#connection.request(method, { ...params, path: realPathOf(params.path) });
    } catch (error) {
      const code = documentErrorCode.parse(error instanceof PeerError ? error.code : undefined);
      const message = messageOf(error);
      const { path } = params;
      throw new DocumentError(code, message.includes(path) ? message : `${path}: ${message}`, {
        cause: error,
      });
    }
  }

  /** The answer, or undefined if there is none. */
  async #ask(method: keyof typeof tandemCalls, params: object): Promise<unknown> {
    try {
      return await this.#connection.request(method, params);
    } catch (error) {
      this.#options.logger.warn('the editor failed', { method, error: describeError(error) });
      return undefined;
    }
  }

  async #diagnosticsOf(path?: Path): Promise<readonly FileDiagnostics[]> {
    const answer = await this.#connection.request(
      'diagnostics/get',
      path === undefined ? {} : { path: realPathOf(path) },
      diagnosticsLimitMs,
    );
    const files = tandemCalls['diagnostics/get'].result.parse(answer);
    return files.map((file) => ({
      // Agents look for the path that they asked about.
      path: path !== undefined && realPathOf(file.path) === realPathOf(path) ? path : realPathOf(file.path),
      diagnostics: file.diagnostics.map(({ message, severity, range, source, code }) => ({
        message,
        severity,
        range,
        ...(source !== undefined && { source }),
        ...(code !== undefined && { code }),
      })),
    }));
  }

  /** The caller limits the time. If the editor ends before it answers, the review is still pending in the journal. */
  async #show(review: Review): Promise<Disposable> {
    if (review.outcome !== undefined) return toDisposable(() => {});
    const shown = new RemoteReview({
      review,
      file: this.#options.followFile(review),
      context: (each) => this.#contextOf(each),
      send: (changed) => this.#connection.notify('review/changed', { review: changed }),
    });
    this.#shown.set(review.id, shown);
    await review.compare(pausing());
    if (review.state !== 'pending') {
      shown.dispose();
      this.#shown.delete(review.id);
      return toDisposable(() => {});
    }
    const close = toDisposable(() => this.#close(shown));
    const ended = onceDecided(review, () => close.dispose());
    try {
      await this.#connection.ask('review/show', { review: shown.next() });
    } catch (error) {
      if (error instanceof PeerError) {
        close.dispose();
        throw error;
      }
    } finally {
      ended.dispose();
    }
    return close;
  }

  #close(shown: RemoteReview): void {
    shown.dispose();
    const { review } = shown;
    if (this.#shown.get(review.id) === shown) this.#shown.delete(review.id);
    const { outcome } = review;
    this.#connection.notify('review/close', {
      id: review.id,
      outcome: outcome?.kind ?? 'withdrawn',
      ...(outcome?.kind === 'withdrawn' && { reason: outcome.reason }),
    });
  }
}
