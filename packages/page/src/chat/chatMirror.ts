import { applyChatPatches, type ChatModel, type ChatPatch, emptyChat } from '@tandem/chat/model';

/** How soon patches are applied in a page that nobody sees. */
const hiddenMs = 200;

/** The chat of a host as a panel holds it: told whole once, then by patches. */
export class ChatMirror {
  readonly #waiting: ChatPatch[] = [];
  readonly #onChange: () => void;
  #model: ChatModel = emptyChat;
  #isFollowing = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get model(): ChatModel {
    return this.#model;
  }

  /** Whether it was told whole, so that patches make sense. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** What comes now belongs to another telling, which begins with the whole. */
  startAnew(): void {
    this.#isFollowing = false;
  }

  replace(model: ChatModel): void {
    this.#waiting.length = 0;
    this.#model = model;
    this.#isFollowing = true;
    this.#onChange();
  }

  /** What comes within one frame is one change: nobody can see more. */
  patch(patches: readonly ChatPatch[]): void {
    if (!this.#isFollowing) return;
    const isFirst = this.#waiting.length === 0;
    this.#waiting.push(...patches);
    if (!isFirst) return;
    const apply = (): void => {
      const waiting = this.#waiting.splice(0);
      if (waiting.length === 0) return;
      this.#model = applyChatPatches(this.#model, waiting);
      this.#onChange();
    };
    if (document.visibilityState === 'visible') requestAnimationFrame(apply);
    else setTimeout(apply, hiddenMs);
  }
}
