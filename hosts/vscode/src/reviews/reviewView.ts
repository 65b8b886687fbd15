import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { nameOfAgent } from '@tandem/companion/agents';
import { pausing, readFileHead, readIfPossible, WorkspaceFiles } from '@tandem/companion/files';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  describeError,
  type Logger,
  shorten,
  shownTitle,
  visibleName,
} from '@tandem/core';
import { FileFollower, inOrder, type Review, Substitution } from '@tandem/reviews';
import * as vscode from 'vscode';
import type { UserFocus } from '../userFocus.js';
import { FileInWindow, watchFile } from './fileInWindow.js';
import type { ReviewFileSystem } from './reviewFileSystem.js';
import {
  activeProposal,
  closeDiff,
  type DiffOpening,
  type DiffSides,
  openDiff,
  proposalUri,
  standInUri,
  tabsOfProposal,
} from './reviewTab.js';
import { largestReadable, ReviewText } from './reviewText.js';
import { prepareUserEdits } from './userHunks.js';

/** One review in this window: its documents, its diff and its file. `ReviewViews` owns it. */
export class ReviewView implements Disposable {
  readonly key = randomUUID();
  readonly review: Review;
  readonly sides: DiffSides;
  readonly text: ReviewText;
  readonly file: FileFollower;
  readonly fileInWindow: FileInWindow;
  readonly #options: ReviewViewOptions;
  readonly #owned = new DisposableStore();
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #shownAt = Number.POSITIVE_INFINITY;

