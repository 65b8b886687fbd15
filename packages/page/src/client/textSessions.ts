import type { Text } from '@codemirror/state';
import { Listeners } from '@tandem/chat-panel/primitives';
import { messageOf } from '@tandem/core';
import { type ReviewSummary, RpcError } from '@tandem/rpc';
import type { KeptText, PageHost, PageStore, RestartReport } from './pageStore.js';
import { TextSession } from './textSession.js';

const documentPrefix = 'document:';
const reviewPrefix = 'review:';

/** Names the text of an open document. */
export function documentTextId(path: string): string {
  return documentPrefix + path;
}

/** Names the text of a review. */
export function reviewTextId(id: string): string {
  return reviewPrefix + id;
}

/**
 * The texts that this page has open, each once, whatever shows them. A text stays open when its editor is closed: what
 * was typed into it is not lost by looking elsewhere. When the companion is restarted, unsaved documents are given to
 * the new one, and edited reviews are kept in the store.
 */
export class TextSessions {
  readonly #host: PageHost;
  readonly #store: PageStore;
  readonly #sessions = new Map<string, Promise<TextSession>>();
  readonly #opened = new Map<string, TextSession>();
  /** What each document was when it was last saved or loaded: its unsaved changes were made from that. */
  readonly #savedDocs = new Map<string, Text>();
  readonly #replaced = new Listeners<string>();
  #instance: string | undefined;
  #onReviews = (): void => {};

  constructor(host: PageHost, store: PageStore) {
    this.#host = host;
    this.#store = store;
    host.onEvent((event) => {
      if (event.event === 'hello') this.#onHello(event.instance);
      if (event.event === 'reviews') this.#onReviews();
      if (event.event !== 'documents') return;
      this.#rememberSaved();
      this.#holdUnsaved();
    });
  }

