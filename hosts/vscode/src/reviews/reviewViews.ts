import {
  type Clock,
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
  toDisposable,
  withTimeout,
} from '@tandem/core';
import {
  compareReviews,
  concernSince,
  inOrder,
  type Outcome,
  onceDecided,
  type Review,
  type WithdrawReason,
} from '@tandem/reviews';
import * as vscode from 'vscode';
import type { OpenDesk } from '../desk.js';
import { inform, showError, warn } from '../messages.js';
import { findTabs, isAtEditorLimit, loadedDocument } from '../tabs.js';
import type { UserFocus } from '../userFocus.js';
import { Burst } from './burst.js';
import { offerEdits } from './interruptedTexts.js';
import { ReviewFileSystem } from './reviewFileSystem.js';
import { closeDiff, groupForReviews, proposalOfTab, reviewKeyOf, reviewScheme } from './reviewTab.js';
import { canShowFile, ReviewView } from './reviewView.js';

/** The reasons after which the user's edits are offered. */
const offeredAfter: ReadonlySet<WithdrawReason> = new Set(['agent', 'replaced', 'let-go', 'disconnected']);

/** An agent whose proposal is accepted in its terminal writes immediately, possibly the edited text. */
const writtenWithinMs = 2000;

/** Proposals that open within this time of each other share a message. */
const openedTogetherMs = 500;

/** How long the next diff waits for the one before it. */
const openLimitMs = 3000;

/** VS Code reports each closed tab separately. Tabs that close within this time of each other belong to one action. */
const closedTogetherMs = 300;

/** Diffs of pending reviews that the user closed in one action. */
export interface ClosedDiffs {
  readonly views: readonly ReviewView[];
  /** The action closed several tabs of any kind, such as "Close All", and decides nothing. */
  readonly isSeveral: boolean;
}

/** All reviews of this window. */
export class ReviewViews implements Disposable {
  readonly #options: ReviewViewsOptions;
  readonly #owned = new DisposableStore();
  readonly #files: ReviewFileSystem;
  /** Reviews that opened behind the user's active editor. */
  readonly #openedBehind: Burst<ReviewView>;
  /** Tabs that the user closed: those of reviews, and others. */
  readonly #closed: Burst<ReviewView | undefined>;
  readonly #views = new Map<string, ReviewView>();
  /** The review that is being revealed, until VS Code reports it as active. */
  #coming: ReviewView | undefined;
  /** The latest opening: of proposals that arrive together, the first one must be visible before the others open. */
  #opening: Promise<unknown> = Promise.resolve();
  /** The number of running decisions of the user. */
  #deciding = 0;
  /** Decided reviews after whose diffs the user returns to where they were. */
  readonly #left = new Set<ReviewView>();
  readonly #didChange: Emitter<void>;
  readonly #didClose: Emitter<ClosedDiffs>;
  readonly #didReveal: Emitter<ReviewView>;
  readonly #didAccept: Emitter<vscode.Uri>;

  /** The list changed, or the text, the hunks or the file of a review. */
  readonly onDidChange: Event<void>;
  /** The user closed diffs of pending reviews. */
  readonly onDidClose: Event<ClosedDiffs>;
  /** The user activated a review. */
  readonly onDidReveal: Event<ReviewView>;
  /** A change to this file was accepted, and its agent is about to write it. */
  readonly onDidAccept: Event<vscode.Uri>;

