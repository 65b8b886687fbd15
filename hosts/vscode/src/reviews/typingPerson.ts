import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';

/** Somebody who has not touched the keys for this long is not in the middle of a word. */
const restMs = 1500;

/**
 * Knows whether the person is typing in an editor. A diff that covers that editor would swallow their keys, or take
 * one of them for a decision. In a terminal they do not notice.
 */
export class TypingPerson implements Disposable {
  readonly #owned = new DisposableStore();
  #lastKeyAt = 0;

  constructor() {
    const window = vscode.window;
    const workspace = vscode.workspace;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) => {
        const isInFront = document === window.activeTextEditor?.document;
        // What an agent wrote into the file is read anew and leaves nothing unsaved. A first key does: VS Code tells of
        // that in an event of its own.
        if (isInFront && document.isDirty) this.#lastKeyAt = Date.now();
      }),
    );
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        const isByHand = kind === vscode.TextEditorSelectionChangeKind.Keyboard;
        if (isByHand && textEditor === window.activeTextEditor) this.#lastKeyAt = Date.now();
      }),
    );
  }

  /** Whether a diff in this tab group would come between the person and their keys. */
  isTypingIn(group: vscode.TabGroup): boolean {
    const isRecent = Date.now() - this.#lastKeyAt < restMs;
    const { activeTextEditor } = vscode.window;
    if (!isRecent || !group.isActive || activeTextEditor === undefined) return false;
    // The side of a diff and the cell of a notebook have no column.
    return [undefined, group.viewColumn].includes(activeTextEditor.viewColumn);
  }

  /** They have decided something, and so have come to an end with their typing. */
  rest(): void {
    this.#lastKeyAt = 0;
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
