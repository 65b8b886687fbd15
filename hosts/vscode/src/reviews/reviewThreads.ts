import { type Disposable, DisposableStore } from '@tandem/core';
import { CommentError, type ReviewComment, ReviewDecidedError } from '@tandem/reviews';
import * as vscode from 'vscode';
import { ask } from '../messages.js';
import { reviewKeyOf } from './reviewTab.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

/** Named in the menus of the manifest. */
const controllerId = 'tandem.comments';

/** A thread that VS Code shows, with the ids of its comments in the review. */
interface ShownThread {
  readonly thread: vscode.CommentThread;
  ids: readonly string[];
}

/** A side of the diff of a pending review. */
interface CommentedSide {
  readonly view: ReviewView;
  readonly side: ReviewComment['side'];
}

/**
 * The user's comments on reviews, as VS Code's comments on both sides of their diffs. Each is in the review as soon as it
 * is submitted; the threads show what the review has.
 */
export class ReviewThreads implements Disposable {
  readonly #views: ReviewViews;
  readonly #owned = new DisposableStore();
  readonly #controller: vscode.CommentController;
  readonly #threads = new Map<ReviewView, readonly ShownThread[]>();
  readonly #drawn = new WeakMap<ReviewView, readonly ReviewComment[]>();
  readonly #places = new WeakMap<vscode.Comment, { readonly view: ReviewView; readonly id: string }>();
  /** The thread in which the user submits a comment. */
  #submitting: vscode.CommentThread | undefined;

