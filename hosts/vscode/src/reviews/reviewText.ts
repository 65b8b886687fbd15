import { pausing } from '@tandem/companion/files';
import { type Clock, type Disposable, DisposableStore } from '@tandem/core';
import { conformText, finish, mergeText, type Review, Substitution, textOf } from '@tandem/reviews';
import * as vscode from 'vscode';
import { loadedDocument } from '../tabs.js';
import type { ReviewFileSystem } from './reviewFileSystem.js';
import {
  isSameText,
  mergeOfTyped,
  mergeTyped,
  type ReviewTextAction,
  type ReviewTextEvent,
  type ReviewTextState,
  startText,
  stepText,
  withoutEnds,
} from './reviewTextState.js';

/** VS Code does not pass larger documents to extensions, so edits in them could not be read. */
export const largestReadable = 50 * 1024 * 1024;

/** How long the user must pause before an edit is applied, because comparing a large text takes time. */
const pauseMs = 200;

/**
 * Keeps the text of a review and its document equal, as `stepText` says. The user's edits are applied to the review;
 * other changes of the review, such as a dropped hunk, to the document. Changes by a formatter or another extension
 * during a save are undone: the agent receives what the user saw and typed.
 */
export class ReviewText implements Disposable {
  readonly #review: Review;
  readonly #uri: vscode.Uri;
  readonly #files: ReviewFileSystem;
  readonly #clock: Clock;
  readonly #substitution: Substitution;
  readonly #owned = new DisposableStore();
  #state: ReviewTextState;
  #pause: Disposable | undefined;
  /** The document's text when the review ended, and since then, without the changes of formatters. */
  #late: { readonly before: string; after: string } | undefined;
  #isFormatting = false;
  #showing: Promise<unknown> = Promise.resolve();

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
    const { original, proposal, content } = review;
    this.#substitution = new Substitution(textOf(original), proposal.content, content);
    this.#state = startText(this.#shown);
    files.put(uri, this.#shown, { isReadonly: this.#shown.length > largestReadable });
    const isOurs = (document: vscode.TextDocument): boolean => document.uri.toString() === uri.toString();
    const { workspace, window } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!isOurs(document) || contentChanges.length === 0) return;
        if (this.#late !== undefined && !this.#isFormatting) this.#late.after = document.getText();
        void this.#send({ kind: 'documentChanged', text: document.getText(), shown: this.#shown });
      }),
    );
    this.#owned.add(
      workspace.onWillSaveTextDocument(({ document }) => {
        if (!isOurs(document)) return;
        this.#isFormatting = isFormattedOnSave(document);
        void this.#send({ kind: 'willSave', isFormatted: this.#isFormatting });
      }),
    );
    this.#owned.add(
      workspace.onDidSaveTextDocument((document) => {
        if (!isOurs(document)) return;
        this.#isFormatting = false;
        void this.#send({ kind: 'didSave' });
      }),
    );
    this.#owned.add(review.onDidChange(() => void this.#send({ kind: 'reviewChanged' })));
    this.#owned.add(
      review.onDidDecide(() => {
        this.#pause?.dispose();
        const before = this.document?.getText();
        if (before !== undefined) this.#late = { before, after: before };
      }),
    );
    const lookedAt = (): void => void this.#send({ kind: 'lookedAt' });
    this.#owned.add(window.onDidChangeActiveTextEditor(lookedAt));
    this.#owned.add(window.tabGroups.onDidChangeTabs(lookedAt));
  }

  /** The document, while an editor shows it. */
  get document(): vscode.TextDocument | undefined {
    return loadedDocument(this.#uri);
  }

  /**
   * Resolves when the document shows the text of the review. VS Code would ask about a change that is still being
   * applied when the document closes.
   */
  async whenShown(): Promise<void> {
    await this.#showing;
  }

  /**
   * The text of an ended review with what the user typed after its end: keys reach the extension late, and the diff stays
   * open for a moment. Undefined if nothing was typed.
   */
  get typedLate(): string | undefined {
    if (this.#late === undefined) return undefined;
    const { before, after } = this.#late;
    const { content, original } = this.#review;
    const merged = mergeText(withoutEnds(before), withoutEnds(after), withoutEnds(this.#shown)).text;
    if (isSameText(before, after) || isSameText(merged, this.#shown)) return undefined;
    const model = content === '' ? this.#review.proposed : content;
    return conformText(this.#substitution.restore(merged), model, textOf(original));
  }

  /** Whether VS Code asked whether to save the text when its tab was closed. */
  get wasAskedAbout(): boolean {
    return this.#state.save === 'blocked';
  }

  /** Applies and saves the user's edits, if the document can be saved without formatters. */
  async save(): Promise<void> {
    this.flush();
    await this.#showing;
    await this.#keepClean();
  }

  /** Applies the user's edits immediately. */
  flush(): void {
    if (this.document !== undefined) void this.#send({ kind: 'flush' });
  }

  /** Applies the text of another document of this review, left by an earlier extension host. */
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

  /** Starts the resulting actions. Resolves when they are done. */
  #send(event: ReviewTextEvent): Promise<unknown> {
    if (this.#review.state !== 'pending') return Promise.resolve();
    const { state, actions } = stepText(this.#state, event);
    this.#state = state;
    return Promise.all(actions.map((action) => this.#run(action)));
  }

  #run(action: ReviewTextAction): unknown {
    switch (action) {
      case 'waitForPause':
        return this.#waitForPause();
      case 'cancelPause':
        return this.#pause?.dispose();
      case 'take':
        return this.#take();
      case 'forgetTyped':
        return this.#review.editUnfinished(undefined);
      case 'store':
        return this.#files.put(this.#uri, this.#shown, { isLoaded: this.document !== undefined });
      case 'show':
        this.#showing = this.#showing.then(() => this.#compare()).catch(() => undefined);
        return undefined;
      case 'compare':
        return this.#compare();
      case 'apply':
        return this.#apply();
      case 'keepClean':
        return this.#keepClean();
      case 'save':
        return this.#save();
      case 'saveUnformatted':
        return this.#saveUnformatted();
    }
  }

  #waitForPause(): void {
    const { document } = this;
    if (document !== undefined) this.#review.editUnfinished(() => this.#typedIn(document));
    this.#pause?.dispose();
    this.#pause = this.#clock.setTimeout(() => void this.#afterPause(), pauseMs);
  }

  async #afterPause(): Promise<void> {
    const pause = this.#pause;
    const merging = this.#prepareTyped();
    if (merging !== undefined) await merging;
    // The user has typed again.
    if (this.#pause !== pause) return;
    this.flush();
    void this.#keepClean();
  }

  /** Merges in short steps what `flush` is going to apply. Undefined if that took no pause. */
  #prepareTyped(): Promise<void> | undefined {
    const mergeNow = () => {
      const { document } = this;
      return document && mergeOfTyped(this.#state, document.getText(), this.#shown);
    };
    const first = mergeNow();
    return first && this.#review.merges.prepare(() => mergeNow() ?? first, pausing());
  }

  #take(): void {
    const { document } = this;
    try {
      if (document !== undefined) this.#review.edit(this.#typedIn(document));
    } finally {
      const text = document?.getText() ?? this.#state.agreed;
      void this.#send({ kind: 'taken', text, shown: this.#shown });
    }
  }

  /** The user's text in the form that the review accepts. */
  #typedIn(document: vscode.TextDocument): string {
    const { merges } = this.#review;
    const merged = mergeTyped(this.#state, document.getText(), this.#shown, (base, mine, theirs) =>
      finish(merges.merge(base, mine, theirs)),
    );
    return this.#substitution.restore(merged);
  }

  #compare(): Promise<unknown> {
    return this.#send({ kind: 'compare', document: this.document?.getText(), shown: this.#shown });
  }

  async #apply(): Promise<void> {
    const { document } = this;
    const { sync } = this.#state;
    if (document === undefined || sync.kind !== 'showing') return;
    const change = new vscode.WorkspaceEdit();
    change.set(this.#uri, [replacement(document, sync.text)]);
    const isDone = await vscode.workspace.applyEdit(change);
    await this.#send({ kind: 'applied', text: sync.text, isDone });
  }

  /**
   * Saves the document after each change; otherwise VS Code would ask about it on close, in addition to our question.
   */
  async #keepClean(): Promise<void> {
    const { document } = this;
    if (document === undefined) return;
    await this.#send({
      kind: 'keepClean',
      isDirty: document.isDirty,
      isFormatted: isFormattedOnSave(document),
      canSkipFormatters: this.#canSkipFormatters(document),
    });
  }

  async #save(): Promise<void> {
    await this.document?.save();
  }

  async #saveUnformatted(): Promise<void> {
    try {
      await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
    } finally {
      await this.#send({ kind: 'savedUnformatted' });
    }
  }

  /**
   * VS Code skips formatters for the active editor only, and then saves both sides of a diff: the user decides when to
   * save the file.
   */
  #canSkipFormatters(document: vscode.TextDocument): boolean {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!(tab?.input instanceof vscode.TabInputTextDiff)) return false;
    const { original, modified } = tab.input;
    const isActive =
      modified.toString() === this.#uri.toString() && vscode.window.activeTextEditor?.document === document;
    return isActive && loadedDocument(original)?.isDirty !== true;
  }
}

/** Whether VS Code's settings allow a save to change this document. */
function isFormattedOnSave(document: vscode.TextDocument): boolean {
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

/** The smallest replacement of whole characters, so that other cursors and folds are preserved. */
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
