import type { Sessions } from '@tandem/companion';
import { type Disposable, DisposableStore } from '@tandem/core';
import type { ReviewFacts } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { FollowedSessions } from './followedSessions.js';
import { InterruptedNode, type InterruptedTexts } from './interruptedTexts.js';
import { type Warning, warningsApart, warningsOn } from './notesOn.js';
import { nameOfSession, type PendingSession, pendingSessions, titleOfSession } from './pendingSessions.js';
import { interruptedItem, reviewItem, warningItem } from './reviewRows.js';
import { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** The pending reviews of one session. */
export class SessionNode {
  readonly session: PendingSession;

  constructor(session: PendingSession) {
    this.session = session;
  }
}

/** The reviews below one heading, apart from the pending ones. */
class GroupNode {
  readonly reviews: readonly InterruptedNode[];
  readonly group: NonNullable<ReviewFacts['group']>;

  constructor(group: NonNullable<ReviewFacts['group']>, all: readonly ReviewFacts[]) {
    this.group = group;
    const own = all.filter((review) => review.group?.label === group.label);
    this.reviews = own.map((review) => new InterruptedNode(review));
  }
}

/** A review with its warnings. */
type ReviewNode = ReviewView | InterruptedNode;

/** A warning about a review. */
class WarningNode {
  readonly of: ReviewNode;
  readonly warning: Warning;
  readonly id: string;

  constructor(of: ReviewNode, warning: Warning, index: number) {
    this.of = of;
    this.warning = warning;
    this.id = `warning-${of instanceof ReviewView ? of.key : of.review.id}-${index}`;
  }
}

type Node = SessionNode | ReviewNode | GroupNode | WarningNode;

interface ReviewTreeOptions {
  readonly views: ReviewViews;
  readonly interrupted: InterruptedTexts;
  readonly followed: FollowedSessions;
  /** Undefined while no companion runs. */
  readonly sessions: () => Sessions | undefined;
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
    if (node instanceof WarningNode) return [];
    if (node instanceof ReviewView || node instanceof InterruptedNode) return warningNodes(node);
    if (node instanceof SessionNode) return [...node.session.views];
    if (node instanceof GroupNode) return [...node.reviews];
    return [...pendingSessions(this.#of.views).map((session) => new SessionNode(session)), ...this.#groups];
  }

  getParent(node: Node): Node | undefined {
    if (node instanceof WarningNode) return node.of;
    if (node instanceof InterruptedNode)
      return this.#groups.find(({ group }) => group.label === node.review.group?.label);
    if (!(node instanceof ReviewView)) return undefined;
    const session = pendingSessions(this.#of.views).find(({ views }) => views.includes(node));
    return session && new SessionNode(session);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node instanceof GroupNode) return groupItem(node);
    if (node instanceof InterruptedNode) return interruptedItem(node);
    if (node instanceof WarningNode) return warningNodeItem(node);
    return node instanceof SessionNode ? this.#sessionItem(node.session) : reviewItem(node);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #groups(): GroupNode[] {
    const { all } = this.#of.interrupted;
    const groups = new Map(all.flatMap(({ group }) => (group ? [[group.label, group]] : [])));
    return [...groups.values()].map((group) => new GroupNode(group, all));
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
    const interrupted = this.#groups.flatMap(({ reviews }) => reviews);
    // A redrawn row loses its tooltip.
    const items = [
      ...pendingSessions(this.#of.views).map((session) => this.#sessionItem(session)),
      ...this.#of.views.all.map(reviewItem),
      ...interrupted.map(interruptedItem),
      ...[...this.#of.views.all, ...interrupted].flatMap(warningNodes).map(warningNodeItem),
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

function countOfReviews(count: number): string {
  return count === 1 ? vscode.l10n.t('1 pending review') : vscode.l10n.t('{0} pending reviews', count);
}

function groupItem({ group, reviews }: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(group.label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `group-${group.label}`;
  item.description = String(reviews.length);
  item.tooltip = group.text;
  item.iconPath = new vscode.ThemeIcon('history');
  return item;
}

function warningsOf(node: ReviewNode): Warning[] {
  return node instanceof ReviewView ? warningsOn(node) : warningsApart(node.review);
}

function warningNodes(node: ReviewNode): WarningNode[] {
  return warningsOf(node).map((warning, index) => new WarningNode(node, warning, index));
}

function warningNodeItem({ of, warning, id }: WarningNode): vscode.TreeItem {
  const item = warningItem(warning, id);
  item.command =
    of instanceof ReviewView
      ? { title: vscode.l10n.t('Show'), command: 'tandem.showReview', arguments: [of.key] }
      : { title: vscode.l10n.t('Show'), command: 'tandem.showInterrupted', arguments: [of.review.id] };
  return item;
}
