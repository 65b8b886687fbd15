import { type Disposable, DisposableStore, describeError } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { inform, warn } from '../say.js';
import { fileOfTab } from '../tabs.js';
import type { WorkspacePaths } from '../workspacePaths.js';

/** Registers the commands that point the agents at a file or at what is selected in it. */
export function registerMentionCommands(host: CompanionHost, paths: WorkspacePaths): Disposable {
  const store = new DisposableStore();
  const commands = vscode.commands;
  const window = vscode.window;
  store.add(
    commands.registerCommand('tandem.mentionSelection', async () => {
      const editor = window.activeTextEditor;
      if (editor === undefined) return sayNoFile();
      await mention(host, paths, editor.document.uri, linesOf(editor.selection));
    }),
  );
  store.add(
    commands.registerCommand('tandem.mentionFile', async (uri?: unknown, selected?: unknown) => {
      const tab = window.tabGroups.activeTabGroup.activeTab;
      const meant = uri instanceof vscode.Uri ? uri : tab && fileOfTab(tab);
      if (meant === undefined) return sayNoFile();
      // The explorer passes all that is selected in it.
      const several = Array.isArray(selected) ? selected.filter((each) => each instanceof vscode.Uri) : [];
      for (const each of several.length > 1 ? several : [meant]) await mention(host, paths, each);
    }),
  );
  return store;
}

async function mention(
  host: CompanionHost,
  paths: WorkspacePaths,
  uri: vscode.Uri,
  lines?: { readonly first: number; readonly last: number },
): Promise<void> {
  const { companion } = host;
  const path = paths.toPath(uri);
  if (companion === undefined || path === undefined) return sayNoFile();
  try {
    const told = await companion.mention(path, lines);
    if (told === 0) {
      void inform(
        vscode.l10n.t('No agent that takes mentions is connected. Start Claude Code in a terminal.'),
      );
    }
  } catch (error) {
    void warn(describeError(error));
  }
}

/** The lines that the selection touches. One that ends before the first character of a line does not touch it. */
export function linesOf({ start, end, isEmpty }: vscode.Selection): { first: number; last: number } {
  const reachesBack = !isEmpty && end.character === 0 && end.line > start.line;
  return { first: start.line, last: reachesBack ? end.line - 1 : end.line };
}

function sayNoFile(): void {
  void inform(vscode.l10n.t('Open a file that is on disk to mention it.'));
}
