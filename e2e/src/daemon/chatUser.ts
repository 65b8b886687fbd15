import type { ChatAsk, DaemonChat } from '@tandem/chat';
import type { ChatItem, ChatModel, ChatPatch, ChatRequest, ChatToolCard } from '@tandem/chat/model';
import { Changes } from '../changes.js';

/** Somebody in front of a chat panel: sees its model and waits for what shows. */
export class ChatUser {
  readonly #changes = new Changes();
  /** All that a panel was told, from its first whole state. */
  readonly patches: ChatPatch[] = [];
  /** What native prompts would show. */
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

  /** The oldest request that waits. */
  request(): Promise<ChatRequest> {
    return this.until('a request', ({ pending }) => pending[0]);
  }

  /** Texts of what was said, by whom, in order. */
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
