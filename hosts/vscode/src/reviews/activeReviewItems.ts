import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { onDidChangeTabs } from '../tabs.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** Accept, reject and the position of the active review, in the status bar: they remain visible while it is scrolled. */
export function showActiveReview(views: ReviewViews): Disposable {
  const store = new DisposableStore();
  const { t } = vscode.l10n;
  const add = (id: string, name: string, priority: number): vscode.StatusBarItem => {
    const item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority);
    item.name = name;
    return store.add(item);
  };
  const accept = add('tandem.accept', t('Tandem: Accept'), 1002);
  const reject = add('tandem.reject', t('Tandem: Reject'), 1001);
  const position = add('tandem.position', t('Tandem: Position of the Review'), 1000);
  const update = (): void => {
    const view = views.find();
    if (view === undefined || view.review.state !== 'pending') {
      for (const item of [accept, reject, position]) item.hide();
      return;
    }
    const { fileName, agentName } = view;
    const acceptLabel = t('Accept the proposal by {1} for {0}', fileName, agentName);
    const rejectLabel = t('Reject the proposal by {1} for {0}', fileName, agentName);
    show(accept, `$(check) ${t('Accept')}`, acceptLabel, 'tandem.acceptReview', view);
    show(reject, `$(close) ${t('Reject')}`, rejectLabel, 'tandem.rejectReview', view);
    const all = views.inSessionOf(view);
    const place = t('{0} of {1}', all.indexOf(view) + 1, all.length);
    const next = t('Review {0} by {1}; show the next one', place, agentName);
    show(position, place, next, 'tandem.nextReview', view);
  };
  store.add(views.onDidChange(update));
  store.add(onDidChangeTabs(update));
  return store;
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
