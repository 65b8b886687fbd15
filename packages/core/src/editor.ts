import type { EditorContext } from './context/editorContext.js';
import type { Event } from './event.js';
import type { Path, Range } from './position.js';

/** What is open, active and selected in the editor. */
export interface ContextSource {
  /** What is open, active and selected now. Must be cheap: it is called after every burst of changes. */
  snapshot(): EditorContext;
  /** Something in the snapshot may have changed. May fire often; the `ContextFeed` debounces. */
  readonly onDidChange: Event<void>;
}

/** What an editor is called, and the process that agents look for. */
export interface EditorInfo {
  /** Short lower-case identifier, such as `vscode`. */
  readonly name: string;
  /** Name for users, such as `VS Code`. */
  readonly displayName: string;
  readonly version: string;
  /**
   * The process that agents look for: an ancestor of the terminals that run in this editor, or the editor's own process
   * if the terminals are not its children.
   */
  readonly pid: number;
}

/** The folders that are open in the editor, and whether the user trusts them. */
export interface Workspace {
  /** Real paths of the open folders. May be empty. */
  folders(): readonly Path[];
  isTrusted(): boolean;
  /** Folders were added or removed, or trust was granted or withdrawn. */
  readonly onDidChange: Event<void>;
}

/** Access to the open documents. Paths are absolute; errors are `DocumentError`. */
export interface Documents {
  /**
   * Opens a file. Selects `range` when given, clamped to the text, and focuses the file when `takeFocus`. Rejects with
   * `DocumentError`: `not-found`, `not-a-file` for a folder, `failed` for anything else that cannot be opened.
   */
  open(path: Path, options?: { readonly range?: Range; readonly takeFocus?: boolean }): Promise<void>;
  /** The document's state, or `undefined` when it is not open. */
  state(path: Path): DocumentState | undefined;
  /** Saves an open document. Resolves `false` when it is not open or the editor could not save it. */
  save(path: Path): Promise<boolean>;
  /** Closes the document's tab without losing unsaved changes. Resolves `false` when it is not open or stays open. */
  close(path: Path): Promise<boolean>;
  /**
   * Formats an open document with the editor's own formatter, if it has one. Rejects with `DocumentError`:
   * `not-open`, or `failed`.
   */
  format?(path: Path): Promise<void>;
  /**
   * The user saved a file in the editor, open in the workspace or outside it; also if the editor saved it for the user, as
   * auto save does, or because of `save`. Not for what else changes a file: `format`, Tandem's own writing, other programs,
   * and reading the file again. Fires after the file was written, once for each save. Absent if the editor cannot tell.
   *
   * It is evidence of who changed a file: what the user saved is not an agent's change.
   */
  readonly onDidSave?: Event<SavedDocument>;
}

/** A file that the user saved. */
export interface SavedDocument {
  readonly path: Path;
  /**
   * The whole text as it was written, after formatters and the like have changed it, with or without a line end at its end.
   * Lines end in `\n`, whatever they end in on disk, and there is no byte order mark. `undefined` if the editor does not
   * know the text or it is too large to be sent.
   */
  readonly text: string | undefined;
}

/** The state of one open document. */
export interface DocumentState {
  readonly isDirty: boolean;
  /** The editor's name for the language, such as `typescript`. */
  readonly languageId?: string;
}

/** A document operation that failed. The message names the file and the reason; an agent may read it. */
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
  /** Diagnostics of one file within 500 ms, or of all files within 2 s: agents give up after that. */
  get(path?: Path): Promise<readonly FileDiagnostics[]>;
  /** Files whose diagnostics changed. */
  readonly onDidChange: Event<readonly Path[]>;
}

/** The diagnostics of one file; none if its language server found no problem. */
export interface FileDiagnostics {
  readonly path: Path;
  readonly diagnostics: readonly Diagnostic[];
}

/** One problem that a language server reports. */
export interface Diagnostic {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  readonly range: Range;
  readonly source?: string;
  readonly code?: string | number;
}
