import { realpath } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import type { WebviewEditorState } from '@tandem/chat-panel/webview';
import type { Companion } from '@tandem/companion';
import type { PromptFiles } from '@tandem/companion/chat';
import { type Disposable, DisposableStore, isWithin, labelIn, type Path } from '@tandem/core';
import type { Editor } from '@tandem/reviews';
import * as vscode from 'vscode';
import { linesOf } from '../commands/mention.js';
import type { WorkspacePaths } from '../workspacePaths.js';

/** At most this many files are listed. */
const mostFiles = 20_000;
const mostRecent = 50;

export interface EditorSideOptions {
  readonly editor: Editor;
  readonly paths: WorkspacePaths;
  readonly companion: () => Companion | undefined;
}

/** The editor for the chat: files to mention, the selection, insertion of code. */
export class EditorSide implements PromptFiles {
  readonly #editor: Editor;
  readonly #paths: WorkspacePaths;
  readonly #companion: () => Companion | undefined;

  constructor({ editor, paths, companion }: EditorSideOptions) {
    this.#editor = editor;
    this.#paths = paths;
    this.#companion = companion;
  }

  get state(): WebviewEditorState {
    const { openFiles } = this.#editor.context.snapshot();
    const selection = this.#selection();
    return {
      folders: this.#paths.folders.map((path) => ({ path, name: basename(path) || path })),
      ...(selection !== undefined && { selection }),
      recent: openFiles.slice(0, mostRecent).map(({ path }) => path),
    };
  }

  /** `state` may have changed. */
  onDidChange(listener: () => void): Disposable {
    const store = new DisposableStore();
    store.add(this.#editor.context.onDidChange(listener));
    store.add(this.#editor.workspace.onDidChange(listener));
    return store;
  }

  /** All files that can be mentioned, without those that the user excludes from searches. */
  async files(): Promise<{ path: string; label: string }[]> {
    const found = await vscode.workspace.findFiles('**/*', undefined, mostFiles);
    return found.flatMap((uri) => {
      const path = this.#paths.toPath(uri);
      return path === undefined ? [] : [{ path, label: this.label(path) }];
    });
  }

  async openFile(path: Path, line: number | undefined): Promise<void> {
    const at = new vscode.Position(Math.max((line ?? 1) - 1, 0), 0);
    await vscode.window.showTextDocument(this.#paths.toUri(path), {
      ...(line !== undefined && { selection: new vscode.Range(at, at) }),
    });
  }

  /** Replaces the selection with code, and gives it the focus. Rejects with a message for the user. */
  async insert(code: string): Promise<void> {
    const { t } = vscode.l10n;
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) throw new Error(t('Open a file first, and place the cursor.'));
    const { document, selection, viewColumn } = editor;
    const isDone = await editor.edit((edit) => edit.replace(selection, code));
    if (!isDone) throw new Error(t('{0} cannot be edited.', basename(document.uri.path)));
    await vscode.window.showTextDocument(document, viewColumn === undefined ? {} : { viewColumn });
  }

  /** Saves a text where the user chooses. */
  async save(name: string, content: string): Promise<void> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const target = await vscode.window.showSaveDialog({
      ...(folder !== undefined && { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
      filters: { Markdown: ['md'] },
    });
    if (target === undefined) return;
    // VS Code's own writer empties the file first, also on a full disk. The user has confirmed to replace it.
    if (target.scheme === 'file') {
      const { writeUserFile } = await import('@tandem/companion/userFile');
      await writeUserFile(target.fsPath, content, { isExpected: () => true });
    } else await vscode.workspace.fs.writeFile(target, Buffer.from(content));
    await vscode.window.showTextDocument(target, { preview: true, preserveFocus: true });
  }

  /** The real path of a file in the workspace: links are resolved. */
  async require(path: Path): Promise<Path> {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined && this.#paths.folders.some((folder) => isWithin(folder, real))) return path;
    const { t } = vscode.l10n;
    throw new Error(
      real === undefined
        ? t('{0} no longer exists.', this.label(path))
        : t('{0} is outside the folders of this window.', path),
    );
  }

  label(path: Path): string {
    return labelIn(this.#paths.folders, path);
  }

  nameOf(path: Path): string {
    const [folder] = this.#paths.folders;
    return folder !== undefined && isWithin(folder, path) ? relative(folder, path) : path;
  }

  /** With unsaved changes. Undefined for a file that is not text. */
  async textOf(path: Path): Promise<string | undefined> {
    try {
      const document = await vscode.workspace.openTextDocument(this.#paths.toUri(path));
      return document.getText().replaceAll('\r\n', '\n');
    } catch {
      return undefined;
    }
  }

  async heldBack(paths: readonly Path[]): ReturnType<PromptFiles['heldBack']> {
    if (paths.length === 0) return new Map();
    const companion = this.#companion();
    if (companion === undefined) {
      throw new Error(
        vscode.l10n.t('Tandem is not running in this window, so it does not know which files to hide.'),
      );
    }
    return companion.sharing.heldBackFiles(paths);
  }

  #selection(): WebviewEditorState['selection'] {
    const editor = vscode.window.activeTextEditor;
    const path = editor && this.#paths.toPath(editor.document.uri);
    if (editor === undefined || path === undefined) return undefined;
    const file = { path, label: this.label(path) };
    return editor.selection.isEmpty ? file : { ...file, lines: linesOf(editor.selection) };
  }
}
