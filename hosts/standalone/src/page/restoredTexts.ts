import type { Companion } from '@tandem/companion';
import { type Disposable, DisposableStore, type Path } from '@tandem/core';
import type { PageEditor } from '../editor/pageEditor.js';

/**
 * Interrupted reviews that the user has opened as unsaved changes of their files. They are hidden while the changes are
 * unsaved, removed when the file is saved with them, and shown again if the document is closed without saving. The
 * creator disposes it.
 */
export class RestoredTexts implements Disposable {
  readonly #companion: Companion;
  readonly #editor: PageEditor;
  readonly #owned = new DisposableStore();
  readonly #paths = new Map<string, Path>();

  constructor(of: { readonly companion: Companion; readonly editor: PageEditor }) {
    this.#companion = of.companion;
    this.#editor = of.editor;
    this.#owned.add(of.editor.onDidChangeDocuments(() => this.#look()));
  }

  /** Records that the document of this path now has the text of this review. */
  add(id: string, path: Path): void {
    this.#paths.set(id, path);
    this.#look();
  }

  has(id: string): boolean {
    return this.#paths.has(id);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#paths.clear();
  }

  #look(): void {
    for (const [id, path] of this.#paths) {
      if (this.#editor.document(path)?.isDirty) continue;
      this.#paths.delete(id);
      const review = this.#companion.interrupted.get(id);
      if (review !== undefined) void this.#companion.interruptedFiles.sweep([review]);
    }
  }
}
