import { type Disposable, DisposableStore } from '@tandem/core';
import type { ReviewNote } from '@tandem/reviews';
import * as vscode from 'vscode';
import { warningsOn } from './notesOn.js';
import type { ReviewView } from './reviewView.js';
import type { ReviewViews } from './reviewViews.js';

const controllerId = 'tandem.warnings';

/** A triangle in a colour that is visible in all themes: VS Code shows no icons of its own there. */
const warningIcon = vscode.Uri.parse(
  `data:image/svg+xml,${encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#bf8803"><path fill-rule="evenodd" d="M8 1.2a1 1 0 0 1 .9.5l6 11.3a1 1 0 0 1-.9 1.5H2A1 1 0 0 1 1.1 13l6-11.3a1 1 0 0 1 .9-.5zm-.7 4.3V10h1.4V5.5zM8 11.2a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8z"/></svg>',
  )}`,
);

/** The thread of a review, and the warnings in it. */
interface ShownWarnings {
  readonly thread: vscode.CommentThread;
  readonly drawn: string;
}

/**
 * Shows the warnings about each review in its diff, above the first change: VS Code opens a diff there. A thread of
 * comments is the only part of VS Code's diffs that wraps its text.
 */
export class WarningThreads implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #controller: vscode.CommentController;
  readonly #shown = new Map<ReviewView, ShownWarnings>();

  constructor(views: ReviewViews) {
    this.#controller = this.#owned.add(
      vscode.comments.createCommentController(controllerId, vscode.l10n.t('Tandem Warnings')),
    );
    this.#owned.add(views.onDidChange(() => this.#update(views.all)));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #update(all: readonly ReviewView[]): void {
    for (const view of this.#shown.keys()) if (!all.includes(view)) this.#remove(view);
    for (const view of all) this.#show(view, warningsOn(view));
  }

  #show(view: ReviewView, warnings: readonly ReviewNote[]): void {
    const shown = this.#shown.get(view);
    const drawn = JSON.stringify(warnings);
    if (shown?.drawn === drawn) return;
    if (warnings.length === 0) {
      this.#remove(view);
      return;
    }
    const thread = shown?.thread ?? this.#create(view);
    thread.comments = [commentOn(view, warnings)];
    this.#shown.set(view, { thread, drawn });
  }

  #create({ sides, review }: ReviewView): vscode.CommentThread {
    const line = (review.hunkLines[0] ?? 0) - 1;
    // A thread is below its lines; without lines, it is above the first one. VS Code's types do not know the latter, and
    // VS Code ignores it later.
    const lines = line < 0 ? undefined : new vscode.Range(line, 0, line, 0);
    const create = this.#controller.createCommentThread;
    const thread: vscode.CommentThread = Reflect.apply(create, this.#controller, [sides.proposal, lines, []]);
    thread.canReply = false;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    thread.label = vscode.l10n.t('Before You Accept');
    return thread;
  }

  #remove(view: ReviewView): void {
    this.#shown.get(view)?.thread.dispose();
    this.#shown.delete(view);
  }
}

/**
 * The text is in the header of the comment, which wraps, and not in its body: for a comment with a body, VS Code opens the
 * view "Comments" over the terminal, and counts the comment there.
 */
function commentOn({ label }: ReviewView, warnings: readonly ReviewNote[]): vscode.Comment {
  const lines = [label, ...warnings.map(({ text }) => text)];
  return {
    body: '',
    mode: vscode.CommentMode.Preview,
    author: { name: lines.map(breakable).join('\n'), iconPath: warningIcon },
  };
}

/** Lets a long path wrap after each of its parts. */
function breakable(text: string): string {
  return text.replaceAll('/', '/\u200b');
}
