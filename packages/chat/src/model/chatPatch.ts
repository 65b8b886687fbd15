import type { ChatItem, ChatModel } from './chatModel.js';

/** The parts of a chat that a patch replaces as a whole; they stay small however long the conversation gets. */
export type ChatParts = Omit<ChatModel, 'items'>;

/** One change of a chat, as JSON. Patches are applied in order and each exactly once. */
export type ChatPatch =
  /** Everything anew: another session, a history that was read again, or a session that went back to a message. */
  | { readonly op: 'reset'; readonly model: ChatModel }
  /** The item's id is the number of items so far. */
  | { readonly op: 'add'; readonly item: ChatItem }
  /** More text at the end of a message or a thought. */
  | { readonly op: 'append'; readonly id: number; readonly text: string }
  /** The item of the same id takes another shape. */
  | { readonly op: 'replace'; readonly item: ChatItem }
  /** The named parts take these values. `removed` names those that are absent from now on. */
  | {
      readonly op: 'set';
      readonly parts: Partial<ChatParts>;
      readonly removed?: readonly ('session' | 'suggestion')[];
    };

/** The chat after the patches. The list of items is copied once however many patches there are. */
export function applyChatPatches(model: ChatModel, patches: readonly ChatPatch[]): ChatModel {
  const draft = new ChatDraft(model);
  for (const patch of patches) draft.apply(patch);
  return draft.model;
}

/** A chat in the making: what is applied shows in `model` at once, and `patches` says how to get there. */
export class ChatDraft {
  readonly #patches: ChatPatch[] = [];
  #model: ChatModel;
  /** The model's items, once they are a copy of our own. */
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
    this.#remember(patch);
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

  /** Texts that follow each other are one patch: a burst of events costs a webview one message. */
  #remember(patch: ChatPatch): void {
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
