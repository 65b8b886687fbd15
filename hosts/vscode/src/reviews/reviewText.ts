import {
  type Clock,
  type Disposable,
  DisposableStore,
  mergeText,
  type Review,
  Substitution,
} from '@tandem/core';
import * as vscode from 'vscode';
import { loadedDocument } from '../loadedDocument.js';
import type { ReviewFileSystem } from './reviewFileSystem.js';

/** VS Code keeps documents of more characters from its extensions: what is typed in one could not be taken over. */
export const largestTold = 50 * 1024 * 1024;

/** How often a change of the document is tried that VS Code refuses, because the document changed at the same time. */
const showAttempts = 3;

/** How long the person must pause before their edit is taken over: a large text takes a while to compare. */
const pauseMs = 200;

/**
 * Keeps the text of a review and its document the same. What the person types goes to the review; what the review
 * becomes otherwise, when a hunk is dropped say, goes to the document. What a formatter or another extension makes
 * of the document when it is saved is undone: the agent gets what the person saw and typed.
 */
export class ReviewText implements Disposable {
  readonly #review: Review;
  readonly #uri: vscode.Uri;
  readonly #files: ReviewFileSystem;
  readonly #clock: Clock;
  readonly #substitution: Substitution;
  readonly #owned = new DisposableStore();
  #pause: Disposable | undefined;
  /** The person typed, and the review does not have it yet. */
  #isTyped = false;
  /** VS Code is saving the document, and is set up to change it when it does. */
  #isBeingChanged = false;
  /** The text of the document is going to the review, and need not come back. */
  #isFlushing = false;
  /** The document is being saved as it is, without what is set up to change it then. */
  #isSavedAsItIs = false;
  /**
   * It changed since we last saved it. VS Code tells extensions that a document is clean whenever a save of it ends, also
   * when a key came while it ran, and does not correct that.
   */
  #isChangedSinceSave = false;
  /** It has changes that we could not save: VS Code asks about them when its tab is closed. */
  #isLeftUnsaved = false;
  #showing: Promise<void> = Promise.resolve();
  /** What is being put into the document, and is nobody's typing when VS Code tells of it. */
  #arriving: string | undefined;
  /** What the review and its document both held last: what is typed and what the review becomes since are merged over it. */
  #agreed: string;

