import { basename, dirname } from 'node:path';
import type { InterruptedReview } from '@tandem/companion';
import { nameOfAgent } from '@tandem/companion/agents';
import { concernLabel, concernsOf, type Disposable, DisposableStore, visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import {
  nameOfSession,
  type PendingSession,
  pendingSessions,
  type SessionModel,
  titleOfSession,
} from './decideSession.js';
import type { FollowedSessions } from './followedSessions.js';
import { InterruptedNode, type InterruptedTexts } from './interruptedTexts.js';
import { notesInWords } from './notesOn.js';
import { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** The pending reviews of one session. */
export class SessionNode {
  readonly session: PendingSession;

  constructor(session: PendingSession) {
    this.session = session;
  }
}

/** All interrupted reviews. */
const interruptedGroup = 'interrupted' as const;

type Node = SessionNode | ReviewView | typeof interruptedGroup | InterruptedNode;

interface ReviewTreeOptions {
  readonly views: ReviewViews;
  readonly interrupted: InterruptedTexts;
  readonly followed: FollowedSessions;
  /** Undefined while no companion runs. */
  readonly sessions: () => SessionModel | undefined;
}

/**
 * The view "Reviews": the pending reviews by session, with their number as a badge, and the interrupted ones.
 */
export class ReviewTree implements vscode.TreeDataProvider<Node>, Disposable {
  readonly #of: ReviewTreeOptions;
  readonly #owned = new DisposableStore();
  readonly #didChange = this.#owned.add(new vscode.EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.#didChange.event;
  readonly #tree: vscode.TreeView<Node>;
  /** The last drawn content of the rows. */
  #drawn = '[]';

  constructor(of: ReviewTreeOptions) {
    this.#of = of;
    this.#tree = this.#owned.add(
      vscode.window.createTreeView<Node>('tandem.reviews', { treeDataProvider: this }),
    );
    this.#owned.add(this.#of.views.onDidChange(() => this.#changed()));
    this.#owned.add(this.#of.interrupted.onDidChangeList(() => this.#changed()));
    this.#owned.add(this.#of.followed.onDidChange(() => this.#changed()));
    this.#owned.add(this.#of.views.onDidReveal((view) => void this.#select(view)));
  }

  getChildren(node?: Node): Node[] {
    if (node instanceof ReviewView || node instanceof InterruptedNode) return [];
    if (node instanceof SessionNode) return [...node.session.views];
    const interrupted = this.#of.interrupted.all.map((review) => new InterruptedNode(review));
    if (node === interruptedGroup) return interrupted;
    return [
      ...pendingSessions(this.#of.views).map((session) => new SessionNode(session)),
      ...(interrupted.length > 0 ? [interruptedGroup] : []),
    ];
  }

  getParent(node: Node): Node | undefined {
    if (node instanceof InterruptedNode) return interruptedGroup;
    if (!(node instanceof ReviewView)) return undefined;
    const session = pendingSessions(this.#of.views).find(({ views }) => views.includes(node));
    return session && new SessionNode(session);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node === interruptedGroup) return interruptedGroupItem(this.#of.interrupted.all.length);
    if (node instanceof InterruptedNode) return interruptedItem(node);
    return node instanceof SessionNode ? this.#sessionItem(node.session) : reviewItem(node);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #sessionItem(session: PendingSession): vscode.TreeItem {
    const { id, views } = session;
    const name = nameOfSession(session, this.#of.sessions());
    const title = titleOfSession(session, this.#of.sessions());
    const isFollowed = this.#of.followed.has(id);
    const { t } = vscode.l10n;
    const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Expanded);
    // Without an id, a redraw would expand nodes that the user collapsed.
    item.id = `session-${id}`;
    const followed = isFollowed ? [t('followed')] : [];
    item.description = [title, String(views.length), ...followed].join(' · ');
    item.contextValue = isFollowed ? 'session.followed' : 'session';
    const words = [name, title, countOfReviews(views.length), ...followed].join(', ');
    item.accessibilityInformation = { label: words };
    item.tooltip = words;
    item.iconPath = new vscode.ThemeIcon('hubot');
    return item;
  }

  /** Selects the user's current review. A hidden view stays hidden. */
  async #select(view: ReviewView): Promise<void> {
    if (!this.#tree.visible || view.review.state !== 'pending') return;
    // The tree may not contain it yet while it is redrawn.
    await this.#tree.reveal(view, { select: true, focus: false }).then(undefined, () => undefined);
  }

  #changed(): void {
    const { length } = this.#of.views.all;
    this.#tree.badge = length === 0 ? undefined : { value: length, tooltip: countOfReviews(length) };
    // A redrawn row loses its tooltip.
    const items = [
      ...pendingSessions(this.#of.views).map((session) => this.#sessionItem(session)),
      ...this.#of.views.all.map(reviewItem),
      ...this.#of.interrupted.all.map((review) => interruptedItem(new InterruptedNode(review))),
    ];
    const drawn = JSON.stringify(
      items.map(({ id, label, description, tooltip, contextValue }) => [
        [id, label, contextValue],
        [description, tooltip],
      ]),
    );
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#didChange.fire(undefined);
  }
}

function countsInWords(added: number, removed: number): string {
  const { t } = vscode.l10n;
  return added === 1
    ? t('1 line added, {0} removed', removed)
    : t('{0} lines added, {1} removed', added, removed);
}

function countOfReviews(count: number): string {
  return count === 1 ? vscode.l10n.t('1 pending review') : vscode.l10n.t('{0} pending reviews', count);
}

function interruptedGroupItem(count: number): vscode.TreeItem {
  const { t } = vscode.l10n;
  const item = new vscode.TreeItem(t('Interrupted'), vscode.TreeItemCollapsibleState.Expanded);
  item.id = interruptedGroup;
  item.description = String(count);
  item.tooltip = t('Changes that no agent writes, with your edits.');
  item.iconPath = new vscode.ThemeIcon('history');
  return item;
}

function interruptedItem({ review }: InterruptedNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { id, path, agent, content, proposed } = review;
  const known = knownOf(review.interruption);
  const item = new vscode.TreeItem(visibleName(basename(path)));
  const uri = vscode.Uri.file(path);
  const folder = visibleName(dirname(vscode.workspace.asRelativePath(uri)));
  const concerns = concernsOf({ proposal: review, marks: review, original: review.original });
  const words = [
    ...concerns.map(({ kind }) => concernLabel(kind)),
    ...(folder === '.' ? [] : [folder]),
    nameOfAgent(agent),
    ...known,
    ...(content === proposed ? [] : [t('edited')]),
  ];
  item.id = `interrupted-${id}`;
  item.description = words.join(' · ');
  const spoken = [t('Interrupted change by {0} to {1}', nameOfAgent(agent), visibleName(basename(path)))];
  spoken.push(...known);
  if (content !== proposed) spoken.push(t('edited'));
  item.accessibilityInformation = { label: [...spoken, ...(folder === '.' ? [] : [folder])].join(', ') };
  const texts = concerns.map(({ text }) => visibleName(text));
  item.tooltip = [spoken.join(', '), visibleName(path), ...texts].join('\n');
  item.resourceUri = uri;
  item.contextValue = 'interrupted';
  item.command = { title: t('Show'), command: 'tandem.showInterrupted', arguments: [id] };
  return item;
}

/** What is known of an interrupted review. */
function knownOf(interruption: InterruptedReview['interruption']): string[] {
  const { t } = vscode.l10n;
  switch (interruption) {
    case 'accepted, but not written':
      return [t('accepted, but not written')];
    case 'written without your edits':
      return [t('written without your edits')];
    case undefined:
      return [];
  }
}

function reviewItem(view: ReviewView): vscode.TreeItem {
  const { review, key, file, fileName, agentName, notKept } = view;
  const { uri } = view.fileInWindow;
  const item = new vscode.TreeItem(fileName);
  const { t } = vscode.l10n;
  const { added, removed } = review.lineCounts;
  const isText = review.original.kind !== 'binary';
  const folder = visibleName(dirname(vscode.workspace.asRelativePath(uri)));
  const concerns = concernsOf(review);
  const words = [
    ...concerns.map(({ kind }) => concernLabel(kind)),
    ...(folder === '.' ? [] : [folder]),
    ...(isText ? [`+${added} −${removed}`] : []),
    ...(review.isEdited ? [t('edited')] : []),
    ...(notKept === undefined ? [] : [t('not saved')]),
    ...(file.isInConflict ? [t('file changed')] : []),
  ];
  // Screen readers read a sign as a dash or not at all.
  const spoken = [
    t('{0} proposes a change to {1}', agentName, fileName),
    isText ? countsInWords(added, removed) : t('not text'),
    ...(review.isEdited ? [t('edited')] : []),
    ...(notKept === undefined ? [] : [t('not saved')]),
    ...(file.isInConflict ? [t('conflict')] : []),
  ];
  const notes = [...concerns.map(({ text }) => visibleName(text)), ...notesInWords(view)];
  item.id = key;
  item.description = words.join(' · ');
  item.accessibilityInformation = {
    label: [...spoken, ...notes, ...(folder === '.' ? [] : [folder])].join(', '),
  };
  // No Markdown, because names and titles come from agents.
  item.tooltip = [spoken.join(', '), visibleName(uri.fsPath), ...notes].join('\n');
  // The file's own icon, without the marks of the explorer: each file here has a pending review.
  item.resourceUri = uri.with({ query: 'review' });
  item.contextValue = 'review';
  item.command = { title: t('Show'), command: 'tandem.showReview', arguments: [key] };
  return item;
}
