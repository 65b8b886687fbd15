import type { ChatPatch, CompanionChat } from '@tandem/companion/chat';
import type { Disposable } from '@tandem/core';
import type { LiveConnection } from '../page/liveConnection.js';

/** Tells the pages that follow the chat how it becomes what it is, in the order in which it does. */
export class ChatFeed implements Disposable {
  readonly #chat: CompanionChat;
  readonly #followers = new Set<LiveConnection>();
  readonly #subscription: Disposable;

  constructor(chat: CompanionChat) {
    this.#chat = chat;
    this.#subscription = chat.onDidChange((patches) => this.#tell(patches));
  }

  /** Tells the page the chat as it is, and from now on what changes. */
  follow(connection: LiveConnection): void {
    this.#followers.add(connection);
    connection.tell({ event: 'chat', model: this.#chat.model });
  }

  leave(connection: LiveConnection): void {
    this.#followers.delete(connection);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#followers.clear();
  }

  #tell(patches: readonly ChatPatch[]): void {
    for (const connection of this.#followers)
      connection.tell({ event: 'chat-patches', patches: [...patches] });
  }
}
