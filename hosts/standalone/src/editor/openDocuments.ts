import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  logListenerError,
  type Path,
  type SavedDocument,
} from '@tandem/core';
import { type DocumentServices, OpenDocument } from './openDocument.js';

interface Entry {
  readonly document: OpenDocument;
  readonly listeners: DisposableStore;
}

/** The open documents, in the order in which they were opened. The creator disposes it. */
export class OpenDocuments implements Disposable {
  /** One was opened or closed, or its state changed. */
  readonly onDidChange: Event<void>;
  /** The text of one changed. */
  readonly onDidChangeText: Event<OpenDocument>;
  /** The file of one was deleted or created again. */
  readonly onDidChangePresence: Event<void>;
  /** The user saved one. */
  readonly onDidSave: Event<SavedDocument>;

  readonly #services: DocumentServices;
  readonly #didChange: Emitter<void>;
  readonly #didChangeText: Emitter<OpenDocument>;
  readonly #didChangePresence: Emitter<void>;
  readonly #didSave: Emitter<SavedDocument>;
  readonly #entries = new Map<Path, Entry>();
  #isDisposed = false;

  constructor(services: DocumentServices) {
    const onError = logListenerError(services.logger, 'the documents');
    this.#services = { ...services, onSaved: (saved) => this.#didSave.fire(saved) };
    this.#didChange = new Emitter<void>(onError);
    this.#didChangeText = new Emitter<OpenDocument>(onError);
    this.#didChangePresence = new Emitter<void>(onError);
    this.#didSave = new Emitter<SavedDocument>(onError);
    this.onDidChangePresence = this.#didChangePresence.event;
    this.onDidSave = this.#didSave.event;
    this.onDidChange = this.#didChange.event;
    this.onDidChangeText = this.#didChangeText.event;
  }

  get all(): readonly OpenDocument[] {
    return [...this.#entries.values()].map(({ document }) => document);
  }

  find(path: Path): OpenDocument | undefined {
    return this.#entries.get(path)?.document;
  }

  /** Opens a file, or reads it again if it is open. Rejects if it cannot be read. */
  async open(path: Path): Promise<OpenDocument> {
    const known = this.find(path);
    if (known !== undefined) {
      await known.refresh();
      return known;
    }
    const document = await OpenDocument.open(path, this.#services);
    const meanwhile = this.find(path);
    if (this.#isDisposed || meanwhile !== undefined) document.dispose();
    if (meanwhile !== undefined) return meanwhile;
    if (this.#isDisposed) throw new Error('The editor is closed.');
    const listeners = new DisposableStore();
    let { isMissing } = document;
    listeners.add(
      document.onDidChange(() => {
        const wasMissing = isMissing;
        isMissing = document.isMissing;
        if (isMissing !== wasMissing) this.#didChangePresence.fire();
        this.#didChange.fire();
      }),
    );
    listeners.add(document.text.onDidChange(() => this.#didChangeText.fire(document)));
    this.#entries.set(path, { document, listeners });
    this.#didChange.fire();
    return document;
  }

  /** Closes it and discards unsaved changes. */
  close(document: OpenDocument): void {
    const entry = this.#entries.get(document.path);
    if (entry?.document !== document) return;
    this.#entries.delete(document.path);
    entry.listeners.dispose();
    document.dispose();
    this.#didChange.fire();
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const { document, listeners } of this.#entries.values()) {
      listeners.dispose();
      document.dispose();
    }
    this.#entries.clear();
    this.#didChange.dispose();
    this.#didChangeText.dispose();
    this.#didChangePresence.dispose();
    this.#didSave.dispose();
  }
}
