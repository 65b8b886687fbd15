import type { FoundCompanion, StreamedEvent } from '@tandem/companion/control';
import { messageOf } from '@tandem/core';
import { type Question, RpcError } from '@tandem/rpc';
import { asCommandError } from '../connectCompanion.js';
import type { Effect, ScreenEvent, UndoStep } from './state.js';

/** After a companion has ended, the next one is looked for this often, in milliseconds. */
const retryMs = 300;

/** What the view needs of the companion: its calls and its events. */
export class CompanionLink {
  #companion: FoundCompanion;
  readonly #find: () => Promise<FoundCompanion | undefined>;
  readonly #report: (event: ScreenEvent) => void;
  readonly #stopped = new AbortController();
  #selected: string | undefined;
  #isListing = false;
  #isListDue = false;

  /** `find`: the companion that serves this folder now. */
  constructor(of: {
    readonly companion: FoundCompanion;
    readonly find: () => Promise<FoundCompanion | undefined>;
    readonly report: (event: ScreenEvent) => void;
  }) {
    this.#companion = of.companion;
    this.#find = of.find;
    this.#report = of.report;
  }

  get companion(): FoundCompanion {
    return this.#companion;
  }

  /** Follows the companion and those that come after it. Resolves after `stop`. */
  async follow(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        await this.#companion.client.followEvents((event) => this.#onEvent(event), {
          signal,
          onOpen: () => {
            this.#report({ kind: 'connection', connection: 'live' });
            void this.list();
            if (this.#selected !== undefined) void this.load(this.#selected);
          },
        });
      } catch {
        // It cannot be reached: perhaps the next one can.
      }
      if (signal.aborted) return;
      this.#report({ kind: 'connection', connection: 'lost' });
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      this.#companion = (await this.#find()) ?? this.#companion;
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  #onEvent(event: StreamedEvent): void {
    if (event.event === 'review.changed' && event.id === this.#selected) void this.load(event.id);
    void this.list();
  }

  /** Reads the lists. Calls while it reads are answered by one more. */
  async list(): Promise<void> {
    this.#isListDue = true;
    if (this.#isListing) return;
    this.#isListing = true;
    while (this.#isListDue) {
      this.#isListDue = false;
      try {
        const { client } = this.#companion;
        const [reviews, sessions] = await Promise.all([
          client.call('review.list', {}),
          client.call('session.list', {}),
        ]);
        this.#report({ kind: 'lists', reviews, sessions });
      } catch (error) {
        if (error instanceof RpcError) this.#report({ kind: 'failed', message: this.#textOf(error) });
      }
    }
    this.#isListing = false;
  }

  /** Reads a review with its texts, and follows it from then on. */
  async load(id: string): Promise<void> {
    this.#selected = id;
    try {
      const details = await this.#companion.client.call('review.show', { id });
      this.#report({ kind: 'shown', details });
    } catch (error) {
      // A review that has just ended leaves the list.
      if (error instanceof RpcError && error.code !== 'not-found')
        this.#report({ kind: 'failed', message: this.#textOf(error) });
    }
  }

  /** Does what the user wants of the companion, and reports the result. */
  async perform(effect: Effect): Promise<void> {
    try {
      const done = await this.#call(effect);
      this.#report({ kind: 'done', effect, ...done });
    } catch (error) {
      const question: Question | undefined = error instanceof RpcError ? error.question : undefined;
      if (question !== undefined) return this.#report({ kind: 'asked', effect, question });
      this.#report({ kind: 'failed', effect, message: this.#textOf(error) });
    }
    await Promise.all([this.list(), this.#selected === undefined ? undefined : this.load(this.#selected)]);
  }

  #textOf(error: unknown): string {
    if (!(error instanceof RpcError)) return `The companion does not answer: ${messageOf(error)}`;
    return asCommandError(error, this.#companion).message;
  }

  async #call(effect: Effect): Promise<{ note?: string | undefined; undo?: UndoStep; copied?: string }> {
    const { client } = this.#companion;
    switch (effect.kind) {
      case 'act':
        return this.#act(effect);
      case 'hunk': {
        const { id, hunk, isKept } = effect;
        await client.call('review.hunk', { id, hunk, isKept });
        return { undo: { kind: 'hunk', id, hunk, isKept: !isKept } };
      }
      case 'decide': {
        const { session, decision, answer } = effect;
        const { note, decided } = await client.call('session.decide', { session, decision, answer });
        const ids = decided.map(({ id }) => id);
        const isUndoable = decision === 'accept' && ids.length > 0;
        return { note, ...(isUndoable && { undo: { kind: 'restore', ids } }) };
      }
      case 'comment': {
        const { id, text, side, lines } = effect;
        const { id: comment } = await client.call('review.comment', { id, text, side, lines });
        return { undo: { kind: 'removeComment', id, comment } };
      }
      case 'removeComment':
        await client.call('review.removeComment', { id: effect.id, comment: effect.comment });
        return {};
      case 'feedback': {
        const { note, delivery, text } = await client.call('review.feedback', { id: effect.id });
        return { note, ...(delivery === 'clipboard' && { copied: text }) };
      }
      case 'restore': {
        const restored = await client.call('changes.restore', { ids: [...effect.ids] });
        return { note: restored.map(({ path, note }) => `${path} ${note}`).join(' ') };
      }
      case 'setText':
        await client.call('review.edit', { id: effect.id, content: effect.content });
        return {};
      default:
        return {};
    }
  }

  async #act(
    effect: Extract<Effect, { kind: 'act' }>,
  ): Promise<{ note?: string | undefined; undo?: UndoStep }> {
    const { client } = this.#companion;
    const { id, action, version, answer } = effect;
    if (action === 'accept') {
      const { note, state, end, label } = await client.call('review.accept', { id, version, answer });
      const isDone = state === 'accepted';
      return {
        note: note ?? (end && `${label}: ${end.text}`),
        ...(isDone && { undo: { kind: 'restore', ids: [id] } }),
      };
    }
    const { note, restoration } = await client.call('review.run', { id, action, answer });
    return { note, ...(restoration !== undefined && { undo: { kind: 'restore', ids: [restoration] } }) };
  }
}
