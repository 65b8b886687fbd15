import {
  type Disposable,
  DisposableStore,
  type Documents,
  Emitter,
  type Logger,
  logListenerError,
} from '@tandem/core';
import type { Editor, Review } from '@tandem/reviews';
import * as vscode from 'vscode';
import { createDocuments } from './documents.js';
import { EditorDiagnostics } from './editorDiagnostics.js';
import { OpenFiles } from './openFiles.js';
import { SavedFiles } from './savedFiles.js';
import type { UserFocus } from './userFocus.js';
import type { WorkspacePaths } from './workspacePaths.js';

/** The window of this extension host as an `Editor`. Its creator disposes it. */
export class VscodeEditor implements Editor, Disposable {
  readonly info: Editor['info'];
  readonly workspace: Editor['workspace'];
  readonly context: Editor['context'];
  readonly documents: Documents;
  readonly reviews: Editor['reviews'];
  readonly diagnostics: EditorDiagnostics;
  readonly #owned = new DisposableStore();

  constructor(options: {
    readonly paths: WorkspacePaths;
    readonly focus: UserFocus;
    readonly show: (review: Review) => Promise<Disposable>;
    readonly logger: Logger;
  }) {
    const { paths, logger } = options;
    this.info = editorInfo();
    const openFiles = this.#owned.add(new OpenFiles({ paths, logger }));
    const didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'the workspace')));
    this.#owned.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        paths.refresh();
        didChange.fire();
      }),
    );
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => didChange.fire()));
    this.workspace = {
      folders: () => paths.folders,
      isTrusted: () => vscode.workspace.isTrusted,
      onDidChange: didChange.event,
    };
    this.context = { snapshot: () => openFiles.snapshot(), onDidChange: openFiles.onDidChange };
    const saved = this.#owned.add(new SavedFiles({ paths, logger }));
    this.documents = createDocuments(paths, options.focus, saved);
    this.reviews = { show: options.show };
    this.diagnostics = this.#owned.add(new EditorDiagnostics({ paths, logger }));
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

/**
 * Gemini CLI looks for the grandparent of its shell, Claude Code for an ancestor. The extension host itself is
 * neither; its parent is both: VS Code's main process, or its server where that runs remotely, has the terminals'
 * host for another child.
 */
function editorInfo(): Editor['info'] {
  const env = vscode.env;
  const version = vscode.version;
  const isNamed = /^[a-z][a-z0-9-]*$/.test(env.uriScheme);
  return {
    name: isNamed ? env.uriScheme : 'vscode',
    displayName: env.appName || 'VS Code',
    version,
    pid: process.ppid,
  };
}
