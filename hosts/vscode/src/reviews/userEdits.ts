import { type Disposable, DisposableStore } from '@tandem/core';
import type { Hunk } from '@tandem/reviews';
import * as vscode from 'vscode';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';
import { userHunks } from './userHunks.js';

/** Marks the lines of a proposal that the user changed, so that they differ from what the agent proposed. */
export function showUserEdits(views: ReviewViews): Disposable {
  const store = new DisposableStore();
  const { window } = vscode;
  const color = new vscode.ThemeColor('tandem.editedLineBorder');
  const decorate = (options: vscode.DecorationRenderOptions): vscode.TextEditorDecorationType =>
    store.add(
      window.createTextEditorDecorationType({
        isWholeLine: true,
        overviewRulerColor: color,
        overviewRulerLane: vscode.OverviewRulerLane.Full,
        borderColor: color,
        borderStyle: 'solid',
        ...options,
      }),
    );
  const backgroundColor = new vscode.ThemeColor('tandem.editedLineBackground');
  const changed = decorate({ backgroundColor, borderWidth: '0 0 0 3px' });
  const removed = decorate({ borderWidth: '0 0 2px 0' });
  const show = (): void => {
    for (const editor of window.visibleTextEditors) {
      const view = views.find(editor.document.uri);
      if (view === undefined) continue;
      const hunks = userHunks(view.review);
      const isRemoval = ({ proposed }: Hunk): boolean => proposed.count === 0;
      const ranges = (which: readonly Hunk[]) => which.map((hunk) => optionsFor(hunk, view, editor.document));
      editor.setDecorations(changed, ranges(hunks.filter((hunk) => !isRemoval(hunk))));
      editor.setDecorations(removed, ranges(hunks.filter(isRemoval)));
    }
  };
  store.add(views.onDidChange(show));
  store.add(window.onDidChangeVisibleTextEditors(show));
  return store;
}

function optionsFor(
  { original, proposed }: Hunk,
  { agentName }: ReviewView,
  { lineCount }: vscode.TextDocument,
): vscode.DecorationOptions {
  const { t } = vscode.l10n;
  const at = (line: number): number => Math.max(0, Math.min(line, lineCount - 1));
  // No text of the proposal: VS Code renders a hover message as Markdown.
  if (proposed.count === 0) {
    const line = at(proposed.start - 1);
    const hoverMessage =
      original.count === 1
        ? t('Here you removed a line that {0} proposed.', agentName)
        : t('Here you removed {0} lines that {1} proposed.', original.count, agentName);
    return { range: new vscode.Range(line, 0, line, 0), hoverMessage };
  }
  const range = new vscode.Range(at(proposed.start), 0, at(proposed.start + proposed.count - 1), 0);
  const hoverMessage =
    original.count === 0
      ? t('You added this. {0} did not propose it.', agentName)
      : t('You changed this. {0} proposed something else.', agentName);
  return { range, hoverMessage };
}
