import { EditorSelection, type EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { Listeners } from '@tandem/chat-panel/primitives';
import { documentTab } from '../app/tabList.js';
import type { PageServices } from '../client/pageContext.js';
import { type KeptPosition, keepPosition, textPositions } from '../code/textPositions.js';
import type { PageEvent, PageParams } from '../wire/index.js';

export type TextRange = NonNullable<Extract<PageEvent, { event: 'show' }>['range']>;

/** The editors of documents that exist now, by path. An editor is owned by the component that shows it. */
export class OpenEditors {
  readonly #views = new Map<string, EditorView>();
  readonly #positions = new Map<string, KeptPosition>();
  /** Ranges to show as soon as there is an editor. */
  readonly #wanted = new Map<string, TextRange>();
  readonly #changes = new Listeners<string>();

  get(path: string): EditorView | undefined {
    return this.#views.get(path);
  }

  /** Reports a new or removed editor, and changes of its cursor or text. Returns a function that unsubscribes. */
  onDidChange(listener: (path: string) => void): () => void {
    return this.#changes.add(listener);
  }

  notify(path: string): void {
    this.#changes.notify(path);
  }

  /** A new editor replaces the destroyed one. */
  add(path: string, view: EditorView): void {
    this.#views.set(path, view);
    const wanted = this.#wanted.get(path);
    this.#wanted.delete(path);
    if (wanted !== undefined) select(view, wanted);
    const restores = wanted === undefined;
    this.#positions.set(path, keepPosition(documentTab(path).key, view, { restores }));
    this.#changes.notify(path);
  }

  /** The editor is about to be destroyed. */
  remove(path: string, view: EditorView): void {
    if (this.#views.get(path) !== view) return;
    this.#positions.get(path)?.end();
    this.#positions.delete(path);
    this.#views.delete(path);
    this.#changes.notify(path);
  }

  /** Forgets a closed document. */
  forget(path: string): void {
    textPositions.forget(documentTab(path).key);
    this.#wanted.delete(path);
  }

  /** Selects a range and scrolls to it, now or once there is an editor. */
  reveal(path: string, range: TextRange): void {
    const view = this.#views.get(path);
    this.#positions.get(path)?.stop();
    if (view === undefined) this.#wanted.set(path, range);
    else select(view, range);
  }
}

function select(view: EditorView, range: TextRange): void {
  const anchor = offsetAt(view.state, range.start);
  const head = offsetAt(view.state, range.end);
  view.dispatch({
    selection: { anchor, head },
    effects: EditorView.scrollIntoView(EditorSelection.range(anchor, head), { y: 'center' }),
  });
}

/** The text may have become shorter than the range. */
function offsetAt({ doc }: EditorState, { line, character }: TextRange['start']): number {
  if (line >= doc.lines) return doc.length;
  const { from, to } = doc.line(line + 1);
  return Math.min(from + character, to);
}

/** The main selection in lines and characters from 0. */
export function rangeOf({ doc, selection }: EditorState): TextRange {
  const at = (offset: number): TextRange['start'] => {
    const line = doc.lineAt(offset);
    return { line: line.number - 1, character: offset - line.from };
  };
  return { start: at(selection.main.from), end: at(selection.main.to) };
}

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
  /** Undefined until this connection receives a request. */
  #focusRequests: number | undefined;
  #isChanged = false;
  #isReporting = false;

  constructor(services: PageServices, editors: OpenEditors) {
    this.#services = services;
    this.#editors = editors;
  }

  /** Starts to listen. It never stops. */
  start(): void {
    const onChange = (): void => void this.#report();
    this.#editors.onDidChange((path) => {
      if (path === this.#path) onChange();
    });
    // Another page may have reported meanwhile.
    window.addEventListener('focus', onChange);
    document.addEventListener('visibilitychange', onChange);
    this.#services.host.onConnection(() => {
      this.#focusRequests = undefined;
      onChange();
    });
  }

  /** The page received a request to show a file; `count`: how many took the focus so far. */
  receivedRequest(count: number): void {
    this.#focusRequests = count;
  }

  /** Sets the active document; `undefined` if no document is open. */
  setDocument(path: string | undefined): void {
    if (path === this.#path) return;
    this.#path = path;
    void this.#report();
  }

  /** One request at a time, so that no older position arrives last. Never rejects. */
  async #report(): Promise<void> {
    this.#isChanged = true;
    if (this.#isReporting) return;
    this.#isReporting = true;
    await new Promise((resolve) => setTimeout(resolve, frameMs));
    while (this.#isChanged) {
      this.#isChanged = false;
      if (!this.#isDue()) continue;
      // After a failure, the sharing line shows what agents see, and the next change is reported.
      await this.#services.host
        .request('focus', { ...this.#focus(), focusRequests: this.#focusRequests })
        .catch(() => {});
    }
    this.#isReporting = false;
  }

  #isDue(): boolean {
    const { host, store } = this.#services;
    if (document.visibilityState !== 'visible' || host.connection !== 'open') return false;
    // A page that begins with a review reports nothing of the documents that are open behind it.
    return this.#path !== undefined || store.getState().documents.length === 0;
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
