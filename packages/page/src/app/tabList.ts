import { shownTitle, visibleName } from '@tandem/core';
import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { PageDocument } from '../wire/index.js';

/** One tab: a document by its path, a review by its identifier, a diff of the chat, an interrupted review, the agents, or the changes of sessions. */
export interface Tab {
  /** `document:<path>`, `review:<id>`, `diff:<path>`, `interrupted:<id>`, `agents` or `changes`. */
  readonly key: string;
  readonly kind: 'document' | 'review' | 'diff' | 'interrupted' | 'agents' | 'changes';
  /** Path of the document or of the diff's file, identifier of the review or of the interrupted one. */
  readonly id: string;
}

interface TabState {
  readonly tabs: readonly Tab[];
  /** Key of the active tab. */
  readonly active?: string | undefined;
  /** Keys in the order in which they were active, the latest first. */
  readonly recent: readonly string[];
  /** The tab that should take the focus when it is ready; `serial` distinguishes two equal requests. */
  readonly focusRequest?: { readonly key: string; readonly serial: number } | undefined;
}

export const agentsTab: Tab = { key: 'agents', kind: 'agents', id: '' };
export const changesTab: Tab = { key: 'changes', kind: 'changes', id: '' };

export function documentTab(path: string): Tab {
  return { key: `document:${path}`, kind: 'document', id: path };
}

/** A change that the chat shows: one tab for each file. */
export function diffTab(path: string): Tab {
  return { key: `diff:${path}`, kind: 'diff', id: path };
}

export function interruptedTab(id: string): Tab {
  return { key: `interrupted:${id}`, kind: 'interrupted', id };
}

export function reviewTab(id: string): Tab {
  return { key: `review:${id}`, kind: 'review', id };
}

/** The tabs of this page in their order, and the active one. */
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

  /** Adds a tab at the end, or replaces another one. The active tab stays. */
  add(tab: Tab, options: { readonly replaces?: string } = {}): void {
    if (this.has(tab.key)) return;
    this.state.setState(({ tabs }) => {
      const at = tabs.findIndex(({ key }) => key === options.replaces);
      return { tabs: at < 0 ? [...tabs, tab] : tabs.with(at, tab) };
    });
  }

  /** Restores tabs in their order, before the current ones, and activates the latest of `recent`. */
  restore(tabs: readonly Tab[], recent: readonly string[]): void {
    this.state.setState((state) => {
      const others = state.tabs.filter(({ key }) => !tabs.some((tab) => tab.key === key));
      const all = [...tabs, ...others];
      const isThere = (key: string): boolean => all.some((tab) => tab.key === key);
      const latest = [...new Set([...recent, ...state.recent])].filter(isThere);
      return { tabs: all, recent: latest, active: latest[0] };
    });
  }

  activate(key: string, options: { readonly takesFocus?: boolean } = {}): void {
    if (!this.has(key)) return;
    this.state.setState(({ recent, focusRequest }) => ({
      active: key,
      recent: [key, ...recent.filter((other) => other !== key)],
      focusRequest: options.takesFocus ? { key, serial: (focusRequest?.serial ?? 0) + 1 } : focusRequest,
    }));
  }

  /** The requested focus was set. */
  granted(serial: number): void {
    if (this.state.getState().focusRequest?.serial === serial)
      this.state.setState({ focusRequest: undefined });
  }

  /** Removes tabs. If one of them was active, the tab that was active before becomes active again. */
  remove(isGone: (tab: Tab) => boolean): void {
    const { tabs, active, recent } = this.state.getState();
    const left = tabs.filter((tab) => !isGone(tab));
    if (left.length === tabs.length) return;
    const stays = (key: string): boolean => left.some((tab) => tab.key === key);
    const recentLeft = recent.filter(stays);
    const next = active !== undefined && stays(active) ? active : (recentLeft[0] ?? left[0]?.key);
    this.state.setState({ tabs: left, recent: recentLeft, active: next });
  }

  /** The tab `step` positions after the active one, around the ends. */
  neighbour(step: number): Tab | undefined {
    const { tabs, active } = this.state.getState();
    const at = tabs.findIndex(({ key }) => key === active);
    return tabs.at((at + step + tabs.length) % Math.max(tabs.length, 1));
  }
}

