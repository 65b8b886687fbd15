import type { ReviewFacts, ReviewSummary } from '@tandem/rpc';
import * as z from 'zod';
import { listedReviews } from '../client/pageStore.js';
import { position, textPositions } from '../code/textPositions.js';
import type { NarrowView, ShellParts } from './shellState.js';
import { agentsTab, changesTab, documentTab, interruptedTab, reviewTab, type Tab } from './tabList.js';

type ListedReview = ReviewSummary | ReviewFacts;

const rememberedReview = z.object({
  agent: z.string(),
  session: z.string(),
  path: z.string(),
  openedAt: z.number().optional(),
});

const rememberedTab = z.object({
  kind: z.enum(['document', 'review', 'agents', 'changes']),
  id: z.string(),
  review: rememberedReview.optional(),
});

const rememberedTabs = z.object({
  /** The companion that the numbers of the reviews are of. */
  instance: z.string().optional(),
  tabs: z.array(rememberedTab),
  active: z.string().optional(),
  recent: z.array(z.string()),
  preview: z.string().optional(),
  view: z.enum(['reviews', 'files', 'main', 'chat']),
  textPositions: z.array(z.tuple([z.string(), position])),
});

/** The tabs of a page as they were before it was loaded again, or before its companion was restarted. */
type RememberedTabs = z.infer<typeof rememberedTabs>;

interface TabsNow {
  readonly tabs: readonly Tab[];
  readonly active?: string | undefined;
  readonly recent: readonly string[];
  readonly preview: string | undefined;
  readonly view: NarrowView;
  readonly instance: string | undefined;
  readonly reviews: readonly ListedReview[];
}

const storageKey = 'tandem.tabs';

/**
 * Restores the tabs and the scroll positions when the page is reloaded and when its companion was restarted. It lives as
 * long as the page.
 */
export class TabMemory {
  readonly #shell: ShellParts;
  #instance: string | undefined;
  /** The tabs as they were, until they are back. */
  #before: RememberedTabs | undefined;
  /** Whether the companion was restarted under the open page. */
  #isRestarted = false;
  /** Whether a review had the focus then. */
  #hadFocus = false;

