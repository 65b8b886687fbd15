import type { Companion, RestoreConflict } from '@tandem/companion';
import { type Disposable, describeError, type Logger, type Path } from '@tandem/core';
import { toDocumentText } from '@tandem/reviews';
import type { PageEditor } from '../editor/pageEditor.js';

/**
 * Conflicts of restorations that are open as unsaved changes of their files. Saving one is recorded as a restoration, so that it
 * can be undone. The creator disposes it.
 */
export class OpenConflicts implements Disposable {
  readonly #companion: Companion;
  readonly #editor: PageEditor;
  readonly #logger: Logger;
  readonly #open = new Map<Path, RestoreConflict>();
  readonly #listening: Disposable;

  constructor(of: { readonly companion: Companion; readonly editor: PageEditor; readonly logger: Logger }) {
    this.#companion = of.companion;
    this.#editor = of.editor;
    this.#logger = of.logger;
    this.#listening = of.editor.onDidChangeDocuments(() => this.#look());
  }

  /** Opens a file with both versions. Nothing is written before the user saves it. */
  async open(path: Path, conflict: RestoreConflict): Promise<void> {
    await this.#editor.restoreDocument(path, toDocumentText(conflict.file), conflict.text);
    this.#open.set(path, conflict);
    this.#look();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#open.clear();
  }

  #look(): void {
    for (const [path, conflict] of this.#open) {
      const document = this.#editor.document(path);
      if (document?.isDirty && !document.hasConflict) continue;
      this.#open.delete(path);
      // With another conflict, the saved text also has what another program wrote: undoing it would take that back.
      if (document?.isDirty) continue;
      this.#companion.changes.recordResolved(conflict).catch((error: unknown) => {
        this.#logger.warn('a restoration is not in the history', { error: describeError(error) });
      });
    }
  }
}
