import { getChunks, getOriginalDoc, mergeViewSiblings } from '@codemirror/merge';
import { getSearchQuery, openSearchPanel, type SearchQuery, searchPanelOpen } from '@codemirror/search';
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
  type KeyBinding,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { expandAt } from './hiddenLines.js';

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

/**
 * Searches both sides of a review with CodeMirror's panel, which then counts, and goes to, the matches of both. For the side
 * with the text; the other one has `searchedFile`. `panelParent`: the element with the panel.
 */
export function reviewSearch(panelParent: HTMLElement): Extension {
  const isInField = (view: EditorView): boolean =>
    view.root.activeElement?.matches('.cm-search [name=search]') === true;
  return [
    bothSides.of(panelParent),
    Prec.high(
      keymap.of([
        ...stepKeys((view) => view, 'editor search-panel'),
        {
          key: 'Enter',
          scope: 'search-panel',
          run: (view) => isInField(view) && step(view, 1),
          shift: (view) => isInField(view) && step(view, -1),
        },
      ]),
    ),
  ];
}

const setFileMatches = StateEffect.define<DecorationSet>();

/** Shows the matches on the file's side, and leads the keys of the search to the text's side. */
export function searchedFile(textView: () => EditorView): Extension {
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update: (value, { effects }) => effects.findLast((effect) => effect.is(setFileMatches))?.value ?? value,
    provide: (matches) => EditorView.decorations.from(matches),
  });
  const open = { key: 'Mod-f', run: () => openSearchPanel(textView()) };
  return [field, Prec.high(keymap.of([open, ...stepKeys(textView, 'editor')]))];
}

function stepKeys(viewOf: (view: EditorView) => EditorView, scope: string): readonly KeyBinding[] {
  return ['F3', 'Mod-g'].map((key) => ({
    key,
    scope,
    preventDefault: true,
    run: (view) => step(viewOf(view), 1),
    shift: (view) => step(viewOf(view), -1),
  }));
}

function step(view: EditorView, direction: 1 | -1): boolean {
  if (!searchPanelOpen(view.state)) return openSearchPanel(view);
  view.plugin(bothSides)?.step(direction);
  return true;
}

const match = Decoration.mark({ class: 'cm-searchMatch' });
const selectedMatch = Decoration.mark({ class: 'cm-searchMatch cm-searchMatch-selected' });

class BothSides {
  readonly #view: EditorView;
  readonly #panelParent: HTMLElement;
  readonly #count = document.createElement('span');
  #matches: readonly SearchMatch[] = [];
  /** The match in removed lines that was chosen last. */
  #removed: SearchMatch | undefined;

  constructor(view: EditorView, panelParent: HTMLElement) {
    this.#view = view;
    this.#panelParent = panelParent;
    this.#count.setAttribute('role', 'status');
    this.#count.className = 'cm-searchCount';
    // Before the panel's own listeners, which search one side.
    panelParent.addEventListener('click', this.#onClick, true);
  }

  update({ docChanged, selectionSet, startState, state }: ViewUpdate): void {
    const isOther =
      docChanged ||
      searchPanelOpen(startState) !== searchPanelOpen(state) ||
      !getSearchQuery(startState).eq(getSearchQuery(state)) ||
      getChunks(startState)?.chunks !== getChunks(state)?.chunks;
    if (isOther) this.#search();
    else if (selectionSet) {
      this.#removed = undefined;
      this.#report();
    }
  }

  destroy(): void {
    this.#panelParent.removeEventListener('click', this.#onClick, true);
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

  readonly #onClick = (event: MouseEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches('.cm-search :is([name=next], [name=prev])'))
      return;
    event.stopPropagation();
    this.step(target.matches('[name=next]') ? 1 : -1);
  };

  #search(): void {
    const { state } = this.#view;
    const pair = mergeViewSiblings(this.#view);
    const file = pair?.a.state.doc ?? (getChunks(state) === null ? undefined : getOriginalDoc(state));
    this.#matches = searchPanelOpen(state) ? findMatches(state, file, getSearchQuery(state)) : [];
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

  /** Marks the matches on the file's side, and places the count in the panel. Both are ready after this update. */
  #mark(): void {
    const file = mergeViewSiblings(this.#view)?.a;
    const removed = this.#matches.filter(({ isRemoved }) => isRemoved);
    const marks = Decoration.set(
      removed.map((each) => (each === this.#removed ? selectedMatch : match).range(each.from, each.to)),
      true,
    );
    queueMicrotask(() => {
      if (!this.#count.isConnected)
        this.#panelParent.querySelector('.cm-search [name=select]')?.after(this.#count);
      if (file?.dom.isConnected) file.dispatch({ effects: setFileMatches.of(marks) });
    });
  }
}

const bothSides = ViewPlugin.fromClass(BothSides);