  constructor(review: Review, options: ReviewViewOptions) {
    this.review = review;
    this.#options = options;
    const { files, clock, logger } = options;
    const { path } = review.proposal;
    const uri = options.toUri(path);
    const proposal = proposalUri(this.key, uri.fsPath);
    // The file itself, so that the diff immediately shows its changes on disk and in an editor.
    const { isShowable } = options;
    const original = isShowable ? uri : standInUri(this.key, uri.fsPath);
    if (!isShowable) files.put(original, standInText(review), { isReadonly: true });
    this.sides = { original, proposal, title: titleOf(review) };
    this.text = new ReviewText({ review, uri: proposal, files, clock });
    const workspaceFiles = new WorkspaceFiles();
    this.file = this.#owned.add(
      new FileFollower(review, {
        read: (how) => readIfPossible(workspaceFiles, review, how, logger),
        pausing,
        watch: (onTouched) => watchFile(uri, onTouched),
        flush: () => this.text.flush(),
        clock,
        logger,
      }),
    );
    this.fileInWindow = this.#owned.add(new FileInWindow(uri, logger));
  }

  get fileName(): string {
    return visibleName(basename(this.sides.proposal.path));
  }

  /** The path of the file, relative to its folder. */
  get label(): string {
    return visibleName(vscode.workspace.asRelativePath(this.fileInWindow.uri));
  }

  get agentName(): string {
    return nameOfAgent(this.review.proposal.agent);
  }

  /**
   * Whether a tab with this label may belong to an earlier version of this review: a repeated proposal can have another
   * name.
   */
  hasTitle(label: string): boolean {
    const known = knownTitleOf(this.review);
    return label === known || label.startsWith(`${known}${titleSeparator}`);
  }

  /** Why a crash would lose the review and its edits, in a few words; undefined while it is saved. */
  get notKept(): string | undefined {
    return this.#options.notKept(this.review);
  }

  /** Whether its diff is the active tab. */
  get isActive(): boolean {
    return activeProposal()?.toString() === this.sides.proposal.toString();
  }

  /** Whether it has a tab, as far as VS Code has reported. */
  get hasTab(): boolean {
    return tabsOfProposal(this.sides.proposal).length > 0;
  }

  /** For how many milliseconds the diff has been visible; negative while it is not. */
  get shownForMs(): number {
    return this.#options.clock.now() - this.#shownAt;
  }

  /** The tabs or their editors changed: records when the diff became visible. */
  noteTabs(): void {
    if (!this.#isVisible) this.#shownAt = Number.POSITIVE_INFINITY;
    else if (this.#shownAt === Number.POSITIVE_INFINITY) this.#shownAt = this.#options.clock.now();
  }

  /** A tab is active before its text is drawn, which can take a while on a busy machine. */
  get #isVisible(): boolean {
    if (!this.isActive) return false;
    const proposal = this.sides.proposal.toString();
    const shows = ({ document }: { document: vscode.TextDocument }) => document.uri.toString() === proposal;
    if (vscode.window.visibleTextEditors.some(shows)) return true;
    return this.review.content.length > largestReadable;
  }

  /**
   * Compares the texts in short steps, so that what shows them knows the results. Undefined if that took no pause.
   */
  compare(): Promise<void> | undefined {
    const { review } = this;
    const pause = pausing();
    return inOrder([
      () => review.compare(pause),
      () => review.placeHunks(pause),
      () => prepareUserEdits(review, pause),
    ]);
  }

  /** The user clicked into the diff, so they have seen it. */
  noteClick(): void {
    this.#shownAt = Number.NEGATIVE_INFINITY;
  }

  /** Opens the diff, or makes it active. Rejects if VS Code cannot show it. */
  async open(how: DiffOpening): Promise<void> {
    const open = (): Promise<void> => openDiff(this.sides, how);
    this.#opening = how.takesFocus ? open() : this.#options.focus.unasked(open);
    await this.#opening;
    // Decided while it opened: that tab is still open.
    if (this.#owned.isDisposed) await this.#closeTab();
  }

  /** Closes the diff and forgets its documents. Decides nothing. */
  dispose(): void {
    if (this.#owned.isDisposed) return;
    this.#owned.dispose();
    this.#closing = this.#closeTab().finally(() => this.text.dispose());
  }

  /** Resolves when the diff of a disposed view is closed and all keys have arrived. Never rejects. */
  async whenClosed(): Promise<void> {
    await this.#closing;
  }

  async #closeTab(): Promise<void> {
    const { files, focus, logger } = this.#options;
    try {
      await this.#opening?.catch(() => undefined);
      await this.text.whenShown();
      await focus.unasked(() => closeDiff(this.sides.proposal));
    } catch (error) {
      logger.warn('the diff of a review could not be closed', { error: describeError(error) });
    } finally {
      files.remove(this.sides.proposal);
      files.remove(this.sides.original);
    }
  }
}

export interface ReviewViewOptions {
  readonly files: ReviewFileSystem;
  readonly focus: UserFocus;
  /** The URI of a file on disk. */
  readonly toUri: (path: string) => vscode.Uri;
  /** See `canShowFile`. */
  readonly isShowable: boolean;
  /** See `ReviewView.notKept`. */
  readonly notKept: (review: Review) => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** File and agent, as we know them. */
function knownTitleOf({ proposal, original }: Review): string {
  const file = visibleName(basename(proposal.path));
  const agent = nameOfAgent(proposal.agent);
  if (original.kind === 'missing') return vscode.l10n.t('{0} (new file by {1})', file, agent);
  return vscode.l10n.t('{0} (change by {1})', file, agent);
}

/** How many characters of the agent's own name for a change its tab shows. */
const maxAgentTitle = 60;
/** The agent's own name comes last: it may claim anything. */
const titleSeparator = ' \u00b7 ';

function titleOf(review: Review): string {
  const title = shownTitle(review.proposal.title, review.proposal.path);
  const known = knownTitleOf(review);
  return title === '' ? known : `${known}${titleSeparator}${shorten(title, maxAgentTitle)}`;
}

/** How many bytes VS Code reads to recognise a binary file. */
const sniffedBytes = 512;

/** Whether VS Code's text editor can show the file: it exists, and VS Code treats it as text in some encoding. */
export async function canShowFile({ original }: Pick<Review, 'original'>, path: string): Promise<boolean> {
  if (original.kind === 'missing') return false;
  if (original.kind === 'text') {
    return original.encoding === undefined && !original.text.slice(0, sniffedBytes).includes('\0');
  }
  try {
    const { bytes } = await readFileHead(path, { maxBytes: sniffedBytes });
    const isUtf16 = ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2));
    return isUtf16 || !bytes.includes(0);
  } catch {
    return false;
  }
}

function standInText({ original, proposal }: Review): string {
  if (original.kind === 'missing') return '';
  if (original.kind === 'text') return new Substitution(original.text, proposal.content).show(original.text);
  return vscode.l10n.t('This file is binary ({0} bytes).', original.size);
}
