import type { Companion } from '@tandem/companion';
import { type Disposable, DisposableStore, type Path } from '@tandem/core';
import type { PageEditor } from '../editor/pageEditor.js';

/**
 * Interrupted reviews that a person has opened as unsaved changes of their files. They are out of sight as long as those
 * stand, gone when their files hold them, and back when the document was closed without saving. Whoever creates it
 * disposes it.
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

  /** The document of this path has the text of this review now. */
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
