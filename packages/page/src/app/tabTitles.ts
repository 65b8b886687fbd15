import { visibleName } from '@tandem/core';
import type { PageDocument, PageReview } from '../wire/index.js';
import type { Tab } from './tabList.js';

/** How a tab is shown and said. */
export interface TabTitle {
  readonly name: string;
  /** The folder, where two tabs have the same name. */
  readonly hint?: string;
  readonly tip: string;
  readonly spoken: string;
  readonly isDirty: boolean;
  /** The file is not there any more. */
  readonly isStruck: boolean;
  /** How the review ended, if it has. */
  readonly outcome?: Exclude<PageReview['state'], 'pending'>;
}

/** Titles of all tabs by key. */
export function tabTitles(
  tabs: readonly Tab[],
  documents: readonly PageDocument[],
  reviews: readonly PageReview[],
): ReadonlyMap<string, TabTitle> {
  const documentOf = new Map(documents.map((document) => [document.path, document]));
  const reviewOf = new Map(reviews.map((review) => [review.id, review]));
  const labels = tabs.map((tab) => documentOf.get(tab.id)?.label ?? reviewOf.get(tab.id)?.label ?? tab.id);
  const kinds = tabs.map(({ kind }, index) => `${kind} ${fileName(labels[index] ?? '')}`);
  return new Map(
    tabs.map((tab, index) => {
      if (tab.kind === 'agents') return [tab.key, agentsTitle];
      const label = visibleName(labels[index] ?? '');
      const isShared = kinds.filter((kind) => kind === kinds[index]).length > 1;
      const hint = isShared ? { hint: label.slice(0, -fileName(label).length).replace(/[/\\]$/, '') } : {};
      const name = fileName(label);
      if (tab.kind === 'diff') return [tab.key, { ...diffTitle(name, label), ...hint }];
      const title =
        tab.kind === 'document'
          ? documentTitle(name, label, documentOf.get(tab.id))
          : reviewTitle(name, label, reviewOf.get(tab.id));
      return [tab.key, { ...title, ...hint }];
    }),
  );
}

const agentsTitle: TabTitle = {
  name: 'Agents',
  tip: 'Agents',
  spoken: 'Agents',
  isDirty: false,
  isStruck: false,
};

function diffTitle(name: string, label: string): TabTitle {
  const what = `Change of ${label}, from the chat`;
  return { name, tip: what, spoken: what, isDirty: false, isStruck: false };
}

function documentTitle(name: string, label: string, document: PageDocument | undefined): TabTitle {
  const facts = [
    document?.isDirty && 'unsaved changes',
    document?.hasConflict && 'changed on disk',
    document?.isMissing && 'deleted from disk',
    document?.heldBack !== undefined && 'held back from agents',
  ].filter((fact) => typeof fact === 'string');
  const isDirty = document?.isDirty ?? false;
  return {
    name,
    tip: [label, ...facts].join('\n'),
    spoken: [label, ...facts].join(', '),
    isDirty,
    isStruck: document?.isMissing ?? false,
  };
}

function reviewTitle(name: string, label: string, review: PageReview | undefined): TabTitle {
  const agent = visibleName(review?.agentName ?? 'An agent');
  const state = review?.state ?? 'withdrawn';
  const what =
    state === 'pending' ? `Review of ${label}, proposed by ${agent}` : `Review of ${label}, ${state}`;
  const tip = [what, review?.title && visibleName(review.title)].filter(Boolean).join('\n');
  const title = { name, tip, spoken: what, isDirty: false, isStruck: false };
  return state === 'pending' ? title : { ...title, outcome: state };
}

/** The last part of a path. */
export function fileName(label: string): string {
  return label.slice(Math.max(label.lastIndexOf('/'), label.lastIndexOf('\\')) + 1);
}
