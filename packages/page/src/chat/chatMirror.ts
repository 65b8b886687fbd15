import { applyChatPatches, type ChatModel, type ChatPatch, emptyChat } from '@tandem/chat/model';

/** The delay of patches in a hidden page. */
const hiddenMs = 200;

/** A panel's copy of the host's chat: received whole once, then by patches. */
export class ChatMirror {
  readonly #queued: ChatPatch[] = [];
  readonly #onChange: () => void;
  #model: ChatModel = emptyChat;
  #isFollowing = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get model(): ChatModel {
    return this.#model;
  }

  /** Whether it was received whole, so that patches apply. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Ignores patches until the next `replace()`. */
  reset(): void {
    this.#isFollowing = false;
  }

  replace(model: ChatModel): void {
    this.#queued.length = 0;
    this.#model = model;
    this.#isFollowing = true;
    this.#onChange();
  }

  /** Applies all patches of one frame together. */
  patch(patches: readonly ChatPatch[]): void {
    if (!this.#isFollowing) return;
    const isFirst = this.#queued.length === 0;
    this.#queued.push(...patches);
    if (!isFirst) return;
    const apply = (): void => {
      const queued = this.#queued.splice(0);
      if (queued.length === 0) return;
      this.#model = applyChatPatches(this.#model, queued);
      this.#onChange();
    };
    if (document.visibilityState === 'visible') requestAnimationFrame(apply);
    else setTimeout(apply, hiddenMs);
  }
}
