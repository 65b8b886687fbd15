import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ChatMention } from '../wire/index.js';

/** A picture that waits to be sent. */
export interface DraftImage {
  readonly key: number;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A mention in a draft: it counts as long as its token stands in the text. */
interface DraftMention extends ChatMention {
  /** Such as `@src/a.ts:3-9`. */
  readonly token: string;
}

interface ElsewhereRequest {
  readonly requestId: string;
  readonly title: string;
}

/** What the composer holds. */
export type Draft = Pick<PanelValues, 'draft' | 'images' | 'mentions' | 'edited'>;

/** How long it is said that somebody else has answered. */
const elsewhereMs = 10_000;

/** How long a sentence stays for a screen reader. What stays longer is read as if it were still so. */
export const spokenMs = 10_000;

/** So many drafts that were sent can be taken back as they were. */
const mostSent = 20;

interface PanelValues {
  readonly view: 'chat' | 'sessions' | 'connect';
  readonly draft: string;
  /** The daemon's address as it was typed last. */
  readonly address?: string;
  readonly mentions: readonly DraftMention[];
  readonly images: readonly DraftImage[];
  /** The message that the draft was taken from, by its id. */
  readonly edited?: number | undefined;
  /** What failed last, in words for the person. */
  readonly failure?: string | undefined;
  /** What a screen reader says next; `serial` tells two equal sentences apart. */
  readonly spoken: { readonly text: string; readonly serial: number };
  /** Requests that this panel has answered: what vanishes without standing here was answered elsewhere. */
  readonly answered: ReadonlySet<string>;
  /** Requests that somebody else answered a moment ago, with their titles. */
  readonly elsewhere: readonly ElsewhereRequest[];
  /** Counts the wishes that the composer gets the caret. */
  readonly focusWish: number;
  /** Counts the wishes that the conversation is shown at its end. */
  readonly endWish: number;
}

/** What a panel holds besides the chat itself. It outlives the panel's closing, so that no draft is lost. */
export class PanelState {
  readonly store: StoreApi<PanelValues> = createStore<PanelValues>(() => ({
    view: 'chat',
    draft: '',
    mentions: [],
    images: [],
    spoken: { text: '', serial: 0 },
    answered: new Set(),
    elsewhere: [],
    focusWish: 0,
    endWish: 0,
  }));

  #sent: readonly Draft[] = [];
  #silence: ReturnType<typeof setTimeout> | undefined;

  get values(): PanelValues {
    return this.store.getState();
  }

  set(values: Partial<PanelValues>): void {
    this.store.setState(values);
  }

  say(text: string): void {
    this.store.setState(({ spoken }) => ({ spoken: { text, serial: spoken.serial + 1 } }));
    clearTimeout(this.#silence);
    if (text !== '') this.#silence = setTimeout(() => this.hush(), spokenMs);
  }

  /** Takes a sentence away that does not hold any more, or whatever was said last. */
  hush(text = this.values.spoken.text): void {
    if (text !== '' && this.values.spoken.text === text) this.say('');
  }

  /** Remembers a draft that was sent. */
  keepSent(draft: Draft): void {
    this.#sent = [...this.#sent, draft].slice(-mostSent);
  }

  /** The draft that was sent last with this text, as the daemon has it. */
  sentAs(text: string): Draft | undefined {
    return this.#sent.findLast(
      ({ draft }) => draft.trim() === text || (draft.trim() === '' && text === '[image]'),
    );
  }

  focusComposer(): void {
    this.store.setState(({ focusWish, view }) => ({
      focusWish: focusWish + 1,
      view: view === 'sessions' ? 'chat' : view,
    }));
  }

  showEnd(): void {
    this.store.setState(({ endWish }) => ({ endWish: endWish + 1 }));
  }

  clearDraft(): void {
    this.set({ draft: '', mentions: [], images: [], edited: undefined });
  }

  markAnswered(requestId: string): void {
    this.store.setState(({ answered }) => ({ answered: new Set([...answered, requestId].slice(-100)) }));
  }

  /** Says for a while that somebody else was first. */
  showElsewhere({ requestId, title }: ElsewhereRequest): void {
    const { elsewhere } = this.values;
    if (elsewhere.some((each) => each.requestId === requestId)) return;
    this.set({ elsewhere: [...elsewhere, { requestId, title }].slice(-3) });
    this.say(`Answered elsewhere: ${title}`);
    setTimeout(() => this.dismissElsewhere(requestId), elsewhereMs);
  }

  dismissElsewhere(requestId: string): void {
    this.set({ elsewhere: this.values.elsewhere.filter((each) => each.requestId !== requestId) });
  }

  /** Runs what asks the host, and shows what went wrong. Never rejects; says whether it went well. */
  async attempt(what: string, task: () => Promise<unknown>): Promise<boolean> {
    this.set({ failure: undefined });
    try {
      await task();
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.set({ failure: `${what}: ${why}` });
      this.say(`${what}: ${why}`);
      return false;
    }
  }
}
