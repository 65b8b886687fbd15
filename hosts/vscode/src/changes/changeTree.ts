import { basename, dirname } from 'node:path';
import type { ChangedFileSummary, ChangeGroup } from '@tandem/companion';
import { type Disposable, DisposableStore, visibleName } from '@tandem/core';
import { presentEntry, presentTurn, presentWaiting } from '@tandem/reviews';
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

/** What the user has kept and accepted of a session of which other changes wait. */
export class DecidedNode {
  readonly session: SessionSummary;
  readonly groups: readonly ChangeGroup[];

  constructor(session: SessionSummary, groups: readonly ChangeGroup[]) {
    this.session = session;
    this.groups = groups;
  }
}

/** The changes of one turn of a session, or those that perhaps something else made during it. */
export class GroupNode {
  readonly session: SessionSummary;
  readonly group: ChangeGroup;
  /** Whether other changes of the session wait. */
  readonly isApart: boolean;

  constructor(session: SessionSummary, group: ChangeGroup, isApart: boolean) {
    this.session = session;
    this.group = group;
    this.isApart = isApart;
  }
}

/** A file that a session changed. */
export class FileNode {
  readonly session: SessionSummary;
  /** The key of its group. */
  readonly group: string;
  readonly file: ChangeGroup['files'][number];
  /** Whether it waits for the user. */
  readonly isWaiting: boolean;

  constructor(session: SessionSummary, { key, waits }: ChangeGroup, file: ChangeGroup['files'][number]) {
    this.session = session;
    this.group = key;
    this.file = file;
    this.isWaiting = waits;
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

type Node = SessionNode | DecidedNode | GroupNode | FileNode | EntryNode | NoteNode;

/** The view "Changes": the files that agents changed, by session and turn, each with its recorded changes. */
export class ChangeTree implements vscode.TreeDataProvider<Node>, Disposable {
  readonly #list: ChangeList;
  readonly #owned = new DisposableStore();
  readonly #view: vscode.TreeView<Node>;
  readonly #didChange = this.#owned.add(new vscode.EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.#didChange.event;

  constructor(list: ChangeList) {
    this.#list = list;
    this.#view = this.#owned.add(
      vscode.window.createTreeView<Node>('tandem.changes', { treeDataProvider: this }),
    );
    this.#owned.add(
      list.onDidChange(() => {
        this.#didChange.fire(undefined);
        void this.#updateBadge();
      }),
    );
    void this.#updateBadge();
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
    if (node instanceof GroupNode) return filesOf(session, node.group);
    if (node instanceof DecidedNode) return nodesOf(session, node.groups, true);
    const groups = await this.#list.groups(session.id);
    const waiting = groups.filter(({ waits }) => waits);
    const others = groups.filter(({ waits }) => !waits);
    if (waiting.length === 0) return nodesOf(session, others, false);
    const decided = others.length === 0 ? [] : [new DecidedNode(session, others)];
    return [...nodesOf(session, waiting, true), ...decided];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node instanceof SessionNode) return sessionItem(node, this.#list.waits(node.session.id));
    if (node instanceof DecidedNode) return decidedItem(node);
    if (node instanceof NoteNode) return noteItem(node);
    if (node instanceof GroupNode) return groupItem(node);
    return node instanceof FileNode ? fileItem(node) : entryItem(node);
  }

