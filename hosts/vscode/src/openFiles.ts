import {
  type Disposable,
  DisposableStore,
  type EditorContext,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  maxSharedSelectionBytes,
  type OpenFile,
  type Selection,
} from '@tandem/core';
import * as vscode from 'vscode';
import { reviewScheme } from './reviews/reviewTab.js';
import { fileOfTab, onDidChangeTabs } from './tabs.js';
import type { WorkspacePaths } from './workspacePaths.js';

/** The last active file. */
interface LastActive {
  readonly uri: vscode.Uri;
  /** Absent for a notebook. Kept for the time in which a review covers the file's editor. */
  readonly selection?: Selection;
}

/**
 * The open files of the window: text editors and notebooks of files on disk, by their tabs, so that a restored tab
 * counts even if it was never shown. Diffs, settings, output and untitled files do not count.
 */
export class OpenFiles implements Disposable {
  readonly #paths: WorkspacePaths;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  /** When each open file last had the focus, or was opened. */
  readonly #focusedAt = new Map<string, number>();
  readonly #deleted = new Set<string>();
  #lastActive: LastActive | undefined;

  /** `snapshot` may have changed. */
  readonly onDidChange: Event<void>;

  constructor(options: { readonly paths: WorkspacePaths; readonly logger: Logger }) {
    this.#paths = options.paths;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(options.logger, 'the open files')));
    this.onDidChange = this.#didChange.event;
    this.#listen();
    this.#noteTabs();
  }

  snapshot(): EditorContext {
    const active = this.#activeFile();
    const openFiles: OpenFile[] = [];
    for (const [uri, at] of this.#focusedAt) {
      const path = this.#deleted.has(uri) ? undefined : this.#paths.pathOf(uri);
      if (path === undefined) continue;
      const selection = uri === active?.uri.toString() ? active.selection : undefined;
      openFiles.push({ path, lastFocusedAt: at, ...(selection && { selection }) });
    }
    openFiles.sort((a, b) => b.lastFocusedAt - a.lastFocusedAt);
    const activePath = active && this.#paths.toPath(active.uri);
    const isOpen = openFiles.some(({ path }) => path === activePath);
    return {
      openFiles,
      ...(activePath !== undefined && isOpen && { activePath }),
      isTrusted: vscode.workspace.isTrusted,
    };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #listen(): void {
    const window = vscode.window;
    const workspace = vscode.workspace;
    const fire = (): void => this.#didChange.fire();
    const tabsChanged = (): void => {
      this.#noteTabs();
      fire();
    };
    this.#owned.add(onDidChangeTabs(tabsChanged));
    this.#owned.add(window.onDidChangeActiveTextEditor(tabsChanged));
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor.document.uri.scheme === 'file') fire();
      }),
    );
    this.#owned.add(
      workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#rename(oldUri.toString(), newUri.toString());
        tabsChanged();
      }),
    );
    // If another program deletes a file, its tab stays open.
    const watcher = this.#owned.add(workspace.createFileSystemWatcher('**/*', false, true, false));
    this.#owned.add(
      watcher.onDidDelete((uri) => {
        const gone = this.#openBelow(uri);
        for (const each of gone) this.#deleted.add(each);
        if (gone.length > 0) fire();
      }),
    );
    this.#owned.add(
      watcher.onDidCreate((uri) => {
        const back = this.#openBelow(uri).filter((each) => this.#deleted.delete(each));
        if (back.length > 0) fire();
      }),
    );
  }

  /** The open files at or below a path: VS Code reports only the folder if one is deleted or moved. */
  #openBelow(uri: vscode.Uri): string[] {
    const below = `${uri.toString()}/`;
    return [...this.#focusedAt.keys()].filter((each) => `${each}/`.startsWith(below));
  }

  /** Updates the open files from the tabs. */
  #noteTabs(): void {
    const open = new Set<string>();
    const now = Date.now();
    for (const { tabs } of vscode.window.tabGroups.all) {
      for (const tab of tabs) {
        const uri = fileOfTab(tab)?.toString();
        if (uri !== undefined) open.add(uri);
      }
    }
    for (const uri of open) if (!this.#focusedAt.has(uri)) this.#focusedAt.set(uri, now);
    for (const uri of this.#focusedAt.keys()) if (!open.has(uri)) this.#forget(uri);
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const active = tab && fileOfTab(tab);
    if (active === undefined || active.toString() === this.#lastActive?.uri.toString()) return;
    this.#lastActive = { uri: active };
    this.#focusedAt.set(active.toString(), now);
  }

  #forget(uri: string): void {
    this.#focusedAt.delete(uri);
    this.#deleted.delete(uri);
    if (this.#lastActive?.uri.toString() === uri) this.#lastActive = undefined;
  }

  #rename(from: string, to: string): void {
    const at = this.#focusedAt.get(from);
    if (at !== undefined) this.#focusedAt.set(to, at);
  }

  /**
   * The file in the active tab. For a terminal or a review, the file that was active before: an agent in that terminal
   * means that file.
   */
  #activeFile(): LastActive | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (tab === undefined || !(fileOfTab(tab) !== undefined || keepsLastActive(tab))) return undefined;
    const known = this.#lastActive;
    if (known === undefined) return undefined;
    const editor = editorOf(known.uri);
    if (editor === undefined) return known;
    this.#lastActive = { uri: known.uri, selection: readSelection(editor.document, editor.selection) };
    return this.#lastActive;
  }
}

function keepsLastActive({ input }: vscode.Tab): boolean {
  if (input instanceof vscode.TabInputTerminal) return true;
  return input instanceof vscode.TabInputTextDiff && input.modified.scheme === reviewScheme;
}

/** The editor of a file, not the side of a diff, which has no column. */
function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const shows = (editor: vscode.TextEditor): boolean =>
    editor.viewColumn !== undefined && editor.document.uri.toString() === uri.toString();
  if (activeTextEditor !== undefined && shows(activeTextEditor)) return activeTextEditor;
  return visibleTextEditors.find(shows);
}

/**
 * The selection of a document. Its text is truncated to the limit for agents, because this runs at every key press and
 * a selection may have megabytes. A code unit has at least one byte, so the result is never too short.
 */
function readSelection(document: vscode.TextDocument, selection: vscode.Selection): Selection {
  const { start, end, active } = selection;
  return {
    range: { start: plain(start), end: plain(end) },
    cursor: plain(active),
    text: selection.isEmpty ? '' : document.getText(new vscode.Range(start, cut(document, start, end))),
  };
}

/** The end of the selection, or an earlier position after which agents get no text. */
function cut(document: vscode.TextDocument, start: vscode.Position, end: vscode.Position): vscode.Position {
  let left = maxSharedSelectionBytes;
  for (let line = start.line; line <= end.line; line++) {
    const from = line === start.line ? start.character : 0;
    const to = line === end.line ? end.character : document.lineAt(line).text.length;
    if (to - from >= left) return new vscode.Position(line, from + left);
    left -= to - from + 1;
    if (left <= 0) return new vscode.Position(line, to);
  }
  return end;
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
