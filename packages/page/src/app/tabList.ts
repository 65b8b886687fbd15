import { createStore, type StoreApi } from 'zustand/vanilla';

/** One tab: a document by its path, a review by its identifier, a diff of the chat, or the agents. */
export interface Tab {
  /** `document:<path>`, `review:<id>`, `diff:<path>` or `agents`. */
  readonly key: string;
  readonly kind: 'document' | 'review' | 'diff' | 'agents';
  /** Path of the document or of the diff's file, identifier of the review. */
  readonly id: string;
}

interface TabState {
  readonly tabs: readonly Tab[];
  /** Key of the tab in front. */
  readonly active?: string | undefined;
  /** Keys in the order they were in front, the latest first. */
  readonly recent: readonly string[];
  /** The tab that should get the caret as soon as it can; `serial` tells two wishes for the same tab apart. */
  readonly wish?: { readonly key: string; readonly serial: number } | undefined;
}

export const agentsTab: Tab = { key: 'agents', kind: 'agents', id: '' };

export function documentTab(path: string): Tab {
  return { key: `document:${path}`, kind: 'document', id: path };
}

/** A change that the chat shows: one tab for each file. */
export function diffTab(path: string): Tab {
  return { key: `diff:${path}`, kind: 'diff', id: path };
}

export function reviewTab(id: string): Tab {
  return { key: `review:${id}`, kind: 'review', id };
}

/** The tabs of this page in their order, and which one is in front. It knows nothing of what they show. */
export class TabList {
  readonly state: StoreApi<TabState> = createStore(() => ({ tabs: [], recent: [] }));

  get tabs(): readonly Tab[] {
    return this.state.getState().tabs;
  }

  get active(): Tab | undefined {
    const { tabs, active } = this.state.getState();
    return tabs.find(({ key }) => key === active);
  }

  has(key: string): boolean {
    return this.tabs.some((tab) => tab.key === key);
  }

  /** Adds it at the end, or in the place of another, and leaves in front what is there. */
  add(tab: Tab, options: { readonly replaces?: string } = {}): void {
    if (this.has(tab.key)) return;
    this.state.setState(({ tabs }) => {
      const at = tabs.findIndex(({ key }) => key === options.replaces);
      return { tabs: at < 0 ? [...tabs, tab] : tabs.with(at, tab) };
    });
  }

  /** Brings tabs back in their order, before those that are there, and the latest of `recent` that is there to the front. */
  restore(tabs: readonly Tab[], recent: readonly string[]): void {
    this.state.setState((state) => {
      const others = state.tabs.filter(({ key }) => !tabs.some((tab) => tab.key === key));
      const all = [...tabs, ...others];
      const isThere = (key: string): boolean => all.some((tab) => tab.key === key);
      const latest = [...new Set([...recent, ...state.recent])].filter(isThere);
      return { tabs: all, recent: latest, active: latest[0] };
    });
  }

  /** Brings it to the front. */
  activate(key: string, options: { readonly takesFocus?: boolean } = {}): void {
    if (!this.has(key)) return;
    this.state.setState(({ recent, wish }) => ({
      active: key,
      recent: [key, ...recent.filter((other) => other !== key)],
      wish: options.takesFocus ? { key, serial: (wish?.serial ?? 0) + 1 } : wish,
    }));
  }

  /** What had the wish's tab in front has seen to it. */
  granted(serial: number): void {
    if (this.state.getState().wish?.serial === serial) this.state.setState({ wish: undefined });
  }

  /** Takes tabs away. Where one of them was in front, the one that was there before comes back. */
  remove(isGone: (tab: Tab) => boolean): void {
    const { tabs, active, recent } = this.state.getState();
    const left = tabs.filter((tab) => !isGone(tab));
    if (left.length === tabs.length) return;
    const stays = (key: string): boolean => left.some((tab) => tab.key === key);
    const recentLeft = recent.filter(stays);
    const next = active !== undefined && stays(active) ? active : (recentLeft[0] ?? left[0]?.key);
    this.state.setState({ tabs: left, recent: recentLeft, active: next });
  }

  /** The tab so many places on from the one in front, around the ends. */
  neighbour(step: number): Tab | undefined {
    const { tabs, active } = this.state.getState();
    const at = tabs.findIndex(({ key }) => key === active);
    return tabs.at((at + step + tabs.length) % Math.max(tabs.length, 1));
  }
}