  constructor(views: ReviewViews) {
    this.#views = views;
    const { t } = vscode.l10n;
    this.#controller = this.#owned.add(
      vscode.comments.createCommentController(controllerId, t('Tandem Reviews')),
    );
    this.#controller.options = {
      prompt: t('Comment for the agent'),
      placeHolder: t('Sent when you send feedback'),
    };
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => {
        const found = this.#sideOf(document.uri);
        return found === undefined ? [] : linesOf(document);
      },
    };
    const register = <T>(name: string, run: (what: T) => unknown): void => {
      this.#owned.add(vscode.commands.registerCommand(`tandem.${name}`, run));
    };
    register('addComment', (reply: vscode.CommentReply) => this.#add(reply));
    register('editComment', (comment: vscode.Comment) => this.#redraw(comment, vscode.CommentMode.Editing));
    register('cancelComment', (comment: vscode.Comment) => this.#redraw(comment, vscode.CommentMode.Preview));
    register('saveComment', (comment: vscode.Comment) => this.#save(comment));
    register('deleteComment', (comment: vscode.Comment) => this.#delete(comment));
    this.#owned.add(views.onDidChange(() => this.#update()));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Of several reviews of a file, the active one or the newest. */
  #sideOf(uri: vscode.Uri): CommentedSide | undefined {
    const pending = this.#views.all.filter(({ review }) => review.state === 'pending');
    if (reviewKeyOf(uri) !== undefined) {
      const view = this.#views.find(uri);
      return view && pending.includes(view) ? { view, side: 'proposal' } : undefined;
    }
    const ofFile = pending.filter(
      ({ review, sides }) => review.original.kind === 'text' && sides.original.toString() === uri.toString(),
    );
    const view = ofFile.find(({ isActive }) => isActive) ?? ofFile.at(-1);
    return view && { view, side: 'file' };
  }

  async #add({ thread, text }: vscode.CommentReply): Promise<void> {
    const shown = [...this.#threads].find(([, threads]) => threads.some((each) => each.thread === thread));
    const found = this.#sideOf(thread.uri);
    const view = shown?.[0] ?? found?.view;
    this.#submitting = thread;
    try {
      if (view === undefined || found === undefined)
        throw new ReviewDecidedError(vscode.l10n.t('This review is already decided.'));
      // The lines are those of the text that the user sees.
      view.text.flush();
      const lines = thread.range && { first: thread.range.start.line, last: thread.range.end.line };
      view.review.addComment({ text, side: found.side, ...(lines && { lines }) });
    } catch (error) {
      await keepDraft(text, error);
    } finally {
      this.#submitting = undefined;
    }
  }

  /** Starts or cancels the edit of a comment. */
  #redraw(comment: vscode.Comment, mode: vscode.CommentMode): void {
    const place = this.#places.get(comment);
    const shown = place && this.#threads.get(place.view)?.find(({ ids }) => ids.includes(place.id));
    if (place === undefined || shown === undefined) return;
    comment.mode = mode;
    if (mode === vscode.CommentMode.Preview)
      comment.body = place.view.review.comments.find(({ id }) => id === place.id)?.text ?? '';
    shown.thread.comments = [...shown.thread.comments];
  }

  async #save(comment: vscode.Comment): Promise<void> {
    const place = this.#places.get(comment);
    const text = typeof comment.body === 'string' ? comment.body : comment.body.value;
    try {
      if (place === undefined) throw new ReviewDecidedError(vscode.l10n.t('This review is already decided.'));
      place.view.review.editComment(place.id, text);
      this.#redraw(comment, vscode.CommentMode.Preview);
    } catch (error) {
      await keepDraft(text, error);
    }
  }

  async #delete(comment: vscode.Comment): Promise<void> {
    const { t } = vscode.l10n;
    const place = this.#places.get(comment);
    const remove = t('Delete');
    if (
      place === undefined ||
      (await ask(t('Delete this comment?'), t('There is no other copy.'), remove)) !== remove
    )
      return;
    const { review } = place.view;
    if (review.state === 'pending' && review.comments.some(({ id }) => id === place.id))
      review.removeComment(place.id);
  }

  #update(): void {
    const all = this.#views.all;
    for (const [view, threads] of this.#threads) {
      if (all.includes(view)) continue;
      for (const { thread } of threads) thread.dispose();
      this.#threads.delete(view);
    }
    for (const view of all) this.#updateView(view);
  }

  #updateView(view: ReviewView): void {
    const { comments } = view.review;
    if (this.#drawn.get(view) === comments) return;
    this.#drawn.set(view, comments);
    const threads: ShownThread[] = [];
    for (const shown of this.#threads.get(view) ?? []) {
      shown.ids = shown.ids.filter((id) => comments.some((comment) => comment.id === id));
      if (shown.ids.length > 0) threads.push(shown);
      else shown.thread.dispose();
    }
    for (const comment of comments) {
      if (threads.some(({ ids }) => ids.includes(comment.id))) continue;
      const uri = comment.side === 'file' ? view.sides.original : view.sides.proposal;
      const thread =
        this.#submitting ??
        this.#controller.createCommentThread(uri, rangeOf(comment) ?? new vscode.Range(0, 0, 0, 0), []);
      const known = threads.find((shown) => shown.thread === thread);
      if (known === undefined) threads.push({ thread, ids: [comment.id] });
      else known.ids = [...known.ids, comment.id];
    }
    for (const { thread, ids } of threads) {
      const own = comments.filter(({ id }) => ids.includes(id));
      const [first] = own;
      if (first !== undefined) thread.range = rangeOf(first);
      thread.comments = own.map((comment) => this.#show(view, comment, thread));
      thread.contextValue = 'tandem';
      thread.label = vscode.l10n.t('For {0}', view.agentName);
    }
    this.#threads.set(view, threads);
  }

  /** A comment that the user is editing stays as it is. */
  #show(view: ReviewView, { id, text }: ReviewComment, thread: vscode.CommentThread): vscode.Comment {
    const known = thread.comments.find((each) => this.#places.get(each)?.id === id);
    if (known?.mode === vscode.CommentMode.Editing) return known;
    const comment: vscode.Comment = {
      // A string is shown as plain text.
      body: text,
      mode: vscode.CommentMode.Preview,
      author: { name: vscode.l10n.t('You') },
      contextValue: 'tandem',
    };
    this.#places.set(comment, { view, id });
    return comment;
  }
}

function rangeOf({ lines }: ReviewComment): vscode.Range | undefined {
  return lines && new vscode.Range(lines.first, 0, lines.last, 0);
}

/** All lines of a document, without the empty one after the last line end. */
function linesOf(document: vscode.TextDocument): vscode.Range[] {
  const { lineCount } = document;
  const last = lineCount > 1 && document.lineAt(lineCount - 1).text === '' ? lineCount - 2 : lineCount - 1;
  return [new vscode.Range(0, 0, last, 0)];
}

/** A comment could not be stored, and VS Code empties its input: the user can copy it. */
async function keepDraft(text: string, error: unknown): Promise<void> {
  if (!(error instanceof CommentError || error instanceof ReviewDecidedError)) throw error;
  const copy = vscode.l10n.t('Copy');
  if ((await ask(error.message, text, copy)) === copy) await vscode.env.clipboard.writeText(text);
}