  constructor(options: {
    readonly review: Review;
    readonly uri: vscode.Uri;
    readonly files: ReviewFileSystem;
    readonly clock: Clock;
  }) {
    const { review, uri, files } = options;
    this.#review = review;
    this.#uri = uri;
    this.#files = files;
    this.#clock = options.clock;
    const original = review.original.kind === 'text' ? review.original.text : '';
    this.#substitution = new Substitution(original, review.proposal.content, review.content);
    this.#agreed = this.#shown;
    files.put(uri, this.#agreed, { isReadonly: this.#agreed.length > largestTold });
    const isOurs = (document: vscode.TextDocument): boolean => document.uri.toString() === uri.toString();
    const workspace = vscode.workspace;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!isOurs(document) || contentChanges.length === 0) return;
        this.#isChangedSinceSave = true;
        this.#changed(document);
      }),
    );
    this.#owned.add(
      workspace.onWillSaveTextDocument(({ document }) => {
        if (!isOurs(document)) return;
        if (isChangedBySaving(document) && !this.#isSavedAsItIs) this.#leaveToSaving();
        else this.flush();
      }),
    );
    this.#owned.add(
      workspace.onDidSaveTextDocument((document) => {
        if (!isOurs(document) || !this.#isBeingChanged) return;
        this.#isBeingChanged = false;
        this.#show();
      }),
    );
    this.#owned.add(review.onDidChange(() => this.#show()));
    // What could not be saved as it is while it was not in front can be now.
    const keepClean = (): void => {
      if (!this.#isTyped && !this.#isBeingChanged) void this.#keepClean();
    };
    this.#owned.add(vscode.window.onDidChangeActiveTextEditor(keepClean));
    this.#owned.add(vscode.window.tabGroups.onDidChangeTabs(keepClean));
  }

  /** The document, while an editor shows it. */
  get document(): vscode.TextDocument | undefined {
    return loadedDocument(this.#uri);
  }

  /**
   * Resolves when the document shows what the review has become. What was taken in just before a decision is on its way
   * until then, and VS Code would ask about it when the document is closed.
   */
  whenShown(): Promise<void> {
    return this.#showing;
  }

  /** Whether VS Code has asked what becomes of the text when its tab was closed. */
  get wasAskedAbout(): boolean {
    return this.#isLeftUnsaved;
  }

  /** Takes over and saves what was typed, if it can be saved as it is. */
  async save(): Promise<void> {
    this.flush();
    await this.#showing;
    await this.#keepClean();
  }

  /** Takes over at once what the person typed. What the review became otherwise meanwhile is merged with it. */
  flush(): void {
    this.#pause?.dispose();
    const { document } = this;
    if (!this.#isTyped || document === undefined || this.#review.state !== 'pending') return;
    this.#isTyped = false;
    const text = this.#withoutLosing(document.getText());
    this.#isFlushing = true;
    try {
      this.#review.edit(this.#substitution.restore(text));
    } finally {
      this.#isFlushing = false;
    }
    this.#agreed = document.getText();
    if (!isSameText(this.#agreed, this.#shown)) this.#show();
  }

  /** Takes over what stands in another document of this review, which an extension host that ended has left. */
  adopt(text: string): void {
    if (this.#review.state !== 'pending' || isSameText(text, this.#shown)) return;
    this.#review.edit(this.#substitution.restore(text));
  }

  dispose(): void {
    this.#pause?.dispose();
    this.#owned.dispose();
  }

  get #shown(): string {
    return this.#substitution.show(this.#review.content);
  }

  /**
   * Formatters have changed the document by the time that VS Code tells of a save. What came in the last moment is
   * theirs: a person who types pauses before they save.
   */
  #leaveToSaving(): void {
    this.#pause?.dispose();
    this.#isTyped = false;
    this.#isBeingChanged = true;
    if (this.#review.state === 'pending') this.#review.editUnfinished(undefined);
  }

  #changed(document: vscode.TextDocument): void {
    if (this.#isBeingChanged || this.#review.state !== 'pending') return;
    const text = document.getText();
    if (this.#arriving !== undefined && isSameText(text, this.#arriving)) return;
    if (isSameText(text, this.#shown)) return;
    this.#isTyped = true;
    this.#review.editUnfinished(() => this.#substitution.restore(this.#withoutLosing(document.getText())));
    this.#pause?.dispose();
    this.#pause = this.#clock.setTimeout(() => {
      this.flush();
      void this.#keepClean();
    }, pauseMs);
  }

  /** What was typed, with what the review became since both held the same. Where they change the same lines, as typed. */
  #withoutLosing(typed: string): string {
    const shown = this.#shown;
    if (isSameText(shown, this.#agreed)) return typed;
    return mergeText(withoutEnds(this.#agreed), withoutEnds(typed), withoutEnds(shown)).text;
  }

  /** Puts the review's text into the document, or where the document will be loaded from; one change after the other. */
  #show(): void {
    this.#files.put(this.#uri, this.#shown, { isLoaded: this.document !== undefined });
    if (this.#isFlushing) return;
    this.#showing = this.#showing.then(() => this.#showContent()).catch(() => undefined);
  }

  async #showContent(): Promise<void> {
    for (let attempt = 1; attempt <= showAttempts; attempt++) {
      const { document } = this;
      const text = this.#shown;
      if (this.#isTyped || this.#isBeingChanged || this.#review.state !== 'pending') return;
      if (document === undefined || isSameText(document.getText(), text)) {
        this.#agreed = text;
        return;
      }
      const change = new vscode.WorkspaceEdit();
      change.set(this.#uri, [replacement(document, text)]);
      this.#arriving = text;
      const isDone = await vscode.workspace.applyEdit(change);
      this.#arriving = undefined;
      if (!isDone) continue;
      this.#agreed = text;
      await this.#keepClean();
      return;
    }
  }

  /**
   * VS Code asks in words of its own before it closes a document with unsaved changes, and we ask as well. So the
   * document is saved after each change.
   */
  async #keepClean(): Promise<void> {
    const { document } = this;
    if (document === undefined || this.#review.state !== 'pending') return;
    if (!document.isDirty && !this.#isChangedSinceSave) return;
    if (isChangedBySaving(document)) {
      if (this.#isSavedAsItIs) return;
      this.#isLeftUnsaved = !this.#canBeSavedAsItIs(document);
      if (!this.#isLeftUnsaved) await this.#saveAsItIs();
      return;
    }
    this.#isLeftUnsaved = false;
    this.#isChangedSinceSave = false;
    await document.save();
  }

  /**
   * Formatters can be left out for the editor in front alone, and VS Code then saves both sides of a diff: a file with
   * unsaved changes of the person's own is theirs to save.
   */
  #canBeSavedAsItIs(document: vscode.TextDocument): boolean {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!(tab?.input instanceof vscode.TabInputTextDiff)) return false;
    const { original, modified } = tab.input;
    const isInFront =
      modified.toString() === this.#uri.toString() && vscode.window.activeTextEditor?.document === document;
    return isInFront && loadedDocument(original)?.isDirty !== true;
  }

  async #saveAsItIs(): Promise<void> {
    this.#isChangedSinceSave = false;
    this.#isSavedAsItIs = true;
    try {
      await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
    } finally {
      this.#isSavedAsItIs = false;
    }
    if (this.#isChangedSinceSave) await this.#keepClean();
  }
}

/** Whether VS Code is set up to change a document like this one when it is saved. */
function isChangedBySaving(document: vscode.TextDocument): boolean {
  const editor = vscode.workspace.getConfiguration('editor', document);
  const files = vscode.workspace.getConfiguration('files', document);
  const actions = editor.get('codeActionsOnSave');
  const hasActions = Array.isArray(actions)
    ? actions.length > 0
    : Object.values(actions ?? {}).some((when) => when !== false && when !== 'never');
  const settings = ['trimTrailingWhitespace', 'insertFinalNewline', 'trimFinalNewlines'];
  return (
    hasActions ||
    editor.get('formatOnSave') === true ||
    settings.some((setting) => files.get(setting) === true)
  );
}

/**
 * Compares as an editor sees it: it has one kind of line end and no byte order mark. The review keeps the final line
 * end of the proposal, whatever becomes of it in the document.
 */
function isSameText(one: string, other: string): boolean {
  return withoutEnds(one).replace(/\n$/, '') === withoutEnds(other).replace(/\n$/, '');
}

function withoutEnds(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** The smallest replacement of whole characters, so that cursors and folds elsewhere stay. */
function replacement(document: vscode.TextDocument, wanted: string): vscode.TextEdit {
  const before = document.getText();
  const end = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  const after = withoutEnds(wanted).replaceAll('\n', end);
  let start = 0;
  const limit = Math.min(before.length, after.length);
  while (start < limit && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < limit - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const range = new vscode.Range(document.positionAt(start), document.positionAt(before.length - tail));
  // A position inside a line end or a surrogate pair moves to its edge; the text must then begin there as well.
  const from = document.offsetAt(range.start);
  const to = document.offsetAt(range.end);
  return vscode.TextEdit.replace(range, after.slice(from, after.length - (before.length - to)));
}
