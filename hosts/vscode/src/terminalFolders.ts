import { realpath } from 'node:fs/promises';
import type { Companion } from '@tandem/companion';
import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';

/**
 * Makes agents find this window that start in a subfolder: passes the folder of each terminal to the companion, as far
 * as shell integration reports it.
 */
export class TerminalFolders implements Disposable {
  readonly #host: CompanionHost;
  readonly #owned = new DisposableStore();
  #companion: Companion | undefined;
  #shown = new DisposableStore();
  #folders: readonly string[] = [];

  constructor(host: CompanionHost) {
    this.#host = host;
    const show = (): void => void this.#show();
    this.#owned.add(vscode.window.onDidChangeTerminalShellIntegration(show));
    this.#owned.add(vscode.window.onDidStartTerminalShellExecution(show));
    this.#owned.add(vscode.window.onDidCloseTerminal(show));
    this.#owned.add(host.onDidChange(show));
    show();
  }

  dispose(): void {
    this.#owned.dispose();
    this.#shown.dispose();
  }

  async #show(): Promise<void> {
    const cwds = vscode.window.terminals.flatMap(
      ({ shellIntegration }) => shellIntegration?.cwd?.fsPath ?? [],
    );
    // Agents look for the real path of their folder.
    const found = await Promise.all(cwds.map((cwd) => realpath(cwd).catch(() => cwd)));
    const folders = [...new Set(found)].sort();
    const { companion } = this.#host;
    if (companion === this.#companion && folders.join('\n') === this.#folders.join('\n')) return;
    const before = this.#shown;
    this.#shown = new DisposableStore();
    for (const folder of folders)
      if (companion !== undefined) this.#shown.add(companion.startFolders.add(folder));
    // Only now: a folder that stays must not be missing in between.
    before.dispose();
    this.#companion = companion;
    this.#folders = folders;
  }
}
