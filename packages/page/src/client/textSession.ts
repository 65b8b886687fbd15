import { collab, getSyncedVersion, receiveUpdates, sendableUpdates, type Update } from '@codemirror/collab';
import { historyField } from '@codemirror/commands';
import {
  ChangeSet,
  EditorState,
  type Extension,
  StateEffect,
  type Text,
  type Transaction,
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { Listeners } from '@tandem/chat-panel/primitives';
import { RpcError } from '@tandem/rpc';
import { hostClientId, type PageEvent, type TextUpdate } from '../wire/index.js';
import type { PageHost } from './pageStore.js';

/** Delay before a request is retried that failed although the host is connected. */
const retryMs = 1_000;

/** Marks changes of a text by the host itself, not by a user in another page. */
export const changedByHost = StateEffect.define<null>();

/** What a new editor of a text begins with. */
interface TextStart {
  readonly doc: Text;
  readonly extensions: Extension;
}

/**
 * Synchronises one text of the page with its host, where others may edit it at the same time. It keeps the text also while
 * no editor shows it. The owner disposes it.
 */
export class TextSession {
  /** `review:<id>` or `document:<path>`. */
  readonly id: string;
  readonly #host: PageHost;
  readonly #clientId = crypto.randomUUID();
  readonly #changes = new Listeners<void>();
  readonly #stopListening: (() => void)[] = [];
  #view: EditorView | undefined;
  /** The text while no view shows it. */
  #state: EditorState;
  /** The text at the last version received from the host. */
  #syncedDoc: Text;
  #syncing: Promise<void> | undefined;
  #detached: RpcError | undefined;
  /** Why the last exchange with the host failed. */
  #failure: RpcError | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  private constructor(
    host: PageHost,
    id: string,
    start: { readonly version: number; readonly content: string },
  ) {
    this.#host = host;
    this.id = id;
    this.#state = EditorState.create({
      doc: toText(start.content),
      extensions: [collab({ startVersion: start.version, clientID: this.#clientId })],
    });
    this.#syncedDoc = this.#state.doc;
    this.#stopListening.push(
      host.onEvent((event) => this.#onEvent(event)),
      host.onConnection((state) => {
        // A new connection knows nothing of what this page has open.
        if (state === 'open') this.#sync({ isBehind: true });
      }),
    );
  }

  /** Requests the text from the host. Rejects with `RpcError`. */
  static async open(host: PageHost, id: string): Promise<TextSession> {
    // Updates may come before the answer does, and belong to it.
    const early: PageEvent[] = [];
    const stop = host.onEvent((event) => void early.push(event));
    try {
      const session = new TextSession(host, id, await host.request('text.open', { text: id }));
      for (const event of early) session.#onEvent(event);
      return session;
    } finally {
      stop();
    }
  }

  /** The text in this page, including what the host does not have yet. */
  get doc(): Text {
    return this.#current.doc;
  }

  /** Lines joined by `\n`. */
  get content(): string {
    return this.doc.toString();
  }

  /** Whether the host has everything that was typed here. */
  get isSynced(): boolean {
    return sendableUpdates(this.#current).length === 0;
  }

  /** Replaces the text, as typing would. */
  replace(content: string): void {
    const { doc } = this.#current;
    const before = doc.toString();
    let from = 0;
    while (from < before.length && from < content.length && before[from] === content[from]) from += 1;
    let tail = 0;
    const longest = Math.min(before.length, content.length) - from;
    while (tail < longest && before.at(-1 - tail) === content.at(-1 - tail)) tail += 1;
    if (from === before.length && tail === 0 && content.length === before.length) return;
    const changes = { from, to: before.length - tail, insert: content.slice(from, content.length - tail) };
    this.#apply(this.#current.update({ changes, userEvent: 'input.replace' }));
    this.#sync();
  }

  /** Why the host receives no more of this text. It can still be edited and copied here. */
  get detached(): RpcError | undefined {
    return this.#detached;
  }

  /** Reports that the text changed or was detached. Returns a function that unsubscribes. */
  onDidChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /**
   * What an editor begins with that is bound to this text at once. The undo history of the editor before it comes
   * along when the host has everything that was typed there.
   */
  start(): TextStart {
    const state = this.#current;
    const unsent = sendableUpdates(state);
    const history = unsent.length === 0 ? state.field(historyField, false) : undefined;
    const extensions = [
      collab({ startVersion: getSyncedVersion(state), clientID: this.#clientId }),
      history === undefined ? [] : historyField.init(() => history),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged || this.#view !== update.view) return;
        this.#changes.notify();
        this.#sync();
      }),
    ];
    // What the host does not have yet is put in by `bind`, so that it is sent.
    return { doc: this.#syncedDoc, extensions };
  }

  /** Binds an editor that was created from `start()`, instead of the last one. */
  bind(view: EditorView): void {
    const unsent = sendableUpdates(this.#current);
    this.#view = view;
    for (const { changes, effects } of unsent) {
      view.dispatch({ changes, ...(effects !== undefined && { effects }) });
    }
    this.#sync();
  }

  /** Releases the editor and keeps its text. */
  unbind(view: EditorView): void {
    if (this.#view !== view) return;
    this.#state = view.state;
    this.#view = undefined;
  }

  /**
   * Resolves to the host's version once it has everything that was typed here. Rejects with `RpcError` when it
   * cannot be reached or takes nothing more.
   */
  async settle(): Promise<number> {
    while (!this.isSynced) {
      if (this.#detached !== undefined) throw this.#detached;
      if (this.#host.connection !== 'open')
        throw new RpcError('unreachable', 'The companion cannot be reached.');
      this.#failure = undefined;
      this.#sync();
      await this.#syncing;
      if (this.#failure !== undefined) throw this.#failure;
    }
    return getSyncedVersion(this.#current);
  }

  /** The host has closed this text, or was restarted without it. */
  detach(reason: RpcError): void {
    if (this.#detached !== undefined) return;
    this.#detached = reason;
    this.#changes.notify();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#retry);
    for (const stop of this.#stopListening.splice(0)) stop();
  }

  get #current(): EditorState {
    return this.#view?.state ?? this.#state;
  }

  #onEvent(event: PageEvent): void {
    if (event.event !== 'text' || event.text !== this.id || this.#detached !== undefined) return;
    const isBehind = event.version > getSyncedVersion(this.#current);
    if (isBehind) this.#sync({ isBehind });
    else this.#receive(event.version, event.updates);
  }

  #receive(version: number, updates: readonly TextUpdate[]): void {
    const fresh = updates.slice(getSyncedVersion(this.#current) - version).map(toUpdate);
    if (fresh.length === 0) return;
    for (const { changes } of fresh) this.#syncedDoc = changes.apply(this.#syncedDoc);
    this.#apply(receiveUpdates(this.#current, fresh));
  }

  #apply(transaction: Transaction): void {
    if (this.#view === undefined) {
      this.#state = transaction.state;
      this.#changes.notify();
    } else {
      this.#view.dispatch(transaction);
    }
  }

  /** Sends what is not sent, one push at a time, and takes what is new. */
  #sync(how: { readonly isBehind?: boolean } = {}): void {
    if (this.#syncing !== undefined || this.#isDisposed || this.#detached !== undefined) return;
    if (this.#host.connection !== 'open') return;
    if (this.isSynced && !how.isBehind) return;
    this.#syncing = this.#exchange(how.isBehind ?? false)
      .catch((error: unknown) => this.#onFailure(error))
      .finally(() => {
        this.#syncing = undefined;
      });
  }

  async #exchange(isBehind: boolean): Promise<void> {
    if (isBehind) await this.#pull();
    while (!this.isSynced && !this.#isDisposed && this.#detached === undefined) {
      const version = getSyncedVersion(this.#current);
      const updates = sendableUpdates(this.#current).map(({ changes }) => ({
        clientId: this.#clientId,
        changes: changes.toJSON(),
      }));
      const { isApplied } = await this.#host.request('text.push', { text: this.id, version, updates });
      // The event has the same content; the first of the two is applied.
      if (isApplied) this.#receive(version, updates);
      else await this.#pull();
    }
  }

  async #pull(): Promise<void> {
    const version = getSyncedVersion(this.#current);
    const { updates } = await this.#host.request('text.pull', { text: this.id, version });
    this.#receive(version, updates);
  }

  #onFailure(error: unknown): void {
    if (!(error instanceof RpcError)) {
      this.detach(
        new RpcError('internal', 'This text could not be synchronised with the companion.', {
          cause: error,
        }),
      );
      return;
    }
    this.#failure = error;
    if (error.code === 'unreachable' || error.code === 'unauthorized') {
      // Connected again, it goes on where it was; where the connection never broke, after a while.
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#sync({ isBehind: true }), retryMs);
    } else {
      this.detach(error);
    }
  }
}

function toUpdate({ clientId, changes }: TextUpdate): Update {
  const update = { clientID: clientId, changes: ChangeSet.fromJSON(changes) };
  return clientId === hostClientId ? { ...update, effects: [changedByHost.of(null)] } : update;
}

function toText(content: string): Text {
  return EditorState.create({ doc: content }).doc;
}
