import { mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Disposable, DisposableStore, type Event, silentLogger, toDisposable } from '@tandem/core';
import type { TextUpdate } from '@tandem/page/wire';
import { FileWatches } from '../../../src/editor/fileWatches.js';
import { OpenDocument } from '../../../src/editor/openDocument.js';
import type { SharedText } from '../../../src/editor/sharedText.js';
import { replacementOf } from '../../../src/editor/sharedText.js';
import type { ShownReview } from '../../../src/editor/shownReview.js';

/** A scratch folder with files, and documents of them. */
export class DocumentFolder implements Disposable {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'documents-')));
  readonly #owned = new DisposableStore();
  readonly #watches = this.#owned.add(new FileWatches(silentLogger, [this.path]));

  constructor() {
    this.#owned.add(toDisposable(() => rmSync(this.path, { recursive: true, force: true })));
  }

  at(name: string): string {
    return join(this.path, name);
  }

  write(name: string, content: string | Buffer): string {
    writeFileSync(this.at(name), content);
    return this.at(name);
  }

  /** Writes as agents do: replaces the file by a rename. */
  renameOver(name: string, content: string): void {
    renameSync(this.write(`${name}.new`, content), this.at(name));
  }

  read(name: string): string {
    return readFileSync(this.at(name), 'utf8');
  }

  async open(name: string): Promise<OpenDocument> {
    const services = { logger: silentLogger, watches: this.#watches, folders: [this.path] };
    return this.#owned.add(await OpenDocument.open(this.at(name), services));
  }

  /** A document of a file that was just written. */
  openWith(content: string | Buffer, name = 'a.txt'): Promise<OpenDocument> {
    this.write(name, content);
    return this.open(name);
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

/** Pushes the edit of a page whose user changes the text. */
export function typeInto(text: SharedText, content: string): void {
  text.push(text.version, [updateTo(text, content)]);
}

/** The same in a review. */
export function pushInto(shown: ShownReview, content: string): boolean {
  return shown.push(shown.text.version, [updateTo(shown.text, content)]);
}

function updateTo(text: SharedText, content: string): TextUpdate {
  const changes = replacementOf(text.content, content).toJSON();
  return { clientId: 'page', changes };
}

/** Resolves once the condition holds; checks it again at each of the events. */
export function until(isSo: () => boolean, ...events: readonly Event<unknown>[]): Promise<void> {
  if (isSo()) return Promise.resolve();
  return new Promise((resolve) => {
    const listeners = events.map((event) =>
      event(() => {
        if (!isSo()) return;
        for (const listener of listeners) listener.dispose();
        resolve();
      }),
    );
  });
}
