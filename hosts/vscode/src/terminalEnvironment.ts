import type { Companion } from '@tandem/companion';
import { TerminalHooks } from '@tandem/companion/terminalHooks';
import { type Disposable, DisposableStore, type Logger } from '@tandem/core';
import * as vscode from 'vscode';
import type { CompanionHost } from './companionHost.js';
import type { Settings } from './settings.js';

interface Services {
  readonly collection: vscode.EnvironmentVariableCollection;
  /** Our program for the hooks of agents. */
  readonly hookProgram: string;
  readonly settings: () => Settings;
  readonly logger: Logger;
}

/**
 * Sets the variables in every integrated terminal of this window with which agents find its companion, not that of
 * another window on the same folder, and the folder of launchers that give them hooks.
 */
export class TerminalEnvironment implements Disposable {
  readonly #services: Services;
  readonly #owned = new DisposableStore();
  #companion: Companion | undefined;
  #hooks: TerminalHooks | undefined;

  constructor(host: CompanionHost, services: Services) {
    this.#services = services;
    const { collection } = services;
    // A persistent value would be the port of the window that wrote it last.
    collection.persistent = false;
    collection.description = vscode.l10n.t('Lets coding agents in this terminal find this window.');
    const show = (): void => this.#show(host.companion);
    this.#owned.add(host.onDidChange(show));
    // Only now, so that they do not delay the window.
    this.#owned.add(vscode.window.onDidOpenTerminal(() => void this.ready()));
  }

  /** Resolves when an agent that starts in a terminal gets its hooks. Never rejects. */
  async ready(): Promise<void> {
    await this.#hooks?.place();
  }

  /** The variables name the folders of the workspace, which have changed. */
  foldersChanged(): void {
    this.#show(this.#companion);
  }

  settingsChanged(): void {
    void this.#hooks?.setMode(this.#services.settings().hooks);
    this.#show(this.#companion);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#show(undefined);
  }

  /** Sets the variables of a running companion and removes all others. */
  #show(companion: Companion | undefined): void {
    const { collection } = this.#services;
    if (companion !== this.#companion) this.#begin(companion);
    if (companion === undefined) {
      collection.clear();
      return;
    }
    const wanted = { ...companion.agents.environment(), ...this.#hooks?.environment() };
    const folder = this.#hooks?.folder;
    const names = [...Object.keys(wanted), ...(folder === undefined ? [] : ['PATH'])];
    for (const [name] of collection) if (!names.includes(name)) collection.delete(name);
    for (const [name, value] of Object.entries(wanted)) {
      if (collection.get(name)?.value !== value) collection.replace(name, value);
    }
    const first = `${folder}:`;
    if (folder === undefined || collection.get('PATH')?.value === first) return;
    // Also after the start-up files of the shell, which often put other folders first.
    collection.prepend('PATH', first, { applyAtProcessCreation: true, applyAtShellIntegration: true });
  }

  #begin(companion: Companion | undefined): void {
    const { hookProgram, settings, logger } = this.#services;
    this.#hooks?.dispose();
    this.#companion = companion;
    const { execPath: node } = process;
    const program = { program: hookProgram, node };
    this.#hooks = companion && new TerminalHooks({ companion, program, mode: settings().hooks, logger });
    if (vscode.window.terminals.length > 0) void this.ready();
  }
}
