import type { ChatItem, ChatModel } from './chatModel.js';

/** The parts that a patch replaces as a whole; they stay small in a long conversation. */
export type ChatParts = Omit<ChatModel, 'items'>;

/** One change of a chat, as JSON. Apply patches in order, each exactly once. */
export type ChatPatch =
  /** Another session, a reloaded history, or a rewind. */
  | { readonly op: 'reset'; readonly model: ChatModel }
  | { readonly op: 'add'; readonly item: ChatItem }
  /** Text at the end of a message or a thought. */
  | { readonly op: 'append'; readonly id: number; readonly text: string }
  | { readonly op: 'replace'; readonly item: ChatItem }
  /** Replaces the given parts and removes those in `removed`. */
  | {
      readonly op: 'set';
      readonly parts: Partial<ChatParts>;
      readonly removed?: readonly ('session' | 'suggestion')[];
    };

/** The chat after the patches. Copies the list of items once. */
export function applyChatPatches(model: ChatModel, patches: readonly ChatPatch[]): ChatModel {
  const draft = new ChatDraft(model);
  for (const patch of patches) draft.apply(patch);
  return draft.model;
}

/** A chat under change: `model` is the current state, `patches` leads to it from the original. */
export class ChatDraft {
  readonly #patches: ChatPatch[] = [];
  #model: ChatModel;
  /** The model's items, once they are our own copy. */
  #items: ChatItem[] | undefined;

  constructor(model: ChatModel) {
    this.#model = model;
  }

  get model(): ChatModel {
    return this.#model;
  }

  get patches(): readonly ChatPatch[] {
    return this.#patches;
  }

  /** Adds an item at the end and gives it its id. */
  add(item: DistributiveOmit<ChatItem, 'id'>): void {
    this.apply({ op: 'add', item: { ...item, id: this.#model.items.length } });
  }

  append(id: number, text: string): void {
    this.apply({ op: 'append', id, text });
  }

  replace(item: ChatItem): void {
    this.apply({ op: 'replace', item });
  }

  set(parts: Partial<ChatParts>): void {
    this.apply({ op: 'set', parts });
  }

  apply(patch: ChatPatch): void {
    this.#change(patch);
    this.#record(patch);
  }

  #change(patch: ChatPatch): void {
    if (patch.op === 'reset') {
      this.#model = patch.model;
      this.#items = undefined;
    } else if (patch.op === 'set') {
      const model: ChatModel = { ...this.#model, ...patch.parts };
      this.#model = patch.removed?.length ? without(model, patch.removed) : model;
    } else if (patch.op === 'add') {
      this.#ownItems().push(patch.item);
    } else if (patch.op === 'replace') {
      this.#ownItems()[patch.item.id] = patch.item;
    } else {
      const item = this.#model.items[patch.id];
      if (item === undefined || !('text' in item)) return;
      this.#ownItems()[patch.id] = { ...item, text: item.text + patch.text };
    }
  }

  /** Joins consecutive texts, so that a burst of events costs a webview one message. */
  #record(patch: ChatPatch): void {
    const last = this.#patches.at(-1);
    if (patch.op === 'append' && last?.op === 'append' && last.id === patch.id) {
      this.#patches[this.#patches.length - 1] = { ...last, text: last.text + patch.text };
    } else this.#patches.push(patch);
  }

  #ownItems(): ChatItem[] {
    if (this.#items === undefined) {
      this.#items = [...this.#model.items];
      this.#model = { ...this.#model, items: this.#items };
    }
    return this.#items;
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function without(model: ChatModel, names: readonly ('session' | 'suggestion')[]): ChatModel {
  const { session, suggestion, ...rest } = model;
  return {
    ...rest,
    ...(session !== undefined && !names.includes('session') && { session }),
    ...(suggestion !== undefined && !names.includes('suggestion') && { suggestion }),
  };
}
