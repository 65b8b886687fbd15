import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** Accept, reject and the position of the active review, in the status bar: they remain visible while it is scrolled. */
export class ActiveReviewItems implements Disposable {
  readonly #views: ReviewViews;
  readonly #owned = new DisposableStore();
  readonly #accept: vscode.StatusBarItem;
  readonly #reject: vscode.StatusBarItem;
  readonly #position: vscode.StatusBarItem;

  constructor(views: ReviewViews) {
    this.#views = views;
    const { t } = vscode.l10n;
    const add = (id: string, name: string, priority: number): vscode.StatusBarItem => {
      const item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority);
      item.name = name;
      return this.#owned.add(item);
    };
    this.#accept = add('tandem.accept', t('Tandem: Accept'), 1002);
    this.#reject = add('tandem.reject', t('Tandem: Reject'), 1001);
    this.#position = add('tandem.position', t('Tandem: Position of the Review'), 1000);
    const update = (): void => this.#update();
    const { tabGroups } = vscode.window;
    this.#owned.add(views.onDidChange(update));
    this.#owned.add(tabGroups.onDidChangeTabs(update));
    this.#owned.add(tabGroups.onDidChangeTabGroups(update));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #update(): void {
    const view = this.#views.find();
    if (view === undefined || view.review.state !== 'pending') {
      for (const item of [this.#accept, this.#reject, this.#position]) item.hide();
      return;
    }
    const { t } = vscode.l10n;
    const { fileName, agentName } = view;
    const accept = t('Accept the change to {0} by {1}', fileName, agentName);
    const reject = t('Reject the change to {0} by {1}', fileName, agentName);
    show(this.#accept, `$(check) ${t('Accept')}`, accept, 'tandem.acceptReview', view);
    show(this.#reject, `$(close) ${t('Reject')}`, reject, 'tandem.rejectReview', view);
    const all = this.#views.inSessionOf(view);
    const position = t('{0} of {1}', all.indexOf(view) + 1, all.length);
    const next = t('Review {0} by {1}; show the next one', position, agentName);
    show(this.#position, position, next, 'tandem.nextReview', view);
  }
}

function show(
  item: vscode.StatusBarItem,
  text: string,
  label: string,
  command: string,
  { key }: ReviewView,
): void {
  item.text = text;
  item.tooltip = label;
  item.accessibilityInformation = { label, role: 'button' };
  item.command = { title: label, command, arguments: [key] };
  item.show();
}
