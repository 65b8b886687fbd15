import { turnEndOf } from '../connection/promptTurns.js';
import type { ContentBlock, DaemonEvent } from '../connection/sessionClient.js';
import type { ChatModel } from '../model/chatModel.js';
import type { ChatDraft } from '../model/chatPatch.js';

interface SentPrompt {
  readonly sessionId: string;
  readonly promptId: string;
  readonly blocks: readonly ContentBlock[];
}

/** The prompts that the daemon has accepted and whose turns have not ended: what the user typed, if the daemon loses it. */
export class SentPrompts {
  #prompts: readonly SentPrompt[] = [];

  add(prompt: SentPrompt): void {
    this.#prompts = [...this.#prompts, prompt];
  }

  /** Takes every event of the session. */
  hear(event: DaemonEvent): void {
    const ended = turnEndOf(event)?.promptId;
    if (ended !== undefined) this.end(ended);
  }

  /** The turn of a prompt has ended: its end can overtake the daemon's word that it was accepted. */
  end(ended: string): void {
    this.#prompts = this.#prompts.filter(({ promptId }) => promptId !== ended);
  }

  /** Shows the prompts of the session that the chat does not show, as messages. Says whether there were any. */
  show(draft: ChatDraft): boolean {
    const unknown = this.#prompts.filter(
      (prompt) => isOf(prompt, draft.model) && !isKnown(prompt, draft.model),
    );
    for (const { promptId, blocks } of unknown) draft.add({ ...toMessage(blocks), promptId });
    return unknown.length > 0;
  }

  /** Forgets the prompts of a session that works on none. */
  forget({ session, turn }: ChatModel): void {
    if (turn.state === 'idle') {
      this.#prompts = this.#prompts.filter(({ sessionId }) => sessionId !== session?.id);
    }
  }
}

function isOf({ sessionId }: SentPrompt, { session }: ChatModel): boolean {
  return sessionId === session?.id;
}

function isKnown({ promptId }: SentPrompt, { items, turn }: ChatModel): boolean {
  return [...items, ...turn.queued].some((each) => each.promptId === promptId);
}

function toMessage(blocks: readonly ContentBlock[]) {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const images = blocks.flatMap((block) =>
    block.type === 'image' ? [{ mimeType: block.mimeType, data: block.data }] : [],
  );
  return { kind: 'user' as const, text: texts.join('\n'), images };
}
