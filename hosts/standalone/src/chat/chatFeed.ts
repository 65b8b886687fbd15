import type { ChatPatch, CompanionChat } from '@tandem/companion/chat';
import type { Disposable } from '@tandem/core';
import type { LiveConnection } from '../page/liveConnection.js';

/** Sends changes of the chat to the pages that follow it, in order. */
export class ChatFeed implements Disposable {
  readonly #chat: CompanionChat;
  readonly #followers = new Set<LiveConnection>();
  readonly #subscription: Disposable;

  constructor(chat: CompanionChat) {
    this.#chat = chat;
    this.#subscription = chat.onDidChange((patches) => this.#send(patches));
  }

  /** Sends the whole chat, then its changes. */
  follow(connection: LiveConnection): void {
    this.#followers.add(connection);
    connection.send({ event: 'chat', model: this.#chat.model });
  }

  leave(connection: LiveConnection): void {
    this.#followers.delete(connection);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#followers.clear();
  }

  #send(patches: readonly ChatPatch[]): void {
    for (const connection of this.#followers)
      connection.send({ event: 'chat-patches', patches: [...patches] });
  }
}
