import type { PageServices } from '../client/pageContext.js';
import type { PageParams } from '../wire/index.js';
import { type OpenEditors, rangeOf } from './openEditors.js';

/** Changes within so many milliseconds are one report: a frame. The companion waits for the end of a burst, this does not. */
const frameMs = 16;

/**
 * Tells the host which document has the focus in this page and what is selected in it. Of several pages the one that a
 * person works in speaks; while a review is in front the last document stays what agents see.
 */
export class FocusReporter {
  readonly #services: PageServices;
  readonly #editors: OpenEditors;
  #path: string | undefined;
  #timer: number | undefined;
  #told: string | undefined;
  #isTelling = false;

  constructor(services: PageServices, editors: OpenEditors) {
    this.#services = services;
    this.#editors = editors;
  }

  /** Listens for as long as the page lives. */
  start(): void {
    this.#editors.onDidChange((path) => {
      if (path === this.#path) this.#report();
    });
    const again = (): void => {
      // Another page may have spoken meanwhile.
      this.#told = undefined;
      this.#report();
    };
    window.addEventListener('focus', again);
    document.addEventListener('visibilitychange', again);
    this.#services.host.onConnection((state) => {
      if (state === 'open') again();
    });
  }

  /** The document that is in front now; none: no document is open. */
  setDocument(path: string | undefined): void {
    this.#path = path;
    this.#report();
  }

  #report(): void {
    this.#timer ??= window.setTimeout(() => {
      this.#timer = undefined;
      void this.#tell();
    }, frameMs);
  }

  /** One request at a time: of two under way the older can come last, and its place would stay. */
  async #tell(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    // What changed meanwhile is told after it.
    while (await this.#tellOnce());
    this.#isTelling = false;
  }

  /** Whether there may be more to tell. Never rejects. */
  async #tellOnce(): Promise<boolean> {
    const { host } = this.#services;
    if (document.visibilityState !== 'visible' || host.connection !== 'open') return false;
    // A page that begins with a review says nothing of the documents that are open behind it.
    if (this.#path === undefined && this.#services.store.getState().documents.length > 0) return false;
    const focus = this.#focus();
    const told = JSON.stringify(focus);
    if (told === this.#told) return false;
    this.#told = told;
    try {
      await host.request('focus', focus);
      return true;
    } catch {
      // The sharing line shows what agents see; the next move of the caret tries again.
      if (this.#told === told) this.#told = undefined;
      return JSON.stringify(this.#focus()) !== told;
    }
  }

  #focus(): PageParams<'focus'> {
    const path = this.#path;
    if (path === undefined) return {};
    const state = this.#editors.get(path)?.state;
    if (state === undefined) return { path };
    const { anchor, head } = state.selection.main;
    return { path, range: rangeOf(state), cursor: head < anchor ? 'start' : 'end' };
  }
}
