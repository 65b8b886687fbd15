import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '@tandem/companion';
import type { Disposable, Editor, Review } from '@tandem/core';
import type { EditorUnderTest } from '@tandem/core/testing';
import * as vscode from 'vscode';
import { windowPerson } from './windowPerson.js';

/** What the extension gives to tests: see hosts/vscode/src/extension.ts. */
interface TandemExports {
  readonly editor: Editor;
}

/**
 * Gives, for each test of the contract, the editor of the running extension, with the window's one folder emptied and
 * all its tabs closed.
 */
export async function editorUnderContract(): Promise<() => Promise<EditorUnderTest>> {
  const editor = await editorOfTandem();
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) throw new Error('the contract needs a window with a folder');
  const workspaceFolder = await realpath(folder.uri.fsPath);
  return async () => {
    const shown = new Set<Review>();
    const written = new Set<string>();
    const diagnostics = vscode.languages.createDiagnosticCollection('contract');
    await closeAll(editor);
    return {
      editor: remembering(editor, shown),
      workspaceFolder,
      clock: systemClock,
      async writeFile(relativePath, text) {
        const path = join(workspaceFolder, relativePath);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
        written.add(relativePath.split('/', 1).join());
      },
      readFile: (relativePath) => readFile(join(workspaceFolder, relativePath), 'utf8'),
      person: windowPerson(shown, diagnostics),
      async dispose() {
        diagnostics.dispose();
        for (const review of shown) review.withdraw('stopped');
        await closeAll(editor);
        for (const name of written) await rm(join(workspaceFolder, name), { recursive: true, force: true });
      },
    };
  };
}

async function editorOfTandem(): Promise<Editor> {
  const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === 'tandem');
  if (extension === undefined) throw new Error('the extension is not installed');
  const exported: TandemExports | undefined = await extension.activate();
  if (exported?.editor === undefined) throw new Error('the extension exports no editor; is TANDEM_TEST set?');
  return exported.editor;
}

/** The same editor, with the reviews that it was given kept for the test. */
function remembering(editor: Editor, shown: Set<Review>): Editor {
  return {
    info: editor.info,
    workspace: editor.workspace,
    context: editor.context,
    documents: editor.documents,
    ...(editor.diagnostics && { diagnostics: editor.diagnostics }),
    reviews: {
      async show(review): Promise<Disposable> {
        shown.add(review);
        return editor.reviews.show(review);
      },
    },
  };
}

/** Closes every tab and drops what is unsaved. Resolves when the editor says that nothing is open. */
async function closeAll(editor: Editor): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || document.isUntitled) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  if (editor.context.snapshot().openFiles.length === 0) return;
  await new Promise<void>((resolve) => {
    const listener = editor.context.onDidChange(() => {
      if (editor.context.snapshot().openFiles.length > 0) return;
      listener.dispose();
      resolve();
    });
  });
}
