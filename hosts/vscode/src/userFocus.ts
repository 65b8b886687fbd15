import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { proposalOfTab, reviewScheme } from './reviews/reviewTab.js';
import { onDidChangeTabs } from './tabs.js';

/**
 * Whether the user is typing in an editor: a diff that covers it would receive the keys. VS Code does not report which
 * part of a window has the focus, and `activeTextEditor` stays set while a terminal has it. So the user's last action
 * decides. In doubt, assume the editor: a diff behind it costs a click, a lost key costs text.
 */
export class UserFocus implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #usedTerminals = new WeakSet<vscode.Terminal>(vscode.window.terminals.filter(isUsed));
  #activeTab = vscode.window.tabGroups.activeTabGroup.activeTab;
  #isInEditor = this.#activeTab === undefined || proposalOfTab(this.#activeTab) === undefined;
  /** The number of running tab operations that the extension started by itself. */
  #unasked = 0;

  constructor() {
    const { window, workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) => {
        // A file that an agent wrote is reloaded, without unsaved changes.
        if (document === window.activeTextEditor?.document && document.isDirty) this.#isInEditor = true;
      }),
    );
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (textEditor === window.activeTextEditor && isByHand(textEditor, kind)) this.#isInEditor = true;
      }),
    );
    this.#owned.add(onDidChangeTabs(() => this.#tabsChanged()));
    const inTerminal = (): void => {
      this.#isInEditor = false;
    };
    this.#owned.add(window.onDidStartTerminalShellExecution(inTerminal));
    this.#owned.add(
      window.onDidChangeTerminalState((terminal) => {
        if (!isUsed(terminal) || this.#usedTerminals.has(terminal)) return;
        this.#usedTerminals.add(terminal);
        inTerminal();
      }),
    );
    this.#owned.add(
      // A task may have opened the new terminal.
      window.onDidChangeActiveTerminal((terminal) => {
        if (terminal !== undefined && this.#usedTerminals.has(terminal)) inTerminal();
      }),
    );
  }

  /** Whether a diff in this tab group would cover the editor in which the user types. */
  isIn({ isActive, activeTab }: vscode.TabGroup): boolean {
    if (!isActive || activeTab === undefined) return false;
    return this.#isInEditor || activeTab.input instanceof vscode.TabInputTerminal;
  }

  /** The active review has ended. Its diff closes, and then no editor has the focus. */
  leave(): void {
    this.#isInEditor = false;
  }

  /** The user closed a tab: VS Code gives the focus to the next one. */
  noteClosed(): void {
    this.#isInEditor = true;
  }

  /**
   * Opens or closes tabs without a user action. What becomes active by that does not count as an action of the user.
   */
  async unasked<T>(act: () => Thenable<T>): Promise<T> {
    this.#unasked += 1;
    try {
      return await act();
    } finally {
      this.#unasked -= 1;
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #tabsChanged(): void {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    if (activeTab === this.#activeTab) return;
    this.#activeTab = activeTab;
    if (activeTab !== undefined && this.#unasked === 0) this.#isInEditor = true;
  }
}

function isUsed({ state }: vscode.Terminal): boolean {
  return state.isInteractedWith;
}

/** VS Code itself moves the cursor of a diff to its first change. */
function isByHand(
  { document }: vscode.TextEditor,
  kind: vscode.TextEditorSelectionChangeKind | undefined,
): boolean {
  const { Command } = vscode.TextEditorSelectionChangeKind;
  return kind !== undefined && !(kind === Command && document.uri.scheme === reviewScheme);
}
