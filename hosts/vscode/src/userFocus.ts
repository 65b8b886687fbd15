import { type Clock, type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import { proposalOfTab, reviewScheme } from './reviews/reviewTab.js';
import { focusTab, onDidChangeTabs } from './tabs.js';

/** After an agent ended a review, keys of a user who was typing in it must not reach another editor or an agent's terminal. */
const typingMs = 1000;

/** Where the user is: in a terminal, or in a tab. */
type Place = { readonly terminal: vscode.Terminal } | { readonly tab: vscode.Tab };

/**
 * Whether the user is typing in an editor: a diff that covers it would receive the keys. VS Code does not report which
 * part of a window has the focus, and `activeTextEditor` stays set while a terminal has it. So the user's last action
 * decides. In doubt, assume the editor: a diff behind it costs a click, a lost key costs text.
 */
export class UserFocus implements Disposable {
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #usedTerminals = new WeakSet<vscode.Terminal>(vscode.window.terminals.filter(isUsed));
  #activeTab = vscode.window.tabGroups.activeTabGroup.activeTab;
  #isInEditor = this.#activeTab !== undefined && proposalOfTab(this.#activeTab) === undefined;
  /** The last place of the user outside of reviews. */
  #outside: Place | undefined;
  /** The tabs in which the user was. Others may be active only because the extension opened them. */
  readonly #visited = new WeakSet<vscode.Tab>();
  /** Whether the user's last action was in a review. */
  #isInReview = false;
  #typedAt = Number.NEGATIVE_INFINITY;
  /** The number of running tab operations that the extension started by itself. */
  #unasked = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    if (this.#activeTab !== undefined) this.#enter(this.#activeTab);
    const { window, workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) => {
        // A file that an agent wrote is reloaded, without unsaved changes.
        if (document === window.activeTextEditor?.document && document.isDirty) this.#isInEditor = true;
      }),
    );
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (textEditor !== window.activeTextEditor || !isByHand(textEditor, kind)) return;
        this.#isInEditor = true;
        if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) this.#typedAt = clock.now();
        const { activeTab } = window.tabGroups.activeTabGroup;
        if (activeTab !== undefined) this.#enter(activeTab);
      }),
    );
    this.#owned.add(onDidChangeTabs(() => this.#tabsChanged()));
    this.#owned.add(window.onDidStartTerminalShellExecution(({ terminal }) => this.inTerminal(terminal)));
    this.#owned.add(
      window.onDidChangeTerminalState((terminal) => {
        if (!isUsed(terminal) || this.#usedTerminals.has(terminal)) return;
        this.#usedTerminals.add(terminal);
        this.inTerminal(terminal);
      }),
    );
    this.#owned.add(
      // A task may have opened the new terminal.
      window.onDidChangeActiveTerminal((terminal) => {
        if (terminal !== undefined && this.#usedTerminals.has(terminal)) this.inTerminal(terminal);
      }),
    );
  }

  /** The user is in this terminal. */
  inTerminal(terminal: vscode.Terminal): void {
    this.#isInEditor = false;
    this.#isInReview = false;
    this.#outside = { terminal };
  }

  /** The user opened or decided a review. */
  inReview(): void {
    this.#isInReview = true;
  }

  /** Whether the user's last action was in a review. */
  get isInReview(): boolean {
    return this.#isInReview;
  }

  /** Resolves when the user, who was typing in a review that an agent ended, has noticed. */
  async whenNotTyping(): Promise<void> {
    const rest = this.#typedAt + typingMs - this.#clock.now();
    if (rest > 0) await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, rest));
  }

  /**
   * Gives the focus to the place where the user was before they opened a review, or to the active review if they go on
   * there. Does nothing if they went elsewhere by themselves.
   */
  async giveBack(goesOn: boolean): Promise<void> {
    if (!this.#isInReview) return;
    if (goesOn) return focusTab(undefined);
    this.#isInReview = false;
    const place = this.#outside;
    if (place !== undefined && 'terminal' in place && vscode.window.terminals.includes(place.terminal)) {
      this.#isInEditor = false;
      place.terminal.show();
      return;
    }
    const { activeTabGroup } = vscode.window.tabGroups;
    const tab = place !== undefined && 'tab' in place ? place.tab : activeTabGroup.activeTab;
    await this.unasked(() => focusTab(tab));
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    this.#isInEditor = activeTab !== undefined && this.#visited.has(activeTab);
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
    this.#isInReview = false;
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
    if (activeTab === undefined) return;
    if (this.#unasked > 0) {
      if (!this.#visited.has(activeTab)) this.#isInEditor = false;
      return;
    }
    this.#isInEditor = true;
    this.#enter(activeTab);
  }

  #enter(tab: vscode.Tab): void {
    this.#visited.add(tab);
    this.#isInReview = proposalOfTab(tab) !== undefined;
    if (!this.#isInReview) this.#outside = { tab };
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
