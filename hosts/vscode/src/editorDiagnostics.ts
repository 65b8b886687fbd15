import {
  type Diagnostic,
  type Diagnostics,
  type Disposable,
  DisposableStore,
  Emitter,
  type FileDiagnostics,
  type Logger,
  logListenerError,
  type Path,
} from '@tandem/core';
import * as vscode from 'vscode';
import type { WorkspacePaths } from './workspacePaths.js';

/** Claude Code waits 2 s for the diagnostics of all files. */
const expectedLimitMs = 1500;

/** The diagnostics of the window's language servers. Its creator disposes it. */
export class EditorDiagnostics implements Diagnostics, Disposable {
  readonly #paths: WorkspacePaths;
  readonly #didChange: Emitter<readonly Path[]>;
  readonly #listener: Disposable;
  #expected: ExpectedReport | undefined;
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

  /**
   * The current diagnostics. If all files are requested while an accepted change is being written, it waits for the
   * language servers, because Claude Code requests diagnostics right after it has written.
   */
  async get(path?: Path): Promise<readonly FileDiagnostics[]> {
    if (path === undefined) {
      await this.#expected?.until(expectedLimitMs);
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

  /** A change to this file is about to be written: `get` waits for the servers' reports on it. */
  expect(uri: vscode.Uri): ExpectedReport {
    this.#expected?.dispose();
    const expected = new ExpectedReport(uri);
    this.#expected = expected;
    return expected;
  }

  dispose(): void {
    this.#expected?.dispose();
    this.#listener.dispose();
    this.#didChange.dispose();
  }
}

/** Loads a file without a tab for some minutes, because language servers check only open documents. */
export function keepLoaded(uri: vscode.Uri): void {
  // A file that is missing or not text has no diagnostics.
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

/** If a server reports nothing for this long after a change, it has nothing to report. */
const silenceMs = 4000;

/** An expected report of the language servers, because a file is about to change. */
export class ExpectedReport implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #ended: Promise<void>;
  #isWritten = false;

  constructor(uri: vscode.Uri) {
    this.#ended = new Promise((resolve) => {
      this.#owned.add({ dispose: resolve });
    });
    const limit = setTimeout(() => this.dispose(), silenceMs);
    this.#owned.add({ dispose: () => clearTimeout(limit) });
    this.#owned.add(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        // Earlier reports describe the old content.
        if (this.#isWritten && uris.some((each) => each.toString() === uri.toString())) this.dispose();
      }),
    );
  }

  /** The file has changed on disk. */
  written(): void {
    this.#isWritten = true;
  }

  /** Resolves when the report has arrived or is no longer expected, at the latest after this time. */
  async until(limitMs: number): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, limitMs);
    });
    await Promise.race([this.#ended, isLate]);
    clearTimeout(limit);
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
