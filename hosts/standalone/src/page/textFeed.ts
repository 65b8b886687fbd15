import type { Disposable } from '@tandem/core';
import type { SharedText } from '../editor/sharedText.js';
import type { LiveConnection } from './liveConnection.js';

interface FollowedText {
  readonly text: SharedText;
  readonly subscription: Disposable;
  readonly readers: Set<LiveConnection>;
}

/** Sends the updates of each text, in order, to the pages that opened it. */
export class TextFeed implements Disposable {
  readonly #followed = new Map<string, FollowedText>();

  /** Sends the page every later update of this text. */
  follow(connection: LiveConnection, id: string, text: SharedText): void {
    const known = this.#followed.get(id);
    if (known?.text === text) {
      known.readers.add(connection);
      return;
    }
    // A file that was closed and reopened has a new text; a page that has the old text must open the new one too.
    known?.subscription.dispose();
    const readers = new Set([connection]);
    const subscription = text.onDidChange(({ version, updates }) => {
      for (const reader of readers) reader.send({ event: 'text', text: id, version, updates: [...updates] });
    });
    this.#followed.set(id, { text, subscription, readers });
  }

  /** The page has disconnected. */
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
