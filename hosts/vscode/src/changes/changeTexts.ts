import { type Disposable, DisposableStore, type FileContent, type Path } from '@tandem/core';
import * as vscode from 'vscode';
import type { ChangeList } from './changeList.js';

/** Scheme of the texts before the first change and now. */
const changesScheme = 'tandem-changes';

type Side = 'before' | 'now';

/**
 * The two sides of the changes of a session, both read-only: saving a multi-file diff would write every file that can be
 * written.
 */
export class ChangeTexts implements vscode.TextDocumentContentProvider, Disposable {
  readonly onDidChange: vscode.Event<vscode.Uri>;
  readonly #list: ChangeList;
  readonly #owned = new DisposableStore();

  constructor(list: ChangeList) {
    this.#list = list;
    const didChange = this.#owned.add(new vscode.EventEmitter<vscode.Uri>());
    this.onDidChange = didChange.event;
    this.#owned.add(
      list.onDidChange(() => {
        for (const { uri } of vscode.workspace.textDocuments)
          if (uri.scheme === changesScheme) didChange.fire(uri);
      }),
    );
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(changesScheme, this));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const [side = '', session] = uri.query.split('=');
    try {
      const file = await this.#list.companion?.changes.file(
        vscode.Uri.file(uri.path).fsPath,
        session === '' ? undefined : session,
      );
      return file === undefined ? '' : textOf(side === 'before' ? file.before : file.now);
    } catch {
      return vscode.l10n.t('The history no longer has this change.');
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

/** Where a side of a file's changes is shown. It has the file's path, for name, icon and language. */
export function changeUri(path: Path, side: Side, session: string | undefined): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: changesScheme, query: `${side}=${session ?? ''}` });
}

function textOf(content: FileContent): string {
  return content.kind === 'text' ? content.text : '';
}
