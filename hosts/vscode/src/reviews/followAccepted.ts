import { type Disposable, DisposableStore, toDisposable } from '@tandem/core';
import * as vscode from 'vscode';
import { type EditorDiagnostics, keepLoaded } from '../editorDiagnostics.js';
import type { Settings } from '../settings.js';
import { fileOfTab, tabsOfFile } from '../tabs.js';
import type { UserFocus } from '../userFocus.js';
import type { ReviewViews } from './reviewViews.js';

/** The agent writes at once; after this long it has thought better of it. */
const writtenWithinMs = 10_000;

/**
 * After a change was accepted, sees to it that language servers look at what the agent writes, and that an agent which
 * asks them hears it.
 */
export function followAccepted(of: {
  readonly views: ReviewViews;
  readonly diagnostics: EditorDiagnostics;
  readonly focus: UserFocus;
  readonly settings: () => Settings;
}): Disposable {
  const { views, diagnostics, focus, settings } = of;
  const waiting = new Set<Disposable>();
  const openBehind = opensBehind(focus);
  const listener = views.onDidAccept((uri) => {
    const expected = diagnostics.expect(uri);
    const wait = whenWritten(uri, {
      written() {
        expected.written();
        if (settings().opensAccepted) openBehind(uri);
      },
      ended: () => waiting.delete(wait),
    });
    waiting.add(wait);
  });
  return toDisposable(() => {
    listener.dispose();
    for (const wait of waiting) wait.dispose();
  });
}

/** Runs once when the file is written, unless that takes too long. */
function whenWritten(
  uri: vscode.Uri,
  then: { readonly written: () => void; readonly ended: () => void },
): Disposable {
  const store = new DisposableStore();
  store.add({ dispose: then.ended });
  const folder = vscode.Uri.joinPath(uri, '..');
  const watcher = store.add(
    vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*')),
  );
  const written = (which: vscode.Uri): void => {
    if (which.toString() !== uri.toString()) return;
    store.dispose();
    then.written();
  };
  store.add(watcher.onDidCreate(written));
  store.add(watcher.onDidChange(written));
  const limit = setTimeout(() => store.dispose(), writtenWithinMs);
  store.add({ dispose: () => clearTimeout(limit) });
  return store;
}

/**
 * Opens files behind the tab in front. VS Code's own language server for TypeScript reports on files that have a tab and
 * on no others. The tab is a preview, so that many changes leave one behind; but where the person has a preview of their
 * own, another one would take its place, in front even.
 */
function opensBehind(focus: UserFocus): (uri: vscode.Uri) => void {
  let opened: string | undefined;
  return (uri) => {
    keepLoaded(uri);
    if (tabsOfFile(uri).length > 0) return;
    const { tabs } = vscode.window.tabGroups.activeTabGroup;
    const isOurs = (tab: vscode.Tab): boolean => !tab.isActive && fileOfTab(tab)?.toString() === opened;
    const preview = tabs.every((tab) => !tab.isPreview || isOurs(tab));
    if (preview) opened = uri.toString();
    const how = { background: true, preserveFocus: true, preview };
    void focus.unasked(() => vscode.commands.executeCommand('vscode.open', uri, how));
  };
}
