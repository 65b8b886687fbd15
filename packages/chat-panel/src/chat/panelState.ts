import type { ChatModel } from '@tandem/chat/model';
import { messageOf } from '@tandem/core';
import type { ChatMention } from '@tandem/rpc';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Announcement, nextAnnouncement, noAnnouncement } from '../primitives/layout.js';
import type { ChatHost, ChatState } from './chatHost.js';
import { askWords, requestTitle } from './chatWords.js';

/** A picture of the draft. */
export interface DraftImage {
  readonly key: number;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A mention in a draft. It counts while the text contains its token. */
interface DraftMention extends ChatMention {
  /** Such as `@src/a.ts:3-9`. */
  readonly token: string;
}

interface ElsewhereRequest {
  readonly requestId: string;
  readonly title: string;
}

export type Draft = Pick<PanelValues, 'draft' | 'images' | 'mentions' | 'edited'>;

/** How long an answer of another client is shown. */
const elsewhereMs = 10_000;

/** How long an announcement stays. A screen reader would read an older one as current. */
export const announcementMs = 10_000;

/** Sent drafts that can be restored with their attachments. */
const mostSent = 20;

interface PanelValues {
  readonly view: 'chat' | 'sessions' | 'connect';
  readonly draft: string;
  /** The last typed address of a daemon. */
  readonly address?: string;
  readonly mentions: readonly DraftMention[];
  readonly images: readonly DraftImage[];
  /** Messages that the daemon has not accepted yet, and how many items the conversation had before each. */
  readonly sending: readonly { readonly text: string; readonly items: number }[];
  /** The id of the message that the draft edits. */
  readonly edited?: number | undefined;
  /** The last failure, for the user. */
  readonly failure?: string | undefined;
  readonly announcement: Announcement;
  /** Requests that this panel answered. Others that disappear were answered elsewhere. */
  readonly answered: ReadonlySet<string>;
  /** Requests that another client answered recently. */
  readonly elsewhere: readonly ElsewhereRequest[];
  /** Counts the requests to focus the composer. */
  readonly focusRequest: number;
  /** Counts the requests to scroll to the end. */
  readonly endRequest: number;
}

/** A panel's own state. It survives closing the panel, so that no draft is lost. */
export class PanelState {
  readonly store: StoreApi<PanelValues> = createStore<PanelValues>(() => ({
    view: 'chat',
    draft: '',
    mentions: [],
    images: [],
    sending: [],
    announcement: noAnnouncement,
    answered: new Set(),
    elsewhere: [],
    focusRequest: 0,
    endRequest: 0,
  }));

  #sent: readonly Draft[] = [];
  #silence: ReturnType<typeof setTimeout> | undefined;

  get values(): PanelValues {
    return this.store.getState();
  }

  set(values: Partial<PanelValues>): void {
    this.store.setState(values);
  }

  announce(text: string): void {
    this.store.setState(({ announcement }) => ({ announcement: nextAnnouncement(announcement, text) }));
    clearTimeout(this.#silence);
    if (text !== '') this.#silence = setTimeout(() => this.clearAnnouncement(), announcementMs);
  }

  /** Removes an announcement that no longer holds; by default the current one. */
  clearAnnouncement(text = this.values.announcement.text): void {
    if (text !== '' && this.values.announcement.text === text) this.announce('');
  }

  keepSent(draft: Draft): void {
    this.#sent = [...this.#sent, draft].slice(-mostSent);
  }

  /** The last sent draft with this text, as the daemon reports it. */
  sentAs(text: string): Draft | undefined {
    return this.#sent.findLast(
      ({ draft }) => draft.trim() === text || (draft.trim() === '' && text === '[image]'),
    );
  }

  focusComposer(): void {
    this.store.setState(({ focusRequest, view }) => ({
      focusRequest: focusRequest + 1,
      view: view === 'sessions' ? 'chat' : view,
    }));
  }

  showEnd(): void {
    this.store.setState(({ endRequest }) => ({ endRequest: endRequest + 1 }));
  }

  clearDraft(): void {
    this.set({ draft: '', mentions: [], images: [], edited: undefined });
  }

  markAnswered(requestId: string): void {
    this.store.setState(({ answered }) => ({ answered: new Set([...answered, requestId].slice(-100)) }));
  }