  /** Counts the files that wait. */
  async #updateBadge(): Promise<void> {
    // A file that cannot be read is reported where it is listed.
    const files = await this.#list.countWaiting().catch(() => 0);
    if (this.#owned.isDisposed) return;
    this.#view.badge = files === 0 ? undefined : { value: files, tooltip: presentWaiting(files) };
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function nodesOf(session: SessionSummary, groups: readonly ChangeGroup[], isApart: boolean): Node[] {
  return groups.flatMap((group): readonly Node[] =>
    group.turn === undefined && !group.isUncertain
      ? filesOf(session, group)
      : [new GroupNode(session, group, isApart)],
  );
}

function filesOf(session: SessionSummary, group: ChangeGroup): FileNode[] {
  return group.files.map((file) => new FileNode(session, group, file));
}

function decidedItem({ session, groups }: DecidedNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const item = new vscode.TreeItem(t('Kept and accepted'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${session.id} decided`;
  const files = new Set(groups.flatMap((group) => group.files.map(({ path }) => path))).size;
  item.description = files === 1 ? t('1 file') : t('{0} files', files);
  item.contextValue = 'decided';
  item.iconPath = new vscode.ThemeIcon('check-all');
  return item;
}

function groupItem({ session, group }: GroupNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { key, waits, turn, isUncertain, files } = group;
  const title = turn === undefined ? '' : visibleName(presentTurn(turn));
  const label = isUncertain ? t('Perhaps not by {0}', session.agentName) : title;
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `${session.id} ${waits} ${key}`;
  const count = files.length === 1 ? t('1 file') : t('{0} files', files.length);
  item.description = [...(isUncertain && title !== '' ? [title] : []), count].join(' · ');
  item.tooltip = isUncertain
    ? t(
        'These files changed during a turn, but not while a command of the agent ran. They are only kept or undone one by one.',
      )
    : title;
  item.contextValue = isUncertain ? 'uncertain' : waits ? 'turn.waiting' : 'turn';
  item.iconPath = new vscode.ThemeIcon(isUncertain ? 'question' : 'comment');
  return item;
}

function sessionItem({ session }: SessionNode, waits: boolean): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { id, agentName, firstPath, files } = session;
  const item = new vscode.TreeItem(agentName, vscode.TreeItemCollapsibleState.Expanded);
  item.id = id;
  item.description = [
    visibleName(basename(firstPath)),
    files === 1 ? t('1 file') : t('{0} files', files),
  ].join(' · ');
  item.contextValue = waits ? 'session.waiting' : 'session';
  item.iconPath = new vscode.ThemeIcon('hubot');
  return item;
}

function fileItem({ session, group, file, isWaiting }: FileNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { path, before, now, added, removed, isAbsent, warnings, notes } = file;
  const uri = vscode.Uri.file(path);
  const folder = visibleName(dirname(vscode.workspace.asRelativePath(uri)));
  const isText = before !== 'binary' && now !== 'binary';
  const isGone = now === 'missing';
  const isNew = before === 'missing';
  const size = isText ? `+${added} −${removed}` : t('binary');
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
  item.id = `${session.id} ${file.waits} ${group} ${path}`;
  item.description = [...(folder === '.' ? [] : [folder]), ...facts].join(' · ');
  // No Markdown, because names come from agents.
  item.tooltip = [visibleName(path), facts.join(', '), ...warnings, ...notes].join('\n');
  item.resourceUri = uri;
  const isKept = !isWaiting && file.entries.some(({ keptAt }) => keptAt !== undefined);
  const state = file.undoable === undefined ? (isAbsent ? 'unchanged' : 'changed') : 'undoable';
  item.contextValue = `${state}${isWaiting ? '.waiting' : isKept ? '.kept' : ''}`;
  item.command = { title: t('Show'), command: 'tandem.showChange', arguments: [path, group, file.waits] };
  return item;
}

function noteItem({ note }: NoteNode): vscode.TreeItem {
  const item = new vscode.TreeItem(note);
  item.tooltip = note;
  item.iconPath = new vscode.ThemeIcon('info');
  return item;
}

function entryItem({ file, entry }: EntryNode): vscode.TreeItem {
  const { id, how, at, unkept } = entry.decided;
  const isUndoable = unkept === undefined || entry.exact !== undefined;
  const isKept = entry.keptAt !== undefined;
  const { label, evidence, verb } = presentEntry({ ...entry.decided, isKept }, file.session.agentName);
  const item = new vscode.TreeItem(visibleName(`${label.charAt(0).toUpperCase()}${label.slice(1)}`));
  item.id = `${file.session.id} ${file.file.waits} ${file.group} ${file.file.path} ${id}`;
  const time = new Date(at).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
  const known = evidence === undefined ? [] : [visibleName(evidence)];
  item.description = [time, ...known].join(' · ');
  // No Markdown, because commands come from agents.
  item.tooltip = [new Date(at).toLocaleString(vscode.env.language), ...known].join('\n');
  item.contextValue = verb === 'Redo' ? 'undone' : isUndoable ? 'accepted' : 'unkept';
  item.iconPath = new vscode.ThemeIcon(how === 'restored' ? 'discard' : how === 'written' ? 'edit' : 'check');
  return item;
}
