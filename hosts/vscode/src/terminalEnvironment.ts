import type { Companion } from '@tandem/companion';
import * as vscode from 'vscode';

/**
 * Gives every integrated terminal of this window the variables by which agents find this window's companion, and no
 * other window's that has the same folder.
 */
export class TerminalEnvironment {
  readonly #collection: vscode.EnvironmentVariableCollection;

  constructor(collection: vscode.EnvironmentVariableCollection) {
    this.#collection = collection;
    // What is kept for the workspace would be the port of whichever window wrote last.
    collection.persistent = false;
    collection.description = vscode.l10n.t('Lets coding agents in this terminal find this window.');
  }

  /** Sets the variables of a running companion and takes away those that it does not have. */
  show(companion: Companion): void {
    const wanted = environmentOf(companion);
    for (const [name] of this.#collection) if (!(name in wanted)) this.#collection.delete(name);
    for (const [name, value] of Object.entries(wanted)) {
      if (this.#collection.get(name)?.value !== value) this.#collection.replace(name, value);
    }
  }

  clear(): void {
    this.#collection.clear();
  }
}

/** The variables of all agents together: no two agents use the same name. */
export function environmentOf(companion: Companion): Record<string, string> {
  return Object.assign({}, ...companion.connections().map(({ env }) => env));
}
