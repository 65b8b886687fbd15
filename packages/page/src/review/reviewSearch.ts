import { getChunks, getOriginalDoc, mergeViewSiblings } from '@codemirror/merge';
import {
  closeSearchPanel,
  getSearchQuery,
  openSearchPanel,
  replaceAll,
  replaceNext,
  SearchQuery,
  search,
  setSearchQuery,
} from '@codemirror/search';
import {
  type EditorState,
  type Extension,
  Prec,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  type Panel,
  runScopeHandlers,
  type ViewUpdate,
} from '@codemirror/view';
import { expandAt } from './mergeExtensions.js';

/** One match, in the text or in the lines of the file that the change removes. */
interface SearchMatch {
  readonly isRemoved: boolean;
  readonly from: number;
  readonly to: number;
  /** Where it is, or would be, in the text. */
  readonly at: number;
}

/** More are not counted. */
const mostMatches = 1_000;

/** All matches in the order in which a review shows them. Lines that are on both sides count once. */
export function findMatches(state: EditorState, file: Text | undefined, query: SearchQuery): SearchMatch[] {
  if (!query.valid || query.search === '') return [];
  const found: SearchMatch[] = [];
  const collect = (text: EditorState | Text, from: number, to: number, at?: number): void => {
    const cursor = query.getCursor(text, from, to);
    for (let next = cursor.next(); !next.done && found.length < mostMatches; next = cursor.next()) {
      const { value } = next;
      found.push({ isRemoved: at !== undefined, from: value.from, to: value.to, at: at ?? value.from });
    }
  };
  for (const { fromA, toA, endA, fromB } of (file && getChunks(state)?.chunks) ?? []) {
    if (file !== undefined && fromA < toA) collect(file, fromA, endA, fromB);
  }
  collect(state, 0, state.doc.length);
  return found.sort((one, other) => one.at - other.at || Number(other.isRemoved) - Number(one.isRemoved));
}

/** Searches both sides of a review. For the side with the text; the other one has `searchedFile`. */
export function reviewSearch(): Extension {
  const step =
    (direction: 1 | -1) =>
    (view: EditorView): boolean => {
      const panel = panels.get(view);
      if (panel === undefined) return openSearchPanel(view);
      panel.step(direction);
      return true;
    };
  return [
    search({ top: true, createPanel: (view) => new SearchPanel(view) }),
    Prec.high(
      keymap.of([
        {
          key: 'F3',
          mac: 'Mod-g',
          run: step(1),
          shift: step(-1),
          scope: 'editor search-panel',
          preventDefault: true,
        },
        { key: 'Mod-g', run: step(1), shift: step(-1), scope: 'editor search-panel', preventDefault: true },
      ]),
    ),
  ];
}

const panels = new WeakMap<EditorView, SearchPanel>();

const setFileMatches = StateEffect.define<DecorationSet>();

/** Shows the matches on the file's side, and leads the keys of the search to the text's side. */
export function searchedFile(textView: () => EditorView): Extension {
  const open = (): boolean => openSearchPanel(textView());
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update: (value, { effects }) => effects.findLast((effect) => effect.is(setFileMatches))?.value ?? value,
    provide: (matches) => EditorView.decorations.from(matches),
  });
  return [
    field,
    Prec.high(
      keymap.of([
        { key: 'Mod-f', run: open },
        { key: 'F3', run: () => runFrom(textView(), 1), shift: () => runFrom(textView(), -1) },
        { key: 'Mod-g', run: () => runFrom(textView(), 1), shift: () => runFrom(textView(), -1) },
      ]),
    ),
  ];
}

function runFrom(view: EditorView, direction: 1 | -1): boolean {
  const panel = panels.get(view);
  panel?.step(direction);
  return panel !== undefined || openSearchPanel(view);
}

const match = Decoration.mark({ class: 'cm-searchMatch' });
const selectedMatch = Decoration.mark({ class: 'cm-searchMatch cm-searchMatch-selected' });

class SearchPanel implements Panel {
  readonly dom = document.createElement('div');
  readonly top = true;
  readonly #view: EditorView;
  readonly #field = textField('Find', 'search');
  readonly #replacement = textField('Replace', 'replace');
  readonly #switches: Readonly<Record<'caseSensitive' | 'regexp' | 'wholeWord', HTMLInputElement>>;
  readonly #count = document.createElement('span');
  #matches: readonly SearchMatch[] = [];
  /** The match in removed lines that was chosen last. */
  #removed: SearchMatch | undefined;

