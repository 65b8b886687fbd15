import type { PageServices } from '../client/pageContext.js';
import type { PageParams } from '../wire/index.js';
import { type OpenEditors, rangeOf } from './openEditors.js';

/** Changes within this time, about one frame, are one report. The companion debounces bursts. */
const frameMs = 16;

/**
 * Reports to the host which document has the focus in this page, and its selection. Of several pages, the one with the
 * focus reports. While a review is active, agents still see the last document.
 */
export class FocusReporter {
  readonly #services: PageServices;
  readonly #editors: OpenEditors;
  #path: string | undefined;
  #timer: number | undefined;
  #reported: string | undefined;
  #isReporting = false;

  constructor(services: PageServices, editors: OpenEditors) {
    this.#services = services;
    this.#editors = editors;
  }

  /** Starts to listen. It never stops. */
  start(): void {
    this.#editors.onDidChange((path) => {
      if (path === this.#path) this.#schedule();
    });
    const again = (): void => {
      // Another page may have spoken meanwhile.
      this.#reported = undefined;
      this.#schedule();
    };
    window.addEventListener('focus', again);
    document.addEventListener('visibilitychange', again);
    this.#services.host.onConnection((state) => {
      if (state === 'open') again();
    });
  }

  /** Sets the active document; `undefined` if no document is open. */
  setDocument(path: string | undefined): void {
    this.#path = path;
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= window.setTimeout(() => {
      this.#timer = undefined;
      void this.#report();
    }, frameMs);
  }

  /** One request at a time: otherwise the older of two could arrive last. */
  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    // Later changes are reported after it.
    while (await this.#reportOnce());
    this.#isReporting = false;
  }

  /** Whether there may be more to report. Never rejects. */
  async #reportOnce(): Promise<boolean> {
    const { host } = this.#services;
    if (document.visibilityState !== 'visible' || host.connection !== 'open') return false;
    // A page that begins with a review says nothing of the documents that are open behind it.
    if (this.#path === undefined && this.#services.store.getState().documents.length > 0) return false;
    const focus = this.#focus();
    const report = JSON.stringify(focus);
    if (report === this.#reported) return false;
    this.#reported = report;
    try {
      await host.request('focus', focus);
      return true;
    } catch {
      // The sharing line shows what agents see; the next move of the caret tries again.
      if (this.#reported === report) this.#reported = undefined;
      return JSON.stringify(this.#focus()) !== report;
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
