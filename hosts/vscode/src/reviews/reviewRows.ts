import { basename, dirname } from 'node:path';
import { visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import { plainLabel } from '../messages.js';
import type { InterruptedNode } from './interruptedTexts.js';
import { notesOn, type Warning, warningsApart, warningsOn } from './notesOn.js';
import type { ReviewView } from './reviewView.js';

/** The row of a pending review. */
export function reviewItem(view: ReviewView): vscode.TreeItem {
  const { review, key, fileName, agentName, label } = view;
  const { uri } = view.fileInWindow;
  const item = new vscode.TreeItem(fileName);
  const { t } = vscode.l10n;
  const { added, removed } = review.lineCounts;
  const isText = review.original.kind !== 'binary';
  const folder = visibleName(dirname(vscode.workspace.asRelativePath(uri)));
  const warnings = warningsOn(view);
  const words = [
    ...(folder === '.' ? [] : [folder]),
    ...(isText ? [`+${added} −${removed}`] : []),
    ...(review.isEdited ? [t('edited')] : []),
  ];
  // Screen readers read a sign as a dash or not at all.
  const spoken = [
    t('{0} proposes a change to {1}', agentName, fileName),
    isText ? countsInWords(added, removed) : t('binary'),
    ...(review.isEdited ? [t('edited')] : []),
  ];
  const notes = [...warnings.map(({ text }) => text), ...notesOn(view)];
  item.id = key;
  item.description = words.join(' · ');
  item.accessibilityInformation = {
    label: [...spoken, ...notes, ...(folder === '.' ? [] : [folder])].join(', '),
  };
  // No Markdown, because names and titles come from agents.
  item.tooltip = [spoken.join(', '), label, ...notes].join('\n');
  // The file's own icon, without the marks of the explorer: each file here has a pending review.
  item.resourceUri = uri.with({ query: 'review' });
  addRows(item, warnings);
  item.contextValue = 'review';
  item.command = { title: t('Show'), command: 'tandem.showReview', arguments: [key] };
  return item;
}

/** The row of a review apart from the pending ones. */
export function interruptedItem({ review }: InterruptedNode): vscode.TreeItem {
  const { t } = vscode.l10n;
  const { id, path, agentName, isEdited, state } = review;
  const { label: group = '' } = review.group ?? {};
  const { label: end = '' } = review.end ?? {};
  const item = new vscode.TreeItem(visibleName(basename(path)));
  const uri = vscode.Uri.file(path);
  const folder = visibleName(dirname(vscode.workspace.asRelativePath(uri)));
  const warnings = warningsApart(review);
  const marks = [end, ...(isEdited ? [t('edited')] : [])];
  item.id = `interrupted-${id}`;
  item.description = [...(folder === '.' ? [] : [folder]), agentName, ...marks].join(' · ');
  const spoken = [t('{0} change by {1} to {2}', group, agentName, visibleName(basename(path))), ...marks];
  const notes = warnings.map(({ text }) => text);
  const where = folder === '.' ? [] : [folder];
  item.accessibilityInformation = { label: [...spoken, ...notes, ...where].join(', ') };
  const label = visibleName(vscode.workspace.asRelativePath(uri));
  item.tooltip = [spoken.join(', '), label, ...notes].join('\n');
  item.resourceUri = uri;
  addRows(item, warnings);
  item.contextValue = state;
  item.command = { title: t('Show'), command: 'tandem.showInterrupted', arguments: [id] };
  return item;
}

/** The row of a warning, below that of its review: short, because VS Code cuts rows. The tooltip wraps. */
export function warningItem({ title, text }: Warning, id: string): vscode.TreeItem {
  const item = new vscode.TreeItem(plainLabel(title));
  item.id = id;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.tooltip = text;
  item.accessibilityInformation = { label: `${title}: ${text}` };
  return item;
}

/** Shows warnings as rows below the row of a file. */
function addRows(item: vscode.TreeItem, warnings: readonly Warning[]): void {
  if (warnings.length === 0) return;
  item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  // VS Code expands only a row that it has not shown before.
  item.id = `${item.id}-warned`;
  // Otherwise VS Code shows the icon of a folder.
  item.iconPath = vscode.ThemeIcon.File;
}

function countsInWords(added: number, removed: number): string {
  const { t } = vscode.l10n;
  return added === 1
    ? t('1 line added, {0} removed', removed)
    : t('{0} lines added, {1} removed', added, removed);
}