  constructor(options: ReviewViewsOptions) {
    this.#options = options;
    const onError = logListenerError(options.logger, 'the review views');
    this.#didChange = this.#owned.add(new Emitter<void>(onError));
    this.#didClose = this.#owned.add(new Emitter<ClosedDiffs>(onError));
    this.#didReveal = this.#owned.add(new Emitter<ReviewView>(onError));
    this.#didAccept = this.#owned.add(new Emitter<vscode.Uri>(onError));
    this.onDidAccept = this.#didAccept.event;
    this.onDidChange = this.#didChange.event;
    this.onDidClose = this.#didClose.event;
    this.onDidReveal = this.#didReveal.event;
    this.#files = this.#owned.add(new ReviewFileSystem());
    const { clock } = options;
    this.#openedBehind = this.#owned.add(
      new Burst({ clock, quietMs: openedTogetherMs, onEnd: (views) => void this.#announce(views) }),
    );
    this.#closed = this.#owned.add(
      new Burst({ clock, quietMs: closedTogetherMs, onEnd: (closed) => this.#reportClosed(closed) }),
    );
    const workspace = vscode.workspace;
    const window = vscode.window;
    this.#owned.add(
      workspace.registerFileSystemProvider(reviewScheme, this.#files, { isCaseSensitive: true }),
    );
    this.#owned.add(
      window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const view of this.all) view.noteTabs();
        if (this.#coming?.isActive) this.#coming = undefined;
        for (const tab of closed) this.#tabClosed(tab);
      }),
    );
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind !== vscode.TextEditorSelectionChangeKind.Mouse) return;
        this.find(textEditor.document.uri)?.noteClick();
      }),
    );
    const noteTabs = (): void => {
      for (const view of this.all) view.noteTabs();
    };
    this.#owned.add(window.tabGroups.onDidChangeTabGroups(noteTabs));
    this.#owned.add(window.onDidChangeVisibleTextEditors(noteTabs));
  }

  /** The pending reviews, the oldest first. */
  get all(): readonly ReviewView[] {
    return [...this.#views.values()].sort((one, other) => compareReviews(one.review, other.review));
  }

  /** Whether no review is pending. */
  get isEmpty(): boolean {
    return this.all.every(({ review }) => review.state !== 'pending');
  }

  /** The active review, or the one that is being revealed. */
  get active(): ReviewView | undefined {
    return this.#coming ?? this.find();
  }

  /** The active review, or the one of this view, key or document. */
  find(what?: unknown): ReviewView | undefined {
    if (what instanceof ReviewView) return what;
    if (typeof what === 'string') return this.#views.get(what);
    if (what instanceof vscode.Uri) return this.#views.get(reviewKeyOf(what) ?? '');
    return this.all.find(({ isActive }) => isActive);
  }

  /** `Editor.reviews.show`. Resolves before the diff is drawn: the agent waits for this answer. */
  async show(review: Review): Promise<Disposable> {
    const { clock, focus, logger, toUri, notKept } = this.#options;
    const isShowable = await canShowFile(review, toUri(review.proposal.path).fsPath);
    if (review.outcome !== undefined || this.#owned.isDisposed) return toDisposable(() => {});
    const view = new ReviewView(review, {
      files: this.#files,
      focus,
      toUri,
      isShowable,
      notKept,
      clock,
      logger,
    });
    this.#views.set(view.key, view);
    review.onDidChange(() => void this.#changed(view));
    const fileChanged = (): void => {
      this.#didChange.fire();
      const isAsking = view.file.isInConflict && !view.fileInWindow.isDirty;
      if (isAsking) void this.#warnOfConflict(view);
    };
    view.file.onDidChange(fileChanged);
    view.fileInWindow.onDidChange(fileChanged);
    onceDecided(review, (outcome) => this.#ended(view, outcome));
    const compared = this.#changed(view);
    const opened = this.#opening.then(() => compared).then(() => this.#open(view));
    // A diff that VS Code does not open must not keep back the others.
    this.#opening = withTimeout(clock, openLimitMs, opened).catch(() => undefined);
    return toDisposable(() => this.#remove(view));
  }

  /** A review changed: its texts are compared before anything shows them. */
  #changed(view: ReviewView): Promise<void> | undefined {
    const { logger } = this.#options;
    return inOrder([
      () =>
        view.compare()?.catch((error: unknown) => {
          logger.error('the texts of a review were not compared', { error: describeError(error) });
        }),
      () => void this.#didChange.fire(),
    ]);
  }

  /** `notKept` of a review changed. */
  noteKept(): void {
    this.#didChange.fire();
  }

  /** Applies the user's edits in all reviews immediately. */
  flush(): void {
    for (const { text } of this.all) text.flush();
  }

  /** Opens a review and gives it the focus. A message that offers this can outlive the review. */
  async reveal(view: ReviewView): Promise<void> {
    if (view.review.state !== 'pending') return void inform(vscode.l10n.t('This review is already decided.'));
    const { viewColumn } = groupForReviews();
    this.#coming = view.isActive ? undefined : view;
    this.#didReveal.fire(view);
    await this.#openOrFail(view, { column: viewColumn, takesFocus: true, isBehind: false });
    this.#options.focus.inReview();
  }

  dispose(): void {
    for (const view of this.all) view.dispose();
    this.#views.clear();
    this.#owned.dispose();
  }

  /**
   * Closes the tabs that an earlier extension host left. Text that was typed right before a crash exists only there: it
   * is added to the restored review, or opens in a new editor.
   */
  async closeLeftOver(): Promise<void> {
    const tabs = findTabs((tab) => {
      const proposal = proposalOfTab(tab);
      return proposal !== undefined && this.find(proposal) === undefined;
    });
    for (const tab of tabs) {
      const proposal = proposalOfTab(tab);
      if (proposal === undefined) continue;
      await this.#takeText(proposal, tab.label);
      // VS Code would ask about unsaved text.
      this.#files.put(proposal, '', { isLoaded: true });
      await this.#options.focus.unasked(() => closeDiff(proposal));
      this.#files.remove(proposal);
    }
    if (tabs.length > 0)
      this.#options.logger.info('closed diffs of an earlier extension host', { diffs: tabs.length });
  }

  async #takeText(proposal: vscode.Uri, label: string): Promise<void> {
    const document = loadedDocument(proposal);
    if (document === undefined) return;
    const content = document.getText();
    const [view, ...others] = this.all.filter(
      (each) => each.hasTitle(label) && each.sides.proposal.path === proposal.path,
    );
    // The journal may lack what was saved here.
    if (view !== undefined && others.length === 0) view.text.adopt(content);
    else if (document.isDirty) {
      const { languageId: language } = document;
      const copy = await vscode.workspace.openTextDocument({ content, language });
      const show = () => vscode.window.showTextDocument(copy, { preview: false, preserveFocus: true });
      await this.#options.focus.unasked(show);
    }
  }

  /** Runs a decision of the user. Meanwhile, no other review opens because one was decided. */
  async deciding<T>(decide: () => T | Promise<T>): Promise<T> {
    this.#deciding += 1;
    // Not later: by the time the decision is stored, the user may have gone elsewhere.
    this.#options.focus.inReview();
    try {
      return await decide();
    } finally {
      this.#deciding -= 1;
    }
  }

  /** The pending reviews of the session of a review, the oldest first. */
  inSessionOf({ review }: ReviewView): readonly ReviewView[] {
    const { session } = review.proposal;
    return this.all.filter(
      (each) => each.review.state === 'pending' && each.review.proposal.session === session,
    );
  }

  /** The user decided a review: opens the next one of its session, or returns to where the user was before. */
  async goOn(decided: ReviewView): Promise<void> {
    if (!(await this.openNext(decided, true))) this.leave(decided);
  }

  /** Gives the focus back to where the user was before the reviews, once the diff of the decided one is closed. */
  leave(decided: ReviewView): void {
    if (this.#views.has(decided.key)) this.#left.add(decided);
    else void this.#giveBack(decided);
  }

  /**
   * Opens the pending review of the session that follows a decided one, unless the user is typing elsewhere. Resolves to
   * whether there is one.
   */
  async openNext(decided: ReviewView, takesFocus: boolean): Promise<boolean> {
    const pending = this.inSessionOf(decided);
    // By number: the list no longer contains the decided one.
    const isAfter = ({ review }: ReviewView): boolean => compareReviews(review, decided.review) > 0;
    const next = pending.find(isAfter) ?? pending[0];
    const group = groupForReviews();
    if (next === undefined) return false;
    if (this.#options.focus.isIn(group)) return true;
    if (takesFocus) await this.reveal(next);
    else await this.#openOrFail(next, { column: group.viewColumn, takesFocus: false, isBehind: false });
    return true;
  }

  /** Opens the diffs of these reviews again, and gives the oldest of them the focus. */
  async showAgain(views: readonly ReviewView[]): Promise<void> {
    const [first, ...others] = this.all.filter((view) => views.includes(view));
    if (first === undefined) return void inform(vscode.l10n.t('This review is already decided.'));
    await this.reveal(first);
    const { viewColumn } = groupForReviews();
    for (const view of others)
      await this.#openOrFail(view, { column: viewColumn, takesFocus: false, isBehind: true });
  }

  async #open(view: ReviewView): Promise<void> {
    if (view.review.state !== 'pending') return;
    const { takesFocus, focus } = this.#options;
    const group = groupForReviews();
    const isInTheWay = !takesFocus() && focus.isIn(group);
    const mayCover = takesFocus() || this.#options.isFollowed(view.review.proposal.session);
    const isTaken = this.#coming !== undefined || this.#showsEarlier(group, view);
    const isBehind = isInTheWay || (!mayCover && isTaken);
    await this.#openOrFail(view, { column: group.viewColumn, takesFocus: takesFocus(), isBehind });
    // A user who is in another review sees the badge instead.
    if (isInTheWay && view.review.state === 'pending') this.#openedBehind.add(view);
  }

  /** Whether an earlier pending review is active there, which this one must not cover. */
  #showsEarlier({ activeTab }: vscode.TabGroup, view: ReviewView): boolean {
    const proposal = activeTab && proposalOfTab(activeTab);
    const shown = proposal && this.find(proposal);
    return shown !== undefined && compareReviews(shown.review, view.review) < 0;
  }

  async #openOrFail(view: ReviewView, how: Parameters<ReviewView['open']>[0]): Promise<void> {
    try {
      await view.open(how);
      view.noteTabs();
    } catch (error) {
      this.#options.logger.error('the diff of a review could not be opened', { error: describeError(error) });
      if (!view.review.withdraw('not-shown')) return;
      showError(
        vscode.l10n.t(
          'The proposal by {1} for {0} could not be shown. Decide in the terminal of {1}.',
          view.fileName,
          view.agentName,
        ),
      );
    }
  }

  #tabClosed(tab: vscode.Tab): void {
    const proposal = proposalOfTab(tab);
    const view = proposal && this.find(proposal);
    // We close the diff of a review that has ended.
    if (proposal !== undefined && view?.review.state !== 'pending') return;
    // A tab that moves to another group is reported as closed and opened. VS Code itself also closes tabs at its editor
    // limit.
    if (view?.hasTab || isAtEditorLimit()) return;
    view?.text.flush();
    if (view !== undefined) this.#options.focus.noteClosed();
    this.#closed.add(view);
  }

  #reportClosed(closed: readonly (ReviewView | undefined)[]): void {
    const reviews = [...new Set(closed)].filter((view) => view?.review.state === 'pending' && !view.hasTab);
    const views = reviews.filter((view) => view !== undefined);
    if (views.length > 0) this.#didClose.fire({ views, isSeveral: closed.length > 1 });
  }

  /** Reports that the file under review was deleted, or changed on disk on the same lines. */
  async #warnOfConflict(view: ReviewView): Promise<void> {
    const { label, review, file } = view;
    if (file.relation !== 'deleted' && file.relation !== 'conflict') return;
    const { t } = vscode.l10n;
    const show = file.canMarkConflicts ? t('Show Both Versions') : t('Show');
    if ((await warn(`${label}: ${concernSince(file.relation).text}`, show)) !== show) return;
    if (file.canMarkConflicts)
      await (await this.#options.openDesk())?.attempt('review.run', { id: review.id, action: 'merge' });
    await this.reveal(view);
  }

  /** Reports reviews that opened behind the user's active editor, with a button that shows them. */
  async #announce(opened: readonly ReviewView[]): Promise<void> {
    const { t } = vscode.l10n;
    const isPending = ({ review }: ReviewView): boolean => review.state === 'pending';
    const views = opened.filter(isPending);
    const [first] = views;
    if (first === undefined) return;
    const agents = [...new Set(views.map(({ agentName }) => agentName))].join(', ');
    const message =
      views.length === 1
        ? t('{0} proposes a change to {1}.', first.agentName, first.fileName)
        : t('{0} new proposals are pending, by {1}.', views.length, agents);
    const show = t('Show');
    if ((await inform(message, show)) === show) await this.reveal(views.find(isPending) ?? first);
  }

  #ended(view: ReviewView, outcome: Outcome): void {
    const { isActive } = view;
    // The agent's next proposal may arrive immediately, and must not count as covering an editor.
    if (isActive) this.#options.focus.leave();
    if (isActive && this.#deciding === 0) void this.#endedElsewhere(view, outcome);
    // The diff of a decided review stays until the journal has the decision; then its owner disposes the view.
    if (outcome.kind === 'withdrawn') this.#remove(view);
    if (outcome.kind === 'accepted') this.#didAccept.fire(view.fileInWindow.uri);
    if (outcome.kind === 'accepted' && outcome.isEdited && view.review.proposal.writesOwnText) {
      const { t } = vscode.l10n;
      const { agentName, fileName } = view;
      void inform(
        t(
          '{0} ignores your edits to {1}. They are saved in the view "Reviews", so you can apply them later.',
          agentName,
          fileName,
        ),
      );
    }
    if (outcome.kind === 'withdrawn') void this.#keepEdits(view, outcome.reason);
  }

  /** The agent withdrew the active review, or it was decided elsewhere, such as in a terminal. */
  async #endedElsewhere(view: ReviewView, { kind }: Outcome): Promise<void> {
    const { focus } = this.#options;
    const wasIn = focus.isInReview;
    if (kind !== 'withdrawn' && (await this.openNext(view, false))) return;
    if (!wasIn) return;
    if (this.#views.has(view.key)) this.#left.add(view);
    else await this.#giveBack(view);
  }

  async #giveBack(view: ReviewView): Promise<void> {
    const { focus, logger } = this.#options;
    try {
      await view.whenClosed();
      if (view.review.state === 'withdrawn') await focus.whenNotTyping();
      await focus.giveBack(this.#isContinued(view));
    } catch (error) {
      logger.warn('the focus could not be given back', { error: describeError(error) });
    }
  }

  /** Whether another pending review of the session is now active: the user stays in the reviews. */
  #isContinued(view: ReviewView): boolean {
    const active = this.find();
    return active !== undefined && this.inSessionOf(view).includes(active);
  }

  /** Keeps what the user typed while the review was withdrawn, and offers the edits or comments. */
  async #keepEdits(view: ReviewView, reason: WithdrawReason): Promise<void> {
    const { clock, isLeft, keepTyped } = this.#options;
    const { review } = view;
    await view.whenClosed();
    const late = view.text.typedLate;
    if (late !== undefined) keepTyped(review, late);
    if (!offeredAfter.has(reason) || (late === undefined && !review.hasUsersText)) return;
    const { id, proposal } = review;
    if (reason === 'agent') await new Promise<void>((resolve) => clock.setTimeout(resolve, writtenWithinMs));
    if (await isLeft(id)) await offerEdits({ ...proposal, id }, late !== undefined || review.isEdited);
  }

  #remove(view: ReviewView): void {
    if (!this.#views.delete(view.key)) return;
    if (this.#coming === view) this.#coming = undefined;
    view.dispose();
    if (this.#left.delete(view)) void this.#giveBack(view);
    this.#didChange.fire();
  }
}

export interface ReviewViewsOptions {
  readonly focus: UserFocus;
  readonly toUri: (path: Path) => vscode.Uri;
  /** Whether a diff that opens takes the focus. */
  readonly takesFocus: () => boolean;
  /** Whether each new proposal of a session opens, even if that covers another pending review. */
  readonly isFollowed: (session: string) => boolean;
  /** See `ReviewView.notKept`. */
  readonly notKept: (review: Review) => string | undefined;
  readonly openDesk: OpenDesk;
  /** Whether a withdrawn review is interrupted, with a text that is not in its file. */
  readonly isLeft: (id: string) => Promise<boolean>;
  /** Keeps the text of a withdrawn review with what the user typed after its end. */
  readonly keepTyped: (review: Review, content: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}