/** The texts of a tab, for the eye and for a screen reader. */
export interface TabTitle {
  readonly name: string;
  /** The folder, where two tabs have the same name. */
  readonly hint?: string;
  readonly tip: string;
  readonly accessibleName: string;
  readonly isDirty: boolean;
  /** The file is not there any more. */
  readonly isStruck: boolean;
  /** How the review ended, if it has. */
  readonly outcome?: Exclude<ReviewSummary['state'], 'pending'>;
}

/** Titles of all tabs by key. */
export function tabTitles(
  tabs: readonly Tab[],
  documents: readonly PageDocument[],
  reviews: readonly (ReviewSummary | ReviewFacts)[],
  interrupted: readonly ReviewFacts[] = [],
): ReadonlyMap<string, TabTitle> {
  const documentOf = new Map(documents.map((document) => [document.path, document]));
  const reviewOf = new Map(reviews.map((review) => [review.id, review]));
  const labelOf = new Map([...reviews, ...interrupted].map(({ id, label }) => [id, label]));
  const groupOf = new Map(interrupted.map(({ id, group }) => [id, group?.label ?? '']));
  const labels = tabs.map((tab) => documentOf.get(tab.id)?.label ?? labelOf.get(tab.id) ?? tab.id);
  const kinds = tabs.map(({ kind }, index) => `${kind} ${fileName(labels[index] ?? '')}`);
  return new Map(
    tabs.map((tab, index) => {
      if (tab.kind === 'agents') return [tab.key, readOnlyTitle('Agents')];
      if (tab.kind === 'changes') return [tab.key, readOnlyTitle('Changes')];
      const label = visibleName(labels[index] ?? '');
      const isShared = kinds.filter((kind) => kind === kinds[index]).length > 1;
      const hint = isShared ? { hint: label.slice(0, -fileName(label).length).replace(/[/\\]$/, '') } : {};
      const name = fileName(label);
      if (tab.kind === 'diff')
        return [tab.key, { ...readOnlyTitle(name, `Change to ${label}, from the chat`), ...hint }];
      if (tab.kind === 'interrupted')
        return [tab.key, { ...readOnlyTitle(name, `${groupOf.get(tab.id)} review of ${label}`), ...hint }];
      const title =
        tab.kind === 'document'
          ? documentTitle(name, label, documentOf.get(tab.id))
          : reviewTitle(name, label, reviewOf.get(tab.id));
      return [tab.key, { ...title, ...hint }];
    }),
  );
}

function readOnlyTitle(name: string, what = name): TabTitle {
  return { name, tip: what, accessibleName: what, isDirty: false, isStruck: false };
}

function documentTitle(name: string, label: string, document: PageDocument | undefined): TabTitle {
  const facts = [
    document?.isDirty && 'unsaved changes',
    document?.hasConflict && 'changed on disk',
    document?.isMissing && 'deleted from disk',
    document?.heldBack !== undefined && 'hidden from agents',
  ].filter((fact) => typeof fact === 'string');
  const isDirty = document?.isDirty ?? false;
  return {
    name,
    tip: [label, ...facts].join('\n'),
    accessibleName: [label, ...facts].join(', '),
    isDirty,
    isStruck: document?.isMissing ?? false,
  };
}

function reviewTitle(name: string, label: string, review: ReviewSummary | ReviewFacts | undefined): TabTitle {
  const agent = visibleName(review?.agentName ?? 'An agent');
  const state = review?.state ?? 'withdrawn';
  const what =
    state === 'pending' ? `Review of ${label}, proposed by ${agent}` : `Review of ${label}, ${state}`;
  const tip = [what, review && shownTitle(review.title, review.path)].filter(Boolean).join('\n');
  const title = { name, tip, accessibleName: what, isDirty: false, isStruck: false };
  return state === 'pending' ? title : { ...title, outcome: state };
}

/** The last part of a path. */
export function fileName(label: string): string {
  return label.slice(Math.max(label.lastIndexOf('/'), label.lastIndexOf('\\')) + 1);
}
