import type { Disposable } from '@tandem/core';
import type { SharedText } from '../editor/sharedText.js';
import type { LiveConnection } from './liveConnection.js';

interface FollowedText {
  readonly text: SharedText;
  readonly subscription: Disposable;
  readonly readers: Set<LiveConnection>;
}

/** Sends the updates of each text to the pages that opened it, in the order in which they were made. */
export class TextFeed implements Disposable {
  readonly #followed = new Map<string, FollowedText>();

  /** From now on the page hears of every update of this text. */
  follow(connection: LiveConnection, id: string, text: SharedText): void {
    const known = this.#followed.get(id);
    if (known?.text === text) {
      known.readers.add(connection);
      return;
    }
    // A file that was closed and opened again has another text; who read the first must open this one too.
    known?.subscription.dispose();
    const readers = new Set([connection]);
    const subscription = text.onDidChange(({ version, updates }) => {
      for (const reader of readers) reader.tell({ event: 'text', text: id, version, updates: [...updates] });
    });
    this.#followed.set(id, { text, subscription, readers });
  }

  /** The page is gone. */
  leave(connection: LiveConnection): void {
    for (const [id, { readers, subscription }] of this.#followed) {
      readers.delete(connection);
      if (readers.size > 0) continue;
      subscription.dispose();
      this.#followed.delete(id);
    }
  }

  dispose(): void {
    for (const { subscription } of this.#followed.values()) subscription.dispose();
    this.#followed.clear();
  }
}
