import { type Disposable, Emitter, type Event, type Logger, logListenerError } from '@tandem/core';
import {
  type ChatModel,
  type ChatPermission,
  type ChatQuestions,
  type ChatRequest,
  emptyChat,
} from '../model/chatModel.js';
import { ChatDraft, type ChatParts, type ChatPatch } from '../model/chatPatch.js';
import { reduceChat } from '../model/reduceChat.js';
import type { DaemonEvent } from './sessionClient.js';

export interface ChatChange {
  /** The chat after the change. */
  readonly model: ChatModel;
  /** Lead to it from the previous chat. */
  readonly patches: readonly ChatPatch[];
}

/** A new permission or question. `signal` fires when it is answered or can no longer be answered. */
export interface ChatAsk {
  readonly request: ChatPermission | ChatQuestions;
  readonly signal: AbortSignal;
}

/** The state of a chat and its change events. The owner disposes it. */
export class ChatState implements Disposable {
  /** This client's present and former ids at the daemon. */
  readonly ownIds = new Set<string>();
  readonly #changed: Emitter<ChatChange>;
  readonly #asked: Emitter<ChatAsk>;
  readonly #queuedEvents: DaemonEvent[] = [];
  #model: ChatModel = emptyChat;

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

  /** Queues an event. Events of one read of the socket are one change. */
  handle(event: DaemonEvent): void {
    this.#queuedEvents.push(event);
    if (this.#queuedEvents.length === 1) setImmediate(() => this.flush());
  }

  /** Applies the queued events. */
  flush(): void {
    if (this.#queuedEvents.length === 0) return;
    const { model, patches } = reduceChat(this.#model, this.#queuedEvents.splice(0), this.ownIds);
    if (patches.length > 0) this.#publish(model, patches);
  }

  /** Changes the chat after the queued events. */
  change(change: (draft: ChatDraft) => void): void {
    this.flush();
    const draft = new ChatDraft(this.#model);
    change(draft);
    if (draft.patches.length > 0) this.#publish(draft.model, draft.patches);
  }

  set(parts: Partial<ChatParts>): void {
    this.change((draft) => draft.set(parts));
  }

  /** Shows a request until `signal` fires, unless it is already shown, and fires `onDidAsk`. */
  ask(asked: ChatRequest, signal: AbortSignal): void {
    this.flush();
    const { requestId } = asked;
    const shown = this.#model.pending.find((each) => each.requestId === requestId);
    if (shown === undefined) this.set({ pending: [...this.#model.pending, asked] });
    signal.addEventListener('abort', () => this.changePending(requestId, () => undefined), { once: true });
    const request = shown ?? asked;
    if (request.kind !== 'refused') this.#asked.fire({ request, signal });
  }

  /** Changes a pending request, or removes it if `change` returns nothing. */
  changePending(requestId: string, change: (request: ChatRequest) => ChatRequest | undefined): void {
    this.flush();
    if (!this.#model.pending.some((each) => each.requestId === requestId)) return;
    const pending = this.#model.pending.flatMap((each) =>
      each.requestId === requestId ? (change(each) ?? []) : [each],
    );
    this.set({ pending });
  }

  dispose(): void {
    this.#changed.dispose();
    this.#asked.dispose();
  }

  #publish(model: ChatModel, patches: readonly ChatPatch[]): void {
    this.#model = model;
    this.#changed.fire({ model, patches });
  }
}
