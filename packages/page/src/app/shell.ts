import type { ChatDiff } from '@tandem/chat-panel';
import { visibleName } from '@tandem/core';
import type { Question, ReviewFacts } from '@tandem/rpc';
import { createContext, useContext, useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { PageServices } from '../client/pageContext.js';
import { listedReviews } from '../client/pageStore.js';
import { layoutPreferences } from '../client/preferences.js';
import { type CloseChoice, DocumentCommands } from '../documents/documentCommands.js';
import { FocusReporter } from '../documents/openEditors.js';
import { FileListing } from '../files/fileListing.js';
import { closeReviewTab } from '../review/closeReviewTab.js';
import { Closings } from '../review/closings.js';
import { inQueueOrder } from '../review/sessionGroups.js';
import type { PageEvent } from '../wire/index.js';
import { watchForNotifications } from './desktopNotifications.js';
import { NoticeBoard } from './notices.js';
import { focusChatQuestion, focusSelectedTab, isTyping, watchTyping } from './pageFocus.js';
import { neighbourReview, watchReviews } from './reviewArrivals.js';
import type { NarrowView, ShellDialog, ShellParts, ShellState } from './shellState.js';
import { agentsTab, changesTab, diffTab, interruptedTab, reviewTab, type Tab, TabList } from './tabList.js';
import { TabMemory } from './tabMemory.js';

/** The host's list of documents follows the answer that one was opened; this is long enough for it. */
const settleMs = 1_000;

/** The commands of the page and the state that they share. Created once; it lives as long as the page. */
export class Shell implements ShellParts {
  readonly services: PageServices;
  readonly tabs = new TabList();
  readonly notices = new NoticeBoard();
  readonly documentCommands: DocumentCommands;
  readonly closings: Closings;
  readonly focus: FocusReporter;
  readonly files: FileListing;
  readonly state: StoreApi<ShellState> = createStore(() => ({ view: 'main', diffs: {} }));
  /** When the page last went on to another review by itself. */
  advancedAt = Number.NEGATIVE_INFINITY;
  /** Reviews whose tabs the user is closing: no other review replaces them. */
  readonly leaving = new Set<string>();
  /** A review's tab that the next review takes over. */
  preview: string | undefined;
  #isReopening = false;

  constructor(services: PageServices) {
    this.services = services;
    this.closings = new Closings(services, this.notices);
    this.documentCommands = new DocumentCommands({
      services,
      tabs: this.tabs,
      notices: this.notices,
      askBeforeClosing: ({ label }) => this.#askBeforeClosing(label),
    });
    this.focus = new FocusReporter(services, this.documentCommands.editors);
    this.files = new FileListing(services.host);
  }

  start(): void {
    const { host, store } = this.services;
    watchTyping();
    this.focus.start();
    watchReviews(this);
    watchForNotifications(store, (id) => this.openReview(id, { takesFocus: true }));
    const memory = new TabMemory(this);
    host.onConnection((connection) => {
      if (connection === 'open') this.documentCommands.isReachable();
    });
    host.onEvent((event) => {
      if (event.event === 'hello') this.#isReopening = memory.connect(event.instance);
      if (event.event === 'documents') {
        if (!this.#isReopening) this.documentCommands.follow(event.documents);
        memory.restore();
        this.#beginWith();
      }
      if (event.event === 'show') void this.#show(event);
    });
    store.subscribe(({ restart }, before) => {
      if (restart === undefined || restart === before.restart) return;
      window.setTimeout(() => {
        this.#isReopening = false;
        this.documentCommands.follow(store.getState().documents);
      }, settleMs);
    });
    this.tabs.state.subscribe(({ active, tabs }) => this.#onTabs(active, tabs));
  }

  /** Shows a review. It replaces the last one in its tab, unless the user edited that one or opened it to stay. */
  openReview(id: string, options: { readonly takesFocus?: boolean; readonly replaces?: string } = {}): void {
    this.closings.cancel(id);
    const tab = reviewTab(id);
    if (!this.tabs.has(tab.key)) {
      const replaced = options.replaces === undefined ? this.#freePreview() : reviewTab(options.replaces).key;
      this.tabs.add(tab, replaced === undefined ? {} : { replaces: replaced });
      this.preview = tab.key;
    }
    this.tabs.activate(tab.key, options);
    this.show('main');
  }

  /** Opens a file in a tab, active and with the focus. */
  async openDocument(path: string): Promise<void> {
    await this.documentCommands.open(path);
    this.show('main');
  }

  /** Shows the pending review after or before the active one, with the focus. */
  stepReview(step: 1 | -1): void {
    const { active } = this.tabs;
    const id = active?.kind === 'review' ? active.id : undefined;
    const { reviews, sessions } = this.services.store.getState();
    const queue = inQueueOrder(reviews, sessions).filter((each) => !this.closings.has(each.id));
    const next = neighbourReview(queue, id, step);
    if (next === undefined) this.notices.info('No other pending reviews.');
    else this.openReview(next.id, { takesFocus: true });
  }

  stepTab(step: 1 | -1): void {
    const tab = this.tabs.neighbour(step);
    if (tab !== undefined) this.activate(tab.key);
  }

  /** Activates a tab because the user asked for it. */
  activate(key: string, options: { readonly takesFocus?: boolean } = { takesFocus: true }): void {
    this.tabs.activate(key, options);
    this.show('main');
  }

  /** Shows the chat, and puts the focus into it. */
  showChat(): void {
    layoutPreferences.setState({ isChatShown: true });
    this.show('chat');
    this.state.setState(({ chatFocus = 0 }) => ({ chatFocus: chatFocus + 1 }));
  }

  hideChat(): void {
    layoutPreferences.setState({ isChatShown: false });
    this.show('main');
  }

  /** Puts the focus into what the chat asks, wherever that is shown. */
  answerChat(): void {
    // The cards decide: the number of questions in the page's state may change later than they do.
    if (!focusChatQuestion()) this.notices.info('The chat has no questions.');
  }

  /** Shows a change of the chat. */
  showDiff(diff: ChatDiff): void {
    const tab = diffTab(diff.path);
    this.state.setState(({ diffs }) => ({ diffs: { ...diffs, [tab.key]: diff } }));
    this.tabs.add(tab);
    this.activate(tab.key, {});
  }

  showInterrupted(id: string): void {
    this.tabs.add(interruptedTab(id));
    this.activate(interruptedTab(id).key);
  }

  showAgents(): void {
    this.tabs.add(agentsTab);
    this.activate(agentsTab.key);
  }

  /** Shows what agents changed: of one session, or of all. */
  showChanges(session?: string): void {
    this.state.setState({ changesOf: session });
    this.tabs.add(changesTab);
    this.activate(changesTab.key);
  }

  /**
   * Closes a tab, after asking where changes would be lost; that of a review as the option says. The focus goes to
   * the next active tab.
   */
  async closeTab(tab: Tab): Promise<void> {
    const isFromStrip = document.activeElement?.getAttribute('role') === 'tab';
    if (tab.kind === 'document') await this.documentCommands.close(tab.id);
    else if (tab.kind !== 'review' || (await this.#closeReviewTab(tab.id)))
      this.tabs.remove(({ key }) => key === tab.key);
    // A browser takes the focus from what has gone with the next frame.
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body || this.tabs.active === undefined) return;
      if (isFromStrip) focusSelectedTab();
      else this.tabs.activate(this.tabs.active.key, { takesFocus: true });
    });
  }

  /** Removes the tabs of interrupted reviews that were applied or discarded. One that is pending again replaces its tab. */
  dropInterrupted(interrupted: readonly ReviewFacts[], before: readonly ReviewFacts[]): void {
    const known = new Set(interrupted.map(({ id }) => id));
    const { reviews } = this.services.store.getState();
    for (const { id, agent, path } of before.filter((each) => !known.has(each.id))) {
      const again = reviews.find(
        (each) => each.state === 'pending' && each.agent === agent && each.path === path,
      );
      const { key } = interruptedTab(id);
      if (again === undefined || !this.tabs.has(key)) continue;
      const isActive = this.tabs.active?.key === key;
      this.tabs.add(reviewTab(again.id), { replaces: key });
      if (isActive) this.tabs.activate(reviewTab(again.id).key);
    }
    this.tabs.remove(({ kind, id }) => kind === 'interrupted' && !known.has(id));
  }

  /** Removes the tabs of reviews that the host no longer lists. */
  dropReviews(): void {
    const known = new Set(listedReviews(this.services.store.getState()).map(({ id }) => id));
    this.tabs.remove(({ kind, id }) => kind === 'review' && !known.has(id));
  }

  show(view: NarrowView): void {
    this.state.setState({ view });
  }

  openDialog(dialog: ShellDialog): void {
    this.closeDialog();
    this.state.setState({ dialog });
  }

  closeDialog(): void {
    const { dialog } = this.state.getState();
    this.state.setState({ dialog: undefined });
    if (dialog?.kind === 'close-document') dialog.answer('cancel');
    if (dialog?.kind === 'question') dialog.answer();
  }

  /** Asks what the host asks, in its words. Undefined if the user cancels. */
  choose(question: Question): Promise<Question['choices'][number] | undefined> {
    return new Promise((resolve) => {
      this.openDialog({ kind: 'question', question, answer: resolve });
    });
  }

  async #closeReviewTab(id: string): Promise<boolean> {
    this.leaving.add(id);
    try {
      return await closeReviewTab(this, id);
    } finally {
      this.leaving.delete(id);
    }
  }

  #askBeforeClosing(label: string): Promise<CloseChoice> {
    return new Promise((resolve) => {
      this.openDialog({ kind: 'close-document', label, answer: resolve });
    });
  }

  async #show({ path, range, takesFocus, count }: Extract<PageEvent, { event: 'show' }>): Promise<void> {
    this.focus.receivedRequest(count);
    if (isTyping() || this.state.getState().dialog !== undefined) {
      if (range !== undefined) this.documentCommands.editors.reveal(path, range);
      const label = visibleName(this.documentCommands.document(path)?.label ?? path);
      const run = (): void => void this.documentCommands.open(path, { range });
      this.notices.info(`An agent opened ${label}`, { label: 'Show', run });
      return;
    }
    await this.documentCommands.open(path, { range, takesFocus });
    if (takesFocus) this.show('main');
  }

  #freePreview(): string | undefined {
    const preview = this.tabs.tabs.find(({ key }) => key === this.preview);
    const review = this.services.store.getState().reviews.find(({ id }) => id === preview?.id);
    return preview !== undefined && review?.isEdited !== true ? preview.key : undefined;
  }

  #onTabs(active: string | undefined, tabs: readonly Tab[]): void {
    const tab = tabs.find(({ key }) => key === active);
    if (tab?.kind === 'document') this.focus.setDocument(tab.id);
    // While a review or the agents are active, agents still see the last document.
    else if (!tabs.some(({ kind }) => kind === 'document')) this.focus.setDocument(undefined);
  }

  /** Opens the first review in a page without tabs. */
  #beginWith(): void {
    if (this.tabs.active !== undefined) return;
    const { reviews } = this.services.store.getState();
    const review = reviews.find(({ id, state }) => state === 'pending' && !this.closings.has(id));
    if (review !== undefined) this.openReview(review.id);
    else this.tabs.activate(this.tabs.tabs.at(-1)?.key ?? '');
  }

  /** Whether leaving the page would lose something that was typed. */
  get holdsUnsentText(): boolean {
    return this.services.texts.unsynced.length > 0 || this.services.store.getState().keptHere.length > 0;
  }

  /** The path of the active document, which commands apply to. */
  get activePath(): string | undefined {
    return this.tabs.active?.kind === 'document' ? this.tabs.active.id : undefined;
  }

  /** The path of the last active document, which agents see while a review is active. */
  get latestPath(): string | undefined {
    const { tabs, recent } = this.tabs.state.getState();
    const documents = tabs.filter(({ kind }) => kind === 'document');
    return recent.flatMap((key) => documents.filter((tab) => tab.key === key)).at(0)?.id;
  }
}

export const ShellContext = createContext<Shell | undefined>(undefined);

export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (shell === undefined) throw new Error('A part of the frame is used outside of it.');
  return shell;
}

export function useActiveTab(): Tab | undefined {
  return useStore(useShell().tabs.state, ({ tabs, active }) => tabs.find(({ key }) => key === active));
}

/** Calls `focus` when the user goes to this tab, once the view `isReady`. */
export function useFocusRequest(key: string, focus: () => void, isReady = true): void {
  const { tabs } = useShell();
  const request = useStore(tabs.state, ({ focusRequest }) => focusRequest);
  useEffect(() => {
    if (request?.key !== key || !isReady) return;
    focus();
    tabs.granted(request.serial);
  });
}
