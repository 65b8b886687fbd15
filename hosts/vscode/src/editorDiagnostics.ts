import type { Diagnostic, Diagnostics, FileDiagnostics, Path } from '@tandem/core';
import { type Disposable, Emitter, type Logger, logListenerError } from '@tandem/core';
import * as vscode from 'vscode';
import type { WorkspacePaths } from './workspacePaths.js';

/** What the language servers of the window report. Whoever creates it disposes it. */
export class EditorDiagnostics implements Diagnostics, Disposable {
  readonly #paths: WorkspacePaths;
  readonly #didChange: Emitter<readonly Path[]>;
  readonly #listener: Disposable;
  readonly onDidChange: Diagnostics['onDidChange'];

  constructor(options: { readonly paths: WorkspacePaths; readonly logger: Logger }) {
    this.#paths = options.paths;
    this.#didChange = new Emitter(logListenerError(options.logger, 'the diagnostics'));
    this.onDidChange = this.#didChange.event;
    this.#listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const paths = uris.map((uri) => this.#paths.toPath(uri)).filter((path) => path !== undefined);
      if (paths.length > 0) this.#didChange.fire(paths);
    });
  }

  async get(path?: Path): Promise<readonly FileDiagnostics[]> {
    if (path === undefined) {
      return vscode.languages.getDiagnostics().flatMap(([uri, found]) => {
        const each = this.#paths.toPath(uri);
        return each === undefined || found.length === 0
          ? []
          : [{ path: each, diagnostics: found.map(plain) }];
      });
    }
    const uri = this.#paths.toUri(path);
    keepLoaded(uri);
    return [{ path, diagnostics: vscode.languages.getDiagnostics(uri).map(plain) }];
  }

  dispose(): void {
    this.#listener.dispose();
    this.#didChange.dispose();
  }
}

/**
 * Language servers look at open documents alone. A file that an agent works on is loaded without a tab, and VS Code
 * keeps it for some minutes: what an edit breaks is then found.
 */
export function keepLoaded(uri: vscode.Uri): void {
  // A file that is not there, or is no text, has no diagnostics.
  void Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined);
}

const severities: Readonly<Record<vscode.DiagnosticSeverity, Diagnostic['severity']>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'info',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

function plain({ message, severity, range, source, code }: vscode.Diagnostic): Diagnostic {
  const value = typeof code === 'object' ? code.value : code;
  return {
    message,
    severity: severities[severity],
    range: {
      start: { line: range.start.line, character: range.start.character },
      end: { line: range.end.line, character: range.end.character },
    },
    ...(source !== undefined && { source }),
    ...(value !== undefined && { code: value }),
  };
}
