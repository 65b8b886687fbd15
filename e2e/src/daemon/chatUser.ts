import type { ChatAsk, DaemonChat } from '@tandem/chat';
import type { ChatItem, ChatModel, ChatPatch, ChatRequest, ChatToolCard } from '@tandem/chat/model';
import { Changes } from '../changes.js';

/** A user of a chat panel: reads its model and waits for changes. */
export class ChatUser {
  readonly #changes = new Changes();
  /** All patches that a panel receives, starting with the whole state. */
  readonly patches: ChatPatch[] = [];
  /** The requests that native prompts would show. */
  readonly asks: ChatAsk[] = [];

  constructor(readonly chat: DaemonChat) {
    this.patches.push({ op: 'reset', model: chat.model });
    chat.onDidChange(({ patches }) => {
      this.patches.push(...patches);
      this.#changes.notify();
    });
    chat.onDidAsk((ask) => {
      this.asks.push(ask);
      ask.signal.addEventListener('abort', () => this.#changes.notify());
    });
  }

  get model(): ChatModel {
    return this.chat.model;
  }

  until<T>(what: string, probe: (model: ChatModel) => T | undefined | false): Promise<T> {
    return this.#changes.until(() => probe(this.model), {
      what,
      evidence: () => JSON.stringify({ ...this.model, commands: this.model.commands.length }, undefined, 1),
    });
  }

  /** Sends a prompt and waits for the end of its turn. */
  async ask(text: string): Promise<void> {
    const before = this.model.items.length;
    await this.chat.send(text);
    await this.until('the turn to end', ({ turn, items }) => items.length > before && turn.state === 'idle');
  }

  /** The oldest pending request. */
  request(): Promise<ChatRequest> {
    return this.until('a request', ({ pending }) => pending[0]);
  }

  /** The messages in order, each with its author. */
  said(): string[] {
    return this.model.items.map(describe);
  }

  card(): ChatToolCard {
    const card = this.model.items.findLast((item) => item.kind === 'tool');
    if (card === undefined) throw new Error('no tool card is shown');
    return card;
  }
}

function describe(item: ChatItem): string {
  if (item.kind === 'tool') return `tool: ${item.title}, ${item.status}`;
  return `${item.kind}: ${item.text}`;
}