  constructor(view: EditorView) {
    this.#view = view;
    panels.set(view, this);
    this.#switches = { caseSensitive: checkBox(), regexp: checkBox(), wholeWord: checkBox() };
    this.#count.setAttribute('role', 'status');
    this.#count.className = 'cm-searchCount';
    this.#field.setAttribute('main-field', 'true');
    this.dom.className = 'cm-search';
    this.dom.append(
      this.#field,
      button('Previous', () => this.step(-1)),
      button('Next', () => this.step(1)),
      this.#count,
      labelled(this.#switches.caseSensitive, 'Match case'),
      labelled(this.#switches.regexp, 'Regular expression'),
      labelled(this.#switches.wholeWord, 'Whole words'),
    );
    if (!view.state.readOnly) {
      this.dom.append(
        this.#replacement,
        button('Replace', () => replaceNext(view)),
        button('Replace all', () => replaceAll(view)),
      );
    }
    const close = button('×', () => this.#close());
    close.name = 'close';
    close.setAttribute('aria-label', 'Close search');
    this.dom.append(close);
    this.dom.addEventListener('keydown', (event) => this.#onKey(event));
    this.dom.addEventListener('input', () => this.#commit());
    this.#show(getSearchQuery(view.state));
  }

  mount(): void {
    this.#field.select();
  }

  update({ transactions, docChanged, selectionSet, startState, state }: ViewUpdate): void {
    const query = transactions
      .flatMap(({ effects }) => effects)
      .findLast((effect) => effect.is(setSearchQuery))?.value;
    const isOther = getChunks(startState)?.chunks !== getChunks(state)?.chunks;
    if (query !== undefined) this.#show(query);
    else if (docChanged || isOther) this.#search();
    else if (selectionSet) {
      if (this.#removed !== undefined) this.#removed = undefined;
      this.#report();
    }
  }

  destroy(): void {
    panels.delete(this.#view);
    this.#matches = [];
    this.#mark();
  }

  /** Goes to the next or previous match on either side, around the ends. */
  step(direction: 1 | -1): void {
    const { state } = this.#view;
    const { from } = state.selection.main;
    const total = this.#matches.length;
    let index = this.#index();
    if (total === 0) return;
    if (index >= 0) index = (index + direction + total) % total;
    else if (direction > 0)
      index = Math.max(
        this.#matches.findIndex(({ at }) => at >= from),
        0,
      );
    else {
      const before = this.#matches.findLastIndex(({ at }) => at < from);
      index = before < 0 ? total - 1 : before;
    }
    const chosen = this.#matches[index];
    if (chosen !== undefined) this.#go(chosen);
  }

  #go(chosen: SearchMatch): void {
    const view = this.#view;
    const { from, to, at, isRemoved } = chosen;
    const file = mergeViewSiblings(view)?.a;
    if (!isRemoved) {
      this.#removed = undefined;
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
        userEvent: 'select.search',
      });
      expandAt(view, from);
    } else {
      const anchor = Math.min(at, view.state.doc.length);
      const effects = file === undefined ? EditorView.scrollIntoView(anchor, { y: 'center' }) : [];
      view.dispatch({ selection: { anchor }, effects });
      file?.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'center' }) });
      this.#removed = chosen;
    }
    this.#report();
  }

  #index(): number {
    const { from, to } = this.#view.state.selection.main;
    return this.#matches.findIndex((each) =>
      each.isRemoved
        ? each === this.#removed
        : this.#removed === undefined && each.from === from && each.to === to,
    );
  }

  #commit(): void {
    const { caseSensitive, regexp, wholeWord } = this.#switches;
    const query = new SearchQuery({
      search: this.#field.value,
      replace: this.#replacement.value,
      caseSensitive: caseSensitive.checked,
      regexp: regexp.checked,
      wholeWord: wholeWord.checked,
    });
    if (!query.eq(getSearchQuery(this.#view.state)))
      this.#view.dispatch({ effects: setSearchQuery.of(query) });
  }

  #show(query: SearchQuery): void {
    // Setting an equal value would move the cursor.
    if (this.#field.value !== query.search) this.#field.value = query.search;
    if (this.#replacement.value !== query.replace) this.#replacement.value = query.replace;
    for (const name of ['caseSensitive', 'regexp', 'wholeWord'] as const)
      this.#switches[name].checked = query[name];
    this.#search();
  }

  #search(): void {
    const { state } = this.#view;
    const pair = mergeViewSiblings(this.#view);
    const file = pair?.a.state.doc ?? (getChunks(state) === null ? undefined : getOriginalDoc(state));
    this.#matches = findMatches(state, file, getSearchQuery(state));
    this.#removed = undefined;
    this.#report();
  }

  #report(): void {
    const total = this.#matches.length;
    const all = total < mostMatches ? String(total) : `${mostMatches} or more`;
    const index = this.#index();
    const { search: words } = getSearchQuery(this.#view.state);
    const found =
      total === 0
        ? 'No results'
        : index < 0
          ? `${all} ${total === 1 ? 'result' : 'results'}`
          : `${index + 1} of ${all}`;
    const text = words === '' ? '' : this.#removed === undefined ? found : `${found}, in removed lines`;
    if (this.#count.textContent !== text) this.#count.textContent = text;
    this.#mark();
  }

  /** Marks the matches on the file's side. The other view gets them after this update. */
  #mark(): void {
    const file = mergeViewSiblings(this.#view)?.a;
    const removed = this.#matches.filter(({ isRemoved }) => isRemoved);
    const marks = Decoration.set(
      removed.map((each) => (each === this.#removed ? selectedMatch : match).range(each.from, each.to)),
      true,
    );
    queueMicrotask(() => {
      if (file?.dom.isConnected) file.dispatch({ effects: setFileMatches.of(marks) });
    });
  }

  #close(): void {
    closeSearchPanel(this.#view);
    this.#view.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (runScopeHandlers(this.#view, event, 'search-panel')) event.preventDefault();
    else if (event.key === 'Escape') this.#close();
    else if (event.key === 'Enter' && event.target === this.#field) this.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Enter' && event.target === this.#replacement) replaceNext(this.#view);
    else return;
    event.preventDefault();
  }
}

function textField(label: string, name: string): HTMLInputElement {
  const field = document.createElement('input');
  field.className = 'cm-textfield';
  field.name = name;
  field.placeholder = label;
  field.setAttribute('aria-label', label);
  return field;
}

function checkBox(): HTMLInputElement {
  const box = document.createElement('input');
  box.type = 'checkbox';
  return box;
}

function labelled(box: HTMLInputElement, text: string): HTMLElement {
  const label = document.createElement('label');
  label.append(box, text);
  return label;
}

function button(text: string, onClick: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'cm-button';
  element.textContent = text;
  element.addEventListener('click', onClick);
  return element;
}
