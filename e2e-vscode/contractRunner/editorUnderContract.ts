import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Path, systemClock } from '@tandem/core';
import type { Editor } from '@tandem/reviews';
import type { EditorUnderTest } from '@tandem/testing';
import * as vscode from 'vscode';
import { type ShownReview, windowUser } from './windowUser.js';

/** The part of the extension's exports for tests that the contract needs: see hosts/vscode/src/extension.ts. */
interface TandemExports {
  readonly editor: Editor;
  readonly reviews: () => readonly ShownReview[];
}

/**
 * Returns, for each test of the contract, the editor of the running extension, with all tabs closed and a new second
 * folder: VS Code caches texts for minutes, and earlier content of a path would reappear. Changing the first folder
 * would restart the extension host.
 */
export async function editorUnderContract(): Promise<() => Promise<EditorUnderTest>> {
  const { editor, reviews } = await exportsOfTandem();
  return async () => {
    await closeAll(editor);
    const workspaceFolder = await changeFolder(editor);
    const diagnostics = vscode.languages.createDiagnosticCollection('contract');
    return {
      editor,
      workspaceFolder,
      clock: systemClock,
      async writeFile(relativePath, text) {
        const path = join(workspaceFolder, relativePath);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
      },
      readFile: (relativePath) => readFile(join(workspaceFolder, relativePath), 'utf8'),
      user: windowUser(reviews, diagnostics),
      dispose() {
        diagnostics.dispose();
        for (const { review } of reviews()) review.withdraw('stopped');
      },
    };
  };
}

async function exportsOfTandem(): Promise<TandemExports> {
  const extension = vscode.extensions.getExtension<TandemExports | undefined>('tandem.tandem-vscode');
  if (extension === undefined) throw new Error('the extension is not installed');
  const exported = await extension.activate();
  if (exported === undefined) throw new Error('the extension exports nothing: TANDEM_VSCODE_TEST is not set');
  return exported;
}

async function changeFolder(editor: Editor): Promise<Path> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'contract-')));
  const isThere = (): boolean => editor.workspace.folders().includes(folder);
  const others = (vscode.workspace.workspaceFolders?.length ?? 0) - 1;
  if (!vscode.workspace.updateWorkspaceFolders(1, others, { uri: vscode.Uri.file(folder) })) {
    throw new Error('the second folder of the window could not be changed');
  }
  await until(isThere, editor.workspace.onDidChange);
  return folder;
}

/** Closes every tab and discards unsaved changes. Resolves when the editor reports no open files. */
async function closeAll(editor: Editor): Promise<void> {
  const { tabGroups } = vscode.window;
  const tabs = (): readonly vscode.Tab[] => tabGroups.all.flatMap((group) => group.tabs);
  // The extension closes the diffs of ended reviews itself, after a moment.
  await until(
    () => !tabs().some(({ input }) => input instanceof vscode.TabInputTextDiff),
    (hear) => tabGroups.onDidChangeTabs(() => hear()),
  );
  const isShown = ({ uri }: vscode.TextDocument): boolean =>
    tabs().some(({ input }) => input instanceof vscode.TabInputText && `${input.uri}` === `${uri}`);
  for (const document of vscode.workspace.textDocuments) {
    // Documents without a tab do not belong to the test: VS Code writes its own settings that way.
    if (!document.isDirty || !isShown(document)) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
  await tabGroups.close(tabs());
  await until(() => editor.context.snapshot().openFiles.length === 0, editor.context.onDidChange);
}

/** Resolves when the condition is true; checked at each event. */
async function until(fact: () => boolean, onDidChange: Editor['context']['onDidChange']): Promise<void> {
  if (fact()) return;
  await new Promise<void>((resolve) => {
    const listener = onDidChange(() => {
      if (!fact()) return;
      listener.dispose();
      resolve();
    });
  });
}
