import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { inform } from '../messages.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** The files with pending reviews, for the menus. */
const filesContext = 'tandem.filesUnderReview';

/**
 * Shows on a file, in the explorer and on its tab, that a review of it is pending, and offers to open the review in the
 * title bar and the context menus of the file.
 */
export class FilesUnderReview implements vscode.FileDecorationProvider, Disposable {
  readonly #views: ReviewViews;
  readonly #owned = new DisposableStore();
  readonly #didChange: vscode.EventEmitter<vscode.Uri[]>;
  readonly onDidChangeFileDecorations: vscode.Event<vscode.Uri[]>;
  /** The agents that propose a change, by the file's URI. */
  #shown: ReadonlyMap<string, string> = new Map();

  constructor(views: ReviewViews) {
    this.#views = views;
    this.#didChange = this.#owned.add(new vscode.EventEmitter<vscode.Uri[]>());
    this.onDidChangeFileDecorations = this.#didChange.event;
    this.#owned.add(views.onDidChange(() => this.#update()));
    this.#owned.add(vscode.window.registerFileDecorationProvider(this));
    this.#owned.add(
      vscode.commands.registerCommand('tandem.showReviewOfFile', (what?: unknown) => this.#open(what)),
    );
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const agents = this.#shown.get(uri.toString());
    if (agents === undefined) return undefined;
    const tooltip = vscode.l10n.t('Pending review of a change by {0}', agents);
    return { badge: '±', tooltip, color: new vscode.ThemeColor('tandem.fileUnderReview'), propagate: true };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #update(): void {
    const shown = new Map<string, string>();
    for (const { fileInWindow, agentName } of this.#views.all) {
      const key = fileInWindow.uri.toString();
      const names = new Set([...(shown.get(key)?.split(', ') ?? []), agentName]);
      shown.set(key, [...names].join(', '));
    }
    const before = this.#shown;
    const changed = [...new Set([...before.keys(), ...shown.keys()])].filter(
      (key) => before.get(key) !== shown.get(key),
    );
    if (changed.length === 0) return;
    this.#shown = shown;
    // Menus know a file by its path, because its scheme differs where the extension host is remote.
    const paths = this.#views.all.flatMap(({ fileInWindow: { uri } }) => [uri.fsPath, uri.path]);
    void vscode.commands.executeCommand('setContext', filesContext, [...new Set(paths)]);
    this.#didChange.fire(changed.map((key) => vscode.Uri.parse(key, true)));
  }

  /** Opens the review of a file: of the active one, unless a menu passes another. */
  async #open(what: unknown): Promise<void> {
    const { t } = vscode.l10n;
    const uri = what instanceof vscode.Uri ? what : vscode.window.activeTextEditor?.document.uri;
    const isOf = ({ fileInWindow }: ReviewView): boolean => fileInWindow.uri.toString() === uri?.toString();
    const found = this.#views.all.filter(isOf);
    const view = found.length > 1 ? await this.#choose(found) : found[0];
    if (view !== undefined) await this.#views.reveal(view);
    else if (found.length === 0) void inform(t('No review of this file is pending.'));
  }

  async #choose(found: readonly ReviewView[]): Promise<ReviewView | undefined> {
    const choices = found.map((view) => ({ label: view.agentName, view }));
    return (await vscode.window.showQuickPick(choices))?.view;
  }
}
