import { type Disposable, Emitter, type Event, type Logger, logListenerError } from '@tandem/core';
import {
  type ChatModel,
  type ChatPermission,
  type ChatQuestions,
  type ChatRefusal,
  type ChatRequest,
  emptyChat,
} from '../chat/chatModel.js';
import { ChatDraft, type ChatParts, type ChatPatch } from '../chat/chatPatch.js';
import { reduceChat } from '../chat/reduceChat.js';
import type { DaemonEvent } from '../connection/sessionClient.js';

export interface ChatChange {
  /** The chat after the change. */
  readonly model: ChatModel;
  /** How to get there from the chat before. */
  readonly patches: readonly ChatPatch[];
}

/** A permission or a question that came up. `signal` fires when it is settled, by whomever, or cannot be any more. */
export interface ChatAsk {
  readonly request: ChatPermission | ChatQuestions;
  readonly signal: AbortSignal;
}

/** The present state of a chat, and who is told of its changes. The owner disposes it. */
export class ChatState implements Disposable {
  /** The ids that this client has and had at the daemon. */
  readonly ownIds = new Set<string>();
  readonly #changed: Emitter<ChatChange>;
  readonly #asked: Emitter<ChatAsk>;
  readonly #refused: Emitter<ChatRefusal>;
  readonly #asks = new Map<string, AbortController>();
  /** Requests that were settled, so that a status read a moment before does not bring them back. */
  readonly #settled = new Set<string>();
  readonly #waitingEvents: DaemonEvent[] = [];
  #model: ChatModel = emptyChat;
  #isDisposed = false;

  constructor(logger: Logger) {
    this.#changed = new Emitter(logListenerError(logger, 'onDidChange'));
    this.#asked = new Emitter(logListenerError(logger, 'onDidAsk'));
    this.#refused = new Emitter(logListenerError(logger, 'onDidRefuse'));
  }

  get model(): ChatModel {
    return this.#model;
  }

  get onDidChange(): Event<ChatChange> {
    return this.#changed.event;
  }

  get onDidAsk(): Event<ChatAsk> {
    return this.#asked.event;
  }

  /** A request came up that nobody is asked about: its owner rejects it. */
  get onDidRefuse(): Event<ChatRefusal> {
    return this.#refused.event;
  }

  /** Takes an event of the daemon. Those that came in one read of the socket are one change. */
  hear(event: DaemonEvent): void {
    this.#waitingEvents.push(event);
    if (this.#waitingEvents.length === 1) setImmediate(() => this.flush());
  }

  /** Makes the events that were heard visible. */
  flush(): void {
    if (this.#waitingEvents.length === 0 || this.#isDisposed) return;
    const { model, patches } = reduceChat(this.#model, this.#waitingEvents.splice(0), this.ownIds);
    if (patches.length > 0) this.#take(model, patches);
  }

  /** Changes the chat, after all events that were heard. */
  change(change: (draft: ChatDraft) => void): void {
    this.flush();
    if (this.#isDisposed) return;
    const draft = new ChatDraft(this.#model);
    change(draft);
    if (draft.patches.length > 0) this.#take(draft.model, draft.patches);
  }

  set(parts: Partial<ChatParts>): void {
    this.change((draft) => draft.set(parts));
  }

  /** Adds requests that were pending before we came, unless they are known or settled. */
  addPending(requests: readonly ChatRequest[]): void {
    const known = new Set(this.#model.pending.map(({ requestId }) => requestId));
    const missed = requests.filter(({ requestId }) => !known.has(requestId) && !this.#settled.has(requestId));
    if (missed.length > 0) this.set({ pending: [...this.#model.pending, ...missed] });
  }

  /** Changes one of the requests that wait, or takes it out by giving nothing. */
  changePending(requestId: string, change: (request: ChatRequest) => ChatRequest | undefined): void {
    const pending = this.#model.pending.flatMap((each) =>
      each.requestId === requestId ? (change(each) ?? []) : [each],
    );
    this.set({ pending });
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const ask of this.#asks.values()) ask.abort();
    this.#asks.clear();
    this.#changed.dispose();
    this.#asked.dispose();
    this.#refused.dispose();
  }

  #take(model: ChatModel, patches: readonly ChatPatch[]): void {
    this.#model = model;
    this.#changed.fire({ model, patches });
    this.#tellAsks(model.pending);
  }

  #tellAsks(pending: readonly ChatRequest[]): void {
    const ids = new Set(pending.map(({ requestId }) => requestId));
    for (const [requestId, ask] of this.#asks) {
      if (ids.has(requestId)) continue;
      this.#asks.delete(requestId);
      this.#settled.add(requestId);
      ask.abort();
    }
    for (const request of pending) {
      if (this.#asks.has(request.requestId)) continue;
      const ask = new AbortController();
      this.#asks.set(request.requestId, ask);
      if (request.kind === 'refused') this.#refused.fire(request);
      else this.#asked.fire({ request, signal: ask.signal });
    }
  }
}
