import { type Disposable, DisposableStore, toDisposable } from '@tandem/core';
import * as vscode from 'vscode';
import { type EditorDiagnostics, keepLoaded } from '../editorDiagnostics.js';
import type { Settings } from '../settings.js';
import { fileOfTab, tabsOfFile } from '../tabs.js';
import type { UserFocus } from '../userFocus.js';
import type { ReviewViews } from './reviewViews.js';

/** The agent writes immediately. After this time, it is no longer expected to. */
const writtenWithinMs = 10_000;

/**
 * After an acceptance, makes language servers check the written file, so that an agent that requests diagnostics
 * receives those of its change.
 */
export function followAccepted(of: {
  readonly views: ReviewViews;
  readonly diagnostics: EditorDiagnostics;
  readonly focus: UserFocus;
  readonly settings: () => Settings;
}): Disposable {
  const { views, diagnostics, focus, settings } = of;
  const watches = new Set<Disposable>();
  const openBehind = opensBehind(focus);
  const listener = views.onDidAccept((uri) => {
    const expected = diagnostics.expect(uri);
    const watch = whenWritten(uri, {
      written() {
        expected.written();
        if (settings().opensAccepted) openBehind(uri);
      },
      ended: () => watches.delete(watch),
    });
    watches.add(watch);
  });
  return toDisposable(() => {
    listener.dispose();
    for (const watch of watches) watch.dispose();
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
 * Opens files behind the active tab: VS Code's language server for TypeScript checks only files that have a tab. The tab is
 * a preview, so that many changes leave one tab; but another preview would replace one of the user's own, even the active one.
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
