import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type SavedDocument,
} from '@tandem/core';
import { toDocumentText } from '@tandem/reviews';
import * as vscode from 'vscode';
import type { WorkspacePaths } from './workspacePaths.js';

/** The files that are saved in the window. Its creator disposes it. */
export class SavedFiles implements Disposable {
  /** A file on disk was saved, except as `saveUnreported` saves it. */
  readonly onDidSave: Event<SavedDocument>;
  readonly #owned = new DisposableStore();
  /** The texts that are saved without a report, by document. */
  readonly #unreported = new Map<vscode.TextDocument, string>();

  constructor(options: { readonly paths: WorkspacePaths; readonly logger: Logger }) {
    const didSave = this.#owned.add(
      new Emitter<SavedDocument>(logListenerError(options.logger, 'the saved files')),
    );
    this.onDidSave = didSave.event;
    this.#owned.add(
      vscode.workspace.onDidSaveTextDocument((document) => {
        const path = options.paths.toPath(document.uri);
        if (path === undefined) return;
        const text = document.getText();
        if (this.#unreported.get(document) !== text) didSave.fire({ path, text: toDocumentText(text) });
      }),
    );
    // Only the extension of a notebook knows its text on disk.
    this.#owned.add(
      vscode.workspace.onDidSaveNotebookDocument(({ uri }) => {
        const path = options.paths.toPath(uri);
        if (path !== undefined) didSave.fire({ path, text: undefined });
      }),
    );
  }

  /** Saves a text that is not the user's. It is reported if the user or a formatter changes it meanwhile. */
  async saveUnreported(document: vscode.TextDocument): Promise<void> {
    this.#unreported.set(document, document.getText());
    try {
      await document.save();
    } finally {
      this.#unreported.delete(document);
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
