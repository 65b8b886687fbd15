import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
} from '@tandem/core';
import * as vscode from 'vscode';
import { loadedDocument, loadedNotebook } from '../tabs.js';

/** A file in the editors of this window, which may have unsaved changes. Only the user may save them. The creator disposes it. */
export class FileInWindow implements Disposable {
  readonly uri: vscode.Uri;
  /** `isDirty` changed. */
  readonly onDidChange: Event<void>;
  readonly #owned = new DisposableStore();
  #wasDirty = false;

  constructor(uri: vscode.Uri, logger: Logger) {
    this.uri = uri;
    const didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'a file in an editor')));
    this.onDidChange = didChange.event;
    const note = ({ uri: which }: { readonly uri: vscode.Uri }): void => {
      if (!isSame(which, uri) || this.isDirty === this.#wasDirty) return;
      this.#wasDirty = this.isDirty;
      didChange.fire();
    };
    const { workspace } = vscode;
    this.#owned.add(workspace.onDidChangeTextDocument(({ document }) => note(document)));
    this.#owned.add(workspace.onDidSaveTextDocument(note));
    this.#owned.add(workspace.onDidChangeNotebookDocument(({ notebook }) => note(notebook)));
    this.#owned.add(workspace.onDidSaveNotebookDocument(note));
  }

  /** Whether an editor has unsaved changes to the file. */
  get isDirty(): boolean {
    const { document, notebook } = this.#open;
    return document?.isDirty === true || notebook?.isDirty === true;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** VS Code's documents of the file: text, notebook, or both. */
  get #open(): { document: vscode.TextDocument | undefined; notebook: vscode.NotebookDocument | undefined } {
    return { document: loadedDocument(this.uri), notebook: loadedNotebook(this.uri) };
  }
}

/** Calls `onTouched` whenever the file, which need not exist, may have changed on disk. */
export function watchFile(uri: vscode.Uri, onTouched: () => void): Disposable {
  const store = new DisposableStore();
  // A pattern with the file name would misinterpret brackets in it.
  const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(uri, '..'), '*');
  const watcher = store.add(vscode.workspace.createFileSystemWatcher(pattern));
  for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
    store.add(event((which) => isSame(which, uri) && onTouched()));
  }
  return store;
}

function isSame(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}
