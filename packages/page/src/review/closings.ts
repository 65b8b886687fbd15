import { visibleName } from '@tandem/core';
import { hasCode } from '@tandem/rpc';
import type { NoticeBoard } from '../app/notices.js';
import type { PageServices } from '../client/pageContext.js';

/** Reviews whose closed tabs reject them in a moment, unless the user undoes that. A page that is left before rejects none. */
export class Closings {
  readonly #services: Pick<PageServices, 'host' | 'store'>;
  readonly #notices: NoticeBoard;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(services: Pick<PageServices, 'host' | 'store'>, notices: NoticeBoard) {
    this.#services = services;
    this.#notices = notices;
  }

  has(id: string): boolean {
    return this.#timers.has(id);
  }

  /** Shows `note` with a button that calls `reopen`, and closes the review after this time. */
  begin(id: string, { note, ms, reopen }: { note: string; ms: number; reopen: () => void }): void {
    this.cancel(id);
    this.#timers.set(
      id,
      setTimeout(() => void this.#end(id), ms),
    );
    this.#list();
    this.#notices.show({
      key: keyOf(id),
      kind: 'info',
      text: note,
      action: { label: 'Undo', run: reopen },
    });
  }

  /** It stays pending. */
  cancel(id: string): void {
    if (!this.has(id)) return;
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#list();
    this.#notices.dismiss(keyOf(id));
  }

  async #end(id: string): Promise<void> {
    this.cancel(id);
    const { host, store } = this.#services;
    const label = visibleName(store.getState().reviews.find((each) => each.id === id)?.label ?? '');
    try {
      await host.request('review.close', { id });
    } catch (error) {
      if (!hasCode(error, 'already-decided'))
        this.#notices.failure(`The review of ${label} is still pending`, error);
    }
  }

  #list(): void {
    this.#services.store.setState({ closing: [...this.#timers.keys()] });
  }
}

function keyOf(id: string): string {
  return `closing ${id}`;
}
