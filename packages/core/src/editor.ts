import type { Disposable } from './disposable.js';
import type { EditorContext } from './editorContext.js';
import type { Event } from './event.js';
import type { Path, Range } from './position.js';
import type { Review } from './review.js';

/**
 * What a person works in. A host adapts its editor to this interface; nothing else of the house knows which
 * editor it is. Capabilities that not every editor has are optional members: their absence is the declaration,
 * and the tools that need them are then not offered to any agent.
 */
export interface Editor {
  readonly info: EditorInfo;
  readonly workspace: Workspace;
  readonly context: {
    /** What is open, active and selected now. Cheap: it is asked after every burst of changes. */
    snapshot(): EditorContext;
    /** Something in the snapshot may have changed. May fire often; the `ContextFeed` debounces. */
    readonly onDidChange: Event<void>;
  };
  readonly documents: Documents;
  readonly reviews: {
    /**
     * Shows a pending review without taking the focus. Resolves once it is on its way to the screen and rejects
     * with an `Error` whose message an agent may read when it cannot be shown. Disposing closes the view; it
     * does not decide the review. One that has ended by the time its view would open is not shown, and that is no
     * error.
     */
    show(review: Review): Promise<Disposable>;
  };
  readonly diagnostics?: Diagnostics;
}

export interface EditorInfo {
  /** Short lower-case identifier, such as `vscode`. */
  readonly name: string;
  /** What a person calls it, such as `VS Code`. */
  readonly displayName: string;
  readonly version: string;
  /**
   * The process that agents look for: an ancestor of the terminals that run in this editor, or the editor's own
   * process where terminals are not its children.
   */
  readonly pid: number;
}

export interface Workspace {
  /** Real paths of the open folders. May be empty. */
  folders(): readonly Path[];
  isTrusted(): boolean;
  /** Folders came or went, or trust was granted or withdrawn. */
  readonly onDidChange: Event<void>;
}

/** Reading and steering the open documents. Paths are absolute; errors are `DocumentError`. */
export interface Documents {
  /**
   * Opens a file, selects `range` when given, cut to what the text has, and gives it the focus when `takeFocus`. Rejects
   * with `DocumentError`: `not-found`, `not-a-file` for a folder, `failed` for what else cannot be opened.
   */
  open(path: Path, options?: { readonly range?: Range; readonly takeFocus?: boolean }): Promise<void>;
  /** The document's state, or `undefined` when it is not open. */
  state(path: Path): DocumentState | undefined;
  /** Saves an open document. Resolves `false` when it is not open or the editor could not save it. */
  save(path: Path): Promise<boolean>;
  /** Closes the document's tab without losing unsaved changes. Resolves `false` when it is not open or stays open. */
  close(path: Path): Promise<boolean>;
  /**
   * Formats an open document with the editor's own formatter, if it has any at all. Rejects with `DocumentError`:
   * `not-open`, or `failed`.
   */
  format?(path: Path): Promise<void>;
}

/** What is known of one open document. */
export interface DocumentState {
  readonly isDirty: boolean;
  /** The editor's name for the language, such as `typescript`. */
  readonly languageId?: string;
}

/** A document operation that failed; the message says which file and why, and is fit for an agent to read. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly code: 'not-found' | 'not-a-file' | 'not-open' | 'failed';
  constructor(code: DocumentError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Compiler messages of the editor's language services. */
export interface Diagnostics {
  /** Those of one file within 500 ms, or of all files within 2 s: an agent gives up after that. */
  get(path?: Path): Promise<readonly FileDiagnostics[]>;
  /** Files whose diagnostics changed. */
  readonly onDidChange: Event<readonly Path[]>;
}

export interface FileDiagnostics {
  readonly path: Path;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Diagnostic {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  readonly range: Range;
  readonly source?: string;
  readonly code?: string | number;
}
