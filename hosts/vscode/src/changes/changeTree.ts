import { basename, dirname } from 'node:path';
import type { ChangedFileSummary } from '@tandem/companion';
import { type Disposable, DisposableStore, visibleName } from '@tandem/core';
import type { SessionSummary } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { ChangeList } from './changeList.js';

/** All changes of one session. */
export class SessionNode {
  readonly session: SessionSummary;

  constructor(session: SessionSummary) {
    this.session = session;
  }
}

/** A file that a session changed. */
export class FileNode {
  readonly session: SessionSummary;
  readonly file: ChangedFileSummary;

  constructor(session: SessionSummary, file: ChangedFileSummary) {
    this.session = session;
    this.file = file;
  }
}

/** An accepted review of a file, or a restoration. */
export class EntryNode {
  readonly file: FileNode;
  readonly entry: ChangedFileSummary['entries'][number];

  constructor(file: FileNode, entry: ChangedFileSummary['entries'][number]) {
    this.file = file;
    this.entry = entry;
  }
}

/** What the counts and the diff of a file leave out. */
class NoteNode {
  readonly note: string;

  constructor(note: string) {
    this.note = note;
  }
}

type Node = SessionNode | FileNode | EntryNode | NoteNode;

/** The view "Session Changes": the files that accepted reviews changed, by session, with these reviews. */
export class ChangeTree implements vscode.TreeDataProvider<Node>, Disposable {
  readonly #list: ChangeList;
  readonly #owned = new DisposableStore();
  readonly #didChange = this.#owned.add(new vscode.EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.#didChange.event;

  constructor(list: ChangeList) {
    this.#list = list;
    this.#owned.add(list.onDidChange(() => this.#didChange.fire(undefined)));
    this.#owned.add(vscode.window.createTreeView<Node>('tandem.changes', { treeDataProvider: this }));
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) return this.#list.sessions.map((session) => new SessionNode(session));
    if (node instanceof EntryNode || node instanceof NoteNode) return [];
    if (node instanceof FileNode) {
      const { warnings, notes, entries } = node.file;
      return [
        ...[...warnings, ...notes].map((note) => new NoteNode(note)),
        ...entries.map((entry) => new EntryNode(node, entry)),
      ];
    }
    const { session } = node;
    return (await this.#list.files(session.id)).map((file) => new FileNode(session, file));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node instanceof SessionNode) return sessionItem(node);
    if (node instanceof NoteNode) return noteItem(node);
    return node instanceof FileNode ? fileItem(node) : entryItem(node);
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function sessionItem({ session }: SessionNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { id, agentName, firstPath, files } = session;
  const item = new vscode.TreeItem(agentName, vscode.TreeItemCollapsibleState.Expanded);
  item.id = id;
  item.description = [
    visibleName(basename(firstPath)),
    files === 1 ? t('1 file') : t('{0} files', files),
  ].join(' · ');
  item.contextValue = 'session';
  item.iconPath = new vscode.ThemeIcon('hubot');
  return item;
}

function fileItem({ session, file }: FileNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { path, before, now, added, removed, isAbsent, warnings, notes } = file;
  const uri = vscode.Uri.file(path);
  const folder = visibleName(dirname(vscode.workspace.asRelativePath(uri)));
  const isText = before !== 'binary' && now !== 'binary';
  const isGone = now === 'missing';
  const isNew = before === 'missing';
  const size = isText ? `+${added} −${removed}` : t('not text');
  const facts = isAbsent
    ? [t('no net change')]
    : [
        ...(isNew && isGone ? [] : [size]),
        ...(isNew && !isGone ? [t('new file')] : []),
        ...(isGone ? [t('removed')] : []),
        ...(notes.length > 0 ? [t('not all counted')] : []),
        ...(warnings.length > 0 ? [t('warning')] : []),
      ];
  const item = new vscode.TreeItem(visibleName(basename(path)), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${session.id} ${path}`;
  item.description = [...(folder === '.' ? [] : [folder]), ...facts].join(' · ');
  // No Markdown, because names come from agents.
  item.tooltip = [visibleName(path), facts.join(', '), ...warnings, ...notes].join('\n');
  item.resourceUri = uri;
  item.contextValue = file.undoable === undefined ? (isAbsent ? 'unchanged' : 'changed') : 'undoable';
  item.command = { title: t('Show'), command: 'tandem.showChange', arguments: [path, session.id] };
  return item;
}

function noteItem({ note }: NoteNode): vscode.TreeItem {
  const item = new vscode.TreeItem(note);
  item.tooltip = note;
  item.iconPath = new vscode.ThemeIcon('info');
  return item;
}

function entryItem({ file, entry }: EntryNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { id, how, at } = entry.decided;
  const isRestoration = how === 'restored';
  const label =
    how === 'written' ? t('Edit {0}, written without a review', id) : t('Review {0}, accepted', id);
  const item = new vscode.TreeItem(isRestoration ? t('Restored ({0})', id) : label);
  item.id = `${file.session.id} ${file.file.path} ${id}`;
  item.description = new Date(at).toLocaleTimeString(vscode.env.language, {
    hour: '2-digit',
    minute: '2-digit',
  });
  item.tooltip = new Date(at).toLocaleString(vscode.env.language);
  item.contextValue = isRestoration ? 'restored' : 'accepted';
  item.iconPath = new vscode.ThemeIcon(isRestoration ? 'discard' : how === 'written' ? 'edit' : 'check');
  return item;
}
