import {
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  mergeText,
  onceDecided,
  type Review,
  toDocumentText,
} from '@tandem/core';
import { type DiskFile, readDiskFile } from './diskFile.js';
import type { DocumentServices } from './openDocument.js';
import { TouchDelay } from './touchDelay.js';

/**
 * The file of a pending review, as it lies on disk now: somebody else may write it while the review waits, and the agent
 * would write over that. Whoever creates it disposes it; it stops to look when the review has ended.
 */
export class ReviewedFile implements Disposable {
  /** It became, or is no longer, another file than the text takes into account. */
  readonly onDidChange: Event<void>;

  readonly #review: Review;
  readonly #logger: Logger;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  /** What the text takes into account: the file as it was proposed to, or as it was taken in later. */
  #known: DiskFile | undefined;
  #disk: DiskFile | undefined;

  constructor(review: Review, { logger, watches }: DocumentServices) {
    const { original, proposal } = review;
    this.#review = review;
    this.#logger = logger;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'a reviewed file')));
    this.onDidChange = this.#didChange.event;
    if (original.kind === 'text') this.#known = { kind: 'text', text: original.text, isReadOnly: false };
    if (original.kind === 'missing') this.#known = { kind: 'missing' };
    const delay = this.#owned.add(new TouchDelay(() => this.refresh()));
    this.#owned.add(watches.watch(proposal.path, () => delay.touch()));
    this.#owned.add(onceDecided(review, () => this.dispose()));
  }

  /** Whether accepting would replace something that came after the proposal. */
  get isChanged(): boolean {
    return this.#known !== undefined && this.#disk !== undefined && !isSame(this.#known, this.#disk);
  }

  /** Looks at the disk now. A file that cannot be read is as good as unchanged: the agent will say what it thinks of it. */
  async refresh(): Promise<void> {
    let disk: DiskFile;
    try {
      disk = await readDiskFile(this.#review.proposal.path);
    } catch (error) {
      this.#logger.warn('the file of a review cannot be read', { error: describeError(error) });
      return;
    }
    if (this.#owned.isDisposed) return;
    this.#set(() => {
      this.#disk = disk;
    });
  }

  /** `content` with what changed in the file; undefined when both changed the same lines, or it is no text now. */
  mergedWith(content: string): string | undefined {
    const [base, theirs] = [textOf(this.#known), textOf(this.#disk)];
    if (base === undefined || theirs === undefined) return undefined;
    const merged = mergeText(base, content, theirs);
    return merged.ok ? merged.text : undefined;
  }

  /** The text holds now what the file held when it was looked at last. */
  takenIn(): void {
    this.#set(() => {
      this.#known = this.#disk;
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #set(change: () => void): void {
    const before = this.isChanged;
    change();
    if (this.isChanged !== before) this.#didChange.fire();
  }
}

/** By their lines: an agent that rewrites the line ends of a file it is about to propose to has changed nothing. */
function isSame(one: DiskFile, other: DiskFile): boolean {
  if (one.kind === 'text' && other.kind === 'text') return textOf(one) === textOf(other);
  return one.kind === other.kind;
}

function textOf(file: DiskFile | undefined): string | undefined {
  if (file?.kind === 'missing') return '';
  return file?.kind === 'text' ? toDocumentText(file.text) : undefined;
}
