import { type Disposable, DisposableStore, type Path } from '@tandem/core';
import { textOf } from '@tandem/reviews';
import type { ChangeSelection } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { ChangeList } from './changeList.js';

/** Scheme of the texts without and with what stands of the changes. */
const changesScheme = 'tandem-changes';

type Side = 'before' | 'now';

/**
 * Provides the two sides of the changes of a session, both read-only: saving a multi-file diff would write every file that
 * can be written.
 */
export function provideChangeTexts(list: ChangeList): Disposable {
  const store = new DisposableStore();
  const didChange = store.add(new vscode.EventEmitter<vscode.Uri>());
  store.add(
    list.onDidChange(() => {
      for (const { uri } of vscode.workspace.textDocuments)
        if (uri.scheme === changesScheme) didChange.fire(uri);
    }),
  );
  const provideTextDocumentContent = async ({ path, query }: vscode.Uri): Promise<string> => {
    const [side, session, group, waits] = query.split('=');
    try {
      const file = await list.companion?.changes.file(vscode.Uri.file(path).fsPath, {
        ...(session && { session }),
        ...(group && { group }),
        ...(waits && { waits: waits === 'true' }),
      });
      return file === undefined ? '' : textOf(side === 'before' ? file.before : file.now);
    } catch {
      return vscode.l10n.t('The history no longer has this change.');
    }
  };
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(changesScheme, {
      onDidChange: didChange.event,
      provideTextDocumentContent,
    }),
  );
  return store;
}

/** Where a side of a file's changes is shown. It has the file's path, for name, icon and language. */
export function changeUri(
  path: Path,
  side: Side,
  { session = '', group = '', waits }: Pick<ChangeSelection, 'session' | 'group' | 'waits'>,
): vscode.Uri {
  const query = `${side}=${session}=${group}=${waits ?? ''}`;
  return vscode.Uri.file(path).with({ scheme: changesScheme, query });
}
