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

/** What the language servers of the window report. Whoever creates it disposes it. */
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
   * What is reported now. Asked for all files while a change that was accepted is on its way to the disk, it waits for
   * what the language servers say to that: Claude Code asks right after it has written.
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

  /** A change to this file is about to be written. Resolves what waits for it once servers have looked at it. */
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

/** Servers that have said nothing this long after a change have nothing to say. */
const silenceMs = 4000;

/** A report of the language servers that is to come, because a file is about to change. */
export class ExpectedReport implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #come: Promise<void>;
  #isWritten = false;

  constructor(uri: vscode.Uri) {
    this.#come = new Promise((resolve) => {
      this.#owned.add({ dispose: resolve });
    });
    const limit = setTimeout(() => this.dispose(), silenceMs);
    this.#owned.add({ dispose: () => clearTimeout(limit) });
    this.#owned.add(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        // What comes before is about the file as it was.
        if (this.#isWritten && uris.some((each) => each.toString() === uri.toString())) this.dispose();
      }),
    );
  }

  /** The file has changed on disk. */
  written(): void {
    this.#isWritten = true;
  }

  /** Resolves when the report has come or nobody expects it any more, at the latest after so many milliseconds. */
  async until(limitMs: number): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, limitMs);
    });
    await Promise.race([this.#come, isLate]);
    clearTimeout(limit);
  }

  /** Ends the waiting. */
  dispose(): void {
    this.#owned.dispose();
  }
}
