import type { RestoreConflict } from '@tandem/companion';
import { type Disposable, DisposableStore, describeError, type Logger, type Path } from '@tandem/core';
import { toDocumentText } from '@tandem/reviews';
import * as vscode from 'vscode';
import type { ChangeList } from './changeList.js';

/** Conflicts of restorations that are open as unsaved changes of their files. Saving one is a restoration, which can be undone. */
export class RestoreConflicts implements Disposable {
  readonly #toUri: (path: Path) => vscode.Uri;
  readonly #owned = new DisposableStore();
  readonly #open = new Map<string, RestoreConflict>();

  constructor(of: {
    readonly list: ChangeList;
    readonly toUri: (path: Path) => vscode.Uri;
    readonly logger: Logger;
  }) {
    this.#toUri = of.toUri;
    this.#owned.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        const conflict = this.#take(uri);
        if (conflict === undefined) return;
        of.list.companion?.changes.recordResolved(conflict).catch((error: unknown) => {
          of.logger.warn('a restoration is not in the history', { error: describeError(error) });
        });
      }),
    );
    this.#owned.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => void this.#take(uri)));
  }

  /** Opens a file with both versions. Nothing is written before the user saves it. */
  async open(conflict: RestoreConflict): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#toUri(conflict.path));
    const edit = new vscode.WorkspaceEdit();
    const everything = new vscode.Range(
      document.positionAt(0),
      document.positionAt(document.getText().length),
    );
    edit.replace(document.uri, everything, toDocumentText(conflict.text));
    if (!(await vscode.workspace.applyEdit(edit))) {
      throw new Error(vscode.l10n.t('{0} cannot be edited.', conflict.path));
    }
    this.#open.set(document.uri.toString(), conflict);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #take(uri: vscode.Uri): RestoreConflict | undefined {
    const conflict = this.#open.get(uri.toString());
    this.#open.delete(uri.toString());
    return conflict;
  }
}
