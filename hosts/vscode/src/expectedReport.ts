import { type Disposable, DisposableStore } from '@tandem/core';
import * as vscode from 'vscode';

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