  /** The session of a text, opened when it is not. Rejects with `RpcError`. */
  open(id: string): Promise<TextSession> {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const opening = TextSession.open(this.#host, id);
    this.#sessions.set(id, opening);
    opening.then(
      (session) => {
        if (this.#sessions.get(id) !== opening) return session.dispose();
        this.#opened.set(id, session);
        this.#rememberSaved();
      },
      () => {
        if (this.#sessions.get(id) === opening) this.#sessions.delete(id);
      },
    );
    return opening;
  }

  /** The session of a text that is open. */
  get(id: string): TextSession | undefined {
    return this.#opened.get(id);
  }

  /** Drops a text, including unsent edits. */
  forget(id: string): void {
    this.#opened.get(id)?.dispose();
    this.#opened.delete(id);
    this.#sessions.delete(id);
    this.#savedDocs.delete(id);
  }

  /** Reports that a text has a new session: a view that shows it must reopen it. Returns a function that unsubscribes. */
  onDidReplace(listener: (id: string) => void): () => void {
    return this.#replaced.add(listener);
  }

  /** Texts with something typed that the host does not have. */
  get unsynced(): readonly TextSession[] {
    return [...this.#opened.values()].filter((session) => !session.isSynced);
  }

  #rememberSaved(): void {
    for (const { path, isDirty } of this.#store.getState().documents) {
      const session = this.#opened.get(documentTextId(path));
      if (!isDirty && session?.isSynced) this.#savedDocs.set(session.id, session.doc);
    }
  }

  /** Unsaved text that another page typed is held here too, so that it outlives the companion. */
  #holdUnsaved(): void {
    for (const { path, kind, isDirty } of this.#store.getState().documents) {
      if (!isDirty || kind !== 'text') continue;
      // Its view opens it again, and shows the failure.
      this.open(documentTextId(path)).catch(() => {});
    }
  }

  #onHello(instance: string): void {
    const before = this.#instance;
    this.#instance = instance;
    if (before === undefined || before === instance) return;
    // Versions of the last companion, and without a journal its review ids, are not valid for this one.
    const { reviews, documents } = this.#store.getState();
    const waiting = reviews.filter(isPending);
    const edited = waiting.flatMap((review) => {
      const session = this.#opened.get(reviewTextId(review.id));
      const isEdited = review.isEdited || session?.isSynced === false;
      return session === undefined || !isEdited ? [] : [{ review, content: session.content }];
    });
    const isListed = this.#nextReviews();
    const sessions = new Map(this.#opened);
    const reason = new RpcError('not-found', 'The companion was restarted.');
    for (const [id, session] of sessions) {
      session.detach(reason);
      if (id.startsWith(reviewPrefix)) this.forget(id);
    }
    // Requests go to the new companion only after all listeners have received its first event.
    queueMicrotask(async () => {
      for (const { review, content } of edited) {
        const { id, agentName, path, label } = review;
        if (await this.#handOver(review, content)) continue;
        this.#keep({ key: `${before}/${id}`, agentName, path, label, content });
      }
      await isListed;
      const again = waiting.filter((review) => this.#waitsAgain(review)).length;
      const report = {
        reviews: waiting.length - again,
        waiting: again,
        pendingIds: this.#store
          .getState()
          .reviews.filter(isPending)
          .map(({ id }) => id),
        restored: [] as string[],
        failed: [] as RestartReport['failed'][number][],
      };
      for (const { path, label, isDirty } of documents) {
        const session = sessions.get(documentTextId(path));
        try {
          const isUnsaved = session !== undefined && (isDirty || !session.isSynced);
          await this.#reopen(path, isUnsaved ? session : undefined);
          if (isUnsaved) report.restored.push(label);
        } catch (error) {
          const message = messageOf(error);
          report.failed.push({ label, message });
          if (session === undefined) continue;
          this.#keep({ key: `${before}/${path}`, agentName: '', path, label, content: session.content });
        }
      }
      this.#store.setState({ restart: report });
    });
  }

  /** Opens a document at the new companion, with the unsaved text of the session before it, if it had any. */
  async #reopen(path: string, unsaved: TextSession | undefined): Promise<void> {
    const id = documentTextId(path);
    const sent = unsaved?.content;
    if (sent === undefined) {
      await this.#host.request('document.open', { path });
    } else {
      const base = this.#savedDocs.get(id)?.toString();
      await this.#host.request('document.restore', {
        path,
        content: sent,
        ...(base !== undefined && { base }),
      });
    }
    const old = this.#opened.get(id);
    if (old === undefined) return;
    const savedDoc = this.#savedDocs.get(id);
    this.#sessions.delete(id);
    this.#opened.delete(id);
    const fresh = await this.open(id);
    // What was typed meanwhile.
    const typed = old.content;
    if (sent !== undefined && typed !== sent) fresh.replace(typed);
    if (savedDoc !== undefined && sent !== undefined) this.#savedDocs.set(id, savedDoc);
    old.dispose();
    this.#replaced.notify(id);
  }

  #keep(kept: KeptText): void {
    this.#store.setState(({ keptHere }) => ({ keptHere: [...keptHere, kept] }));
  }

  /** Gives the new companion what was typed last. False when it knows nothing of the review, or cannot be asked. */
  async #handOver({ agent, path, openedAt }: ReviewSummary, content: string): Promise<boolean> {
    try {
      const asked = { agent, path, openedAt, content };
      return (await this.#host.request('interrupted.keep', asked)).isKept;
    } catch {
      return false;
    }
  }

  /** Resolves with the next list of reviews. */
  #nextReviews(): Promise<void> {
    return new Promise((resolve) => {
      this.#onReviews = resolve;
    });
  }

  #waitsAgain({ agent, path }: ReviewSummary): boolean {
    const { reviews } = this.#store.getState();
    return reviews.some((each) => each.state === 'pending' && each.agent === agent && each.path === path);
  }
}

function isPending({ state }: ReviewSummary): boolean {
  return state === 'pending';
}
