import { type Disposable, Emitter, type Event, type Logger, logListenerError } from '@tandem/core';
import type { DaemonEvent } from '../connection/sessionClient.js';
import {
  type ChatModel,
  type ChatPermission,
  type ChatQuestions,
  type ChatRequest,
  emptyChat,
} from '../model/chatModel.js';
import { ChatDraft, type ChatParts, type ChatPatch } from '../model/chatPatch.js';
import { reduceChat } from '../model/reduceChat.js';

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
  readonly #waitingEvents: DaemonEvent[] = [];
  #model: ChatModel = emptyChat;
  #isDisposed = false;

  constructor(logger: Logger) {
    this.#changed = new Emitter(logListenerError(logger, 'onDidChange'));
    this.#asked = new Emitter(logListenerError(logger, 'onDidAsk'));
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

  /** Shows a request until `signal` fires, unless the events have shown it, and asks for an answer. */
  ask(asked: ChatRequest, signal: AbortSignal): void {
    this.flush();
    const { requestId } = asked;
    const shown = this.#model.pending.find((each) => each.requestId === requestId);
    if (shown === undefined) this.set({ pending: [...this.#model.pending, asked] });
    signal.addEventListener('abort', () => this.changePending(requestId, () => undefined), { once: true });
    const request = shown ?? asked;
    if (request.kind !== 'refused') this.#asked.fire({ request, signal });
  }

  /** Changes one of the requests that wait, or takes it out by giving nothing. */
  changePending(requestId: string, change: (request: ChatRequest) => ChatRequest | undefined): void {
    this.flush();
    if (!this.#model.pending.some((each) => each.requestId === requestId)) return;
    const pending = this.#model.pending.flatMap((each) =>
      each.requestId === requestId ? (change(each) ?? []) : [each],
    );
    this.set({ pending });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#changed.dispose();
    this.#asked.dispose();
  }

  #take(model: ChatModel, patches: readonly ChatPatch[]): void {
    this.#model = model;
    this.#changed.fire({ model, patches });
  }
}
