import { type Clock, type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { contextKey } from '../contextKeys.js';
import { onDidChangeTabs } from '../tabs.js';
import { type HunkChoice, hunkAtLine } from './hunkAtLine.js';
import { reviewScheme } from './reviewTab.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** Whether there is a pending review. */
const pendingContext = 'tandem.reviewsPending';
/** `kept` or `dropped` while the cursor of the active review is at a change that can be dropped or kept. */
const cursorContext = 'tandem.changeAtCursor';
/** A longer delay than the repeat rate of a held key. */
const restMs = 100;

/**
 * Offers to drop or keep the change at the cursor of a proposal: as a code action, and by context keys in menus and the
 * title bar. Code lenses would need `diffEditor.codeLens`, which applies to all diffs or none.
 */
export class ChangeAtCursor implements vscode.CodeActionProvider, Disposable {
  readonly #views: ReviewViews;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #setPending = contextKey(pendingContext);
  readonly #setCursor = contextKey(cursorContext);
  #rest: Disposable | undefined;

  constructor({ views, clock }: { readonly views: ReviewViews; readonly clock: Clock }) {
    this.#views = views;
    this.#clock = clock;
    const { window, languages } = vscode;
    const changed = (): void => this.#changed();
    this.#owned.add(views.onDidChange(changed));
    this.#owned.add(window.onDidChangeVisibleTextEditors(changed));
    this.#owned.add(onDidChangeTabs(changed));
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor.document.uri.scheme === reviewScheme) changed();
      }),
    );
    const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.Refactor] };
    this.#owned.add(languages.registerCodeActionsProvider({ scheme: reviewScheme }, this, kinds));
  }

  provideCodeActions({ uri, lineCount }: vscode.TextDocument, { start }: vscode.Range): vscode.CodeAction[] {
    const view = this.#views.find(uri);
    const hunk = view && hunkAtLine(view.review, start.line, lineCount);
    if (view === undefined || hunk === undefined) return [];
    const { t } = vscode.l10n;
    const title = hunk.isKept ? t('Drop This Change') : t('Keep Dropped Change');
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.Refactor);
    const command = hunk.isKept ? 'tandem.dropHunk' : 'tandem.keepHunk';
    action.command = { title, command, arguments: [view.key, hunk.index] };
    return [action];
  }

  dispose(): void {
    this.#rest?.dispose();
    this.#owned.dispose();
  }

  #changed(): void {
    this.#setPending(this.#views.all.length > 0);
    this.#rest?.dispose();
    this.#rest = this.#clock.setTimeout(() => {
      const view = this.#views.find();
      const hunk = view && hunkAtCursor(view);
      this.#setCursor(hunk && (hunk.isKept ? 'kept' : 'dropped'));
    }, restMs);
  }
}

/** The change at the cursor of a visible proposal. */
export function hunkAtCursor({ review, sides }: ReviewView): HunkChoice | undefined {
  const proposal = sides.proposal.toString();
  const editor = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === proposal,
  );
  return editor && hunkAtLine(review, editor.selection.active.line, editor.document.lineCount);
}