  constructor(shell: ShellParts) {
    this.#shell = shell;
    this.#before = storedTabs();
    for (const [key, at] of this.#before?.textPositions ?? []) textPositions.set(key, at);
    shell.tabs.state.subscribe(({ active }, before) => {
      // The scroll position is lost when the page is drawn again.
      if (before.active !== undefined && before.active !== active) textPositions.keep(before.active);
      this.#store();
    });
    window.addEventListener('pagehide', () => this.#store());
  }

  /** Call it with the id of the connected companion. Returns whether the companion was restarted. */
  connect(instance: string): boolean {
    this.#isRestarted = this.#instance !== undefined && this.#instance !== instance;
    if (this.#isRestarted) {
      const panel = document.getElementById('review-panel');
      this.#hadFocus = panel?.contains(document.activeElement) === true;
      this.#before ??= this.#remember();
      // The new companion numbers its reviews from one again: none of them is one of these.
      this.#shell.tabs.remove(({ kind }) => kind === 'review');
    }
    this.#instance = instance;
    return this.#isRestarted;
  }

  /** Restores the tabs that still exist. Call it when the lists of documents and reviews are known. */
  restore(): void {
    const before = this.#before;
    if (before === undefined) return;
    this.#before = undefined;
    const { tabs, documentCommands, services } = this.#shell;
    const now = services.store.getState();
    const again = restoredTabs(before, {
      instance: this.#instance,
      reviews: listedReviews(now),
      interrupted: now.interrupted,
    });
    const isOther = before.instance !== this.#instance;
    if (isOther) movePositions(again);
    // Under an open page they are opened again with what was typed into them.
    const opensFiles = isOther && !this.#isRestarted;
    const { documents } = now;
    const isThere = ({ kind, id, key }: Tab): boolean =>
      kind !== 'document' || opensFiles || tabs.has(key) || documents.some(({ path }) => path === id);
    const restored = [...again.values()].filter(isThere);
    const keyNow = (key: string | undefined): string | undefined => again.get(key ?? '')?.key;
    const recent = before.recent.flatMap((key) => keyNow(key) ?? []);
    tabs.restore(restored, recent);
    this.#shell.preview = keyNow(before.preview);
    if (opensFiles)
      for (const { kind, id } of restored) if (kind === 'document') void documentCommands.reopen(id);
    if (!this.#isRestarted) this.#shell.show(before.view);
    const { active } = tabs;
    if (this.#hadFocus && active !== undefined && active.key === keyNow(before.active))
      tabs.activate(active.key, { takesFocus: true });
    this.#hadFocus = false;
  }

  #remember(): RememberedTabs {
    const { tabs, preview, state, services } = this.#shell;
    if (tabs.active !== undefined) textPositions.keep(tabs.active.key);
    const { view } = state.getState();
    const reviews = listedReviews(services.store.getState());
    return rememberTabs({ ...tabs.state.getState(), preview, view, instance: this.#instance, reviews });
  }

  #store(): void {
    // Until they are back, what is stored is better than what is shown.
    if (this.#before === undefined && this.#instance !== undefined) storeTabs(this.#remember());
  }
}

/** The tabs to store. Changes of the chat and interrupted reviews are left out: their lists show them again. */
export function rememberTabs(now: TabsNow): RememberedTabs {
  const { tabs, active, recent, preview, view, instance, reviews } = now;
  const remembered = tabs.flatMap(({ kind, id }): z.infer<typeof rememberedTab>[] => {
    if (kind === 'diff' || kind === 'interrupted') return [];
    const review = kind === 'review' ? reviews.find((each) => each.id === id) : undefined;
    return [{ kind, id, ...(review && { review: rememberedReview.parse(review) }) }];
  });
  return {
    instance,
    tabs: remembered,
    active,
    recent: [...recent],
    preview,
    view,
    textPositions: textPositions.entries().map(([key, at]) => [key, at]),
  };
}

/**
 * The tabs that a page brings back, by the keys that they had. A new companion without a journal numbers its reviews from one again; with one, it offers those
 * whose agents are gone as interrupted.
 */
export function restoredTabs(
  { instance, tabs }: RememberedTabs,
  now: {
    readonly instance: string | undefined;
    readonly reviews: readonly ListedReview[];
    readonly interrupted: readonly ReviewFacts[];
  },
): ReadonlyMap<string, Tab> {
  const again = new Map<string, Tab>();
  const left = new Set(now.reviews);
  for (const { kind, id, review } of tabs) {
    if (kind === 'document') again.set(documentTab(id).key, documentTab(id));
    else if (kind === 'agents') again.set(agentsTab.key, agentsTab);
    else if (kind === 'changes') again.set(changesTab.key, changesTab);
    else {
      const found = instance === now.instance ? sameReview(id, left) : restoredReview(id, review, left);
      const kept = now.interrupted.find(({ agent, path }) => agent === review?.agent && path === review.path);
      if (found !== undefined) {
        left.delete(found);
        again.set(reviewTab(id).key, reviewTab(found.id));
      } else if (kept !== undefined) again.set(reviewTab(id).key, interruptedTab(kept.id));
    }
  }
  return again;
}

function sameReview(id: string, reviews: ReadonlySet<ListedReview>): ListedReview | undefined {
  return [...reviews].find((review) => review.id === id);
}

/**
 * What a review of the companion before is now: the same in the history, otherwise a pending one. Its agent may have come back
 * in another session.
 */
function restoredReview(
  id: string,
  before: z.infer<typeof rememberedReview> | undefined,
  reviews: ReadonlySet<ListedReview>,
): ListedReview | undefined {
  const alike = [...reviews].filter(({ agent, path }) => agent === before?.agent && path === before.path);
  const isDecided = ({ state }: ListedReview): boolean => state === 'accepted' || state === 'rejected';
  const decided = alike.find(
    (review) => isDecided(review) && review.id === id && review.openedAt === before?.openedAt,
  );
  if (decided !== undefined) return decided;
  const pending = alike.filter(({ state }) => state === 'pending');
  return pending.find(({ session }) => session === before?.session) ?? pending[0];
}

/** The places in reviews of the companion before are those of the same reviews now, by the keys that they had. */
function movePositions(again: ReadonlyMap<string, Tab>): void {
  const before = textPositions.entries().filter(([key]) => key.startsWith('review:'));
  for (const [key] of before) textPositions.forget(key);
  for (const [key, at] of before) {
    const tab = again.get(key);
    if (tab !== undefined) textPositions.set(tab.key, at);
  }
}

/** Stores the tabs until the browser's tab is closed. */
function storeTabs(remembered: RememberedTabs): void {
  sessionStorage.setItem(storageKey, JSON.stringify(remembered));
}

/** The stored tabs; absent in a new browser tab, and if another version of the page stored them. */
function storedTabs(): RememberedTabs | undefined {
  try {
    return rememberedTabs.parse(JSON.parse(sessionStorage.getItem(storageKey) ?? ''));
  } catch {
    return undefined;
  }
}