  /** Shows for a while that another client was first. */
  showElsewhere({ requestId, title }: ElsewhereRequest): void {
    const { elsewhere } = this.values;
    if (elsewhere.some((each) => each.requestId === requestId)) return;
    this.set({ elsewhere: [...elsewhere, { requestId, title }].slice(-3) });
    this.announce(`Answered elsewhere: ${title}`);
    setTimeout(() => this.dismissElsewhere(requestId), elsewhereMs);
  }

  dismissElsewhere(requestId: string): void {
    this.set({ elsewhere: this.values.elsewhere.filter((each) => each.requestId !== requestId) });
  }

  /** Runs a task and shows its failure. Never rejects; returns whether it succeeded. */
  async attempt(what: string, task: () => Promise<unknown>): Promise<boolean> {
    this.set({ failure: undefined });
    try {
      await task();
      return true;
    } catch (error) {
      const why = messageOf(error);
      this.set({ failure: `${what}: ${why}` });
      this.announce(`${what}: ${why}`);
      return false;
    }
  }
}

interface ChatServices {
  readonly host: ChatHost;
  readonly panel: PanelState;
}

export const ChatContext = createContext<ChatServices | undefined>(undefined);

export function useChat(): ChatServices {
  const services = useContext(ChatContext);
  if (services === undefined) throw new Error('A component of the chat is used outside its panel.');
  return services;
}

/** A part of the host's state. The component renders again when that part changes. */
export function useChatState<T>(select: (state: ChatState) => T): T {
  const { host } = useChat();
  return useSyncExternalStore(
    (onChange) => host.onDidChange(onChange),
    () => select(host.state),
  );
}

export function useModel<T>(select: (model: ChatModel) => T): T {
  return useChatState(({ model }) => select(model));
}

/** The texts of messages that are being sent and do not appear in the conversation yet. */
export function useSending(): readonly string[] {
  const sending = usePanel((values) => values.sending);
  const items = useModel((model) => model.items);
  return sending
    .filter((each) => !items.slice(each.items).some(({ kind }) => kind === 'user'))
    .map(({ text }) => text);
}

export function usePanel<T>(select: (values: PanelState['values']) => T): T {
  return useStore(useChat().panel.store, select);
}

/**
 * Announces events of the chat and detects answers of other clients. Call once for a panel, shown or not. Returns a function
 * that stops it.
 */
export function watchChat(host: Pick<ChatHost, 'state' | 'onDidChange'>, panel: PanelState): () => void {
  let before = host.state.model;
  return host.onDidChange(() => {
    const { model } = host.state;
    if (model === before) return;
    const last = before;
    before = model;
    if (last.session?.id !== model.session?.id) return panel.clearAnnouncement();
    // The last announcement is about the previous turn.
    if (last.turn.state === 'idle' && model.turn.state !== 'idle') panel.clearAnnouncement();
    reportRequests(last, model);
    reportTurn(last, model);
  });

  function reportRequests(last: ChatModel, model: ChatModel): void {
    if (last.pending === model.pending) return;
    for (const request of model.pending) {
      if (!last.pending.some(({ requestId }) => requestId === request.requestId))
        panel.announce(askWords(request));
    }
    for (const request of last.pending) {
      if (model.pending.some(({ requestId }) => requestId === request.requestId)) continue;
      panel.clearAnnouncement(askWords(request));
      if (panel.values.answered.has(request.requestId) || request.kind === 'refused') continue;
      // The end of a turn withdraws its requests without an answer.
      const card = model.items.findLast(
        (item) => item.kind === 'tool' && item.toolCallId === request.toolCallId,
      );
      if (card?.kind === 'tool' ? card.decision !== undefined : model.turn.state === 'running') {
        panel.showElsewhere({ requestId: request.requestId, title: requestTitle(request) });
      } else panel.announce('The question was withdrawn.');
    }
  }

  function reportTurn(last: ChatModel, model: ChatModel): void {
    if (last.turn.state === 'idle' || model.turn.state !== 'idle') return;
    const end = model.items.at(-1);
    if (end?.kind === 'error') panel.announce(`The answer failed: ${end.text}`);
    else if (end?.kind === 'notice') panel.announce(end.text);
    else panel.announce('Qwen has answered.');
  }
}
