import {
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  type FileContent,
  type Logger,
  logListenerError,
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
  /** What the text takes into account. */
  #known: FileContent;
  #disk: DiskFile | undefined;
  #wasChanged = false;

  constructor(review: Review, { logger, watches }: DocumentServices) {
    const { original, proposal } = review;
    this.#review = review;
    this.#logger = logger;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(logger, 'a reviewed file')));
    this.onDidChange = this.#didChange.event;
    this.#known = original;
    const delay = this.#owned.add(new TouchDelay(() => this.refresh()));
    this.#owned.add(watches.watch(proposal.path, () => delay.touch()));
    this.#owned.add(review.onDidChange(() => this.#follow()));
    this.#owned.add(onceDecided(review, () => this.dispose()));
  }

  /** Whether accepting would replace something that came after the proposal. */
  get isChanged(): boolean {
    if (this.#known.kind === 'binary' || this.#disk === undefined) return false;
    return !isSame(this.#known, this.#disk);
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
    this.#disk = disk;
    this.#tell();
  }

  /** What was found there last, as a review takes it in; absent while nothing was found. */
  get content(): FileContent | undefined {
    const disk = this.#disk;
    if (disk === undefined || disk.kind === 'text' || disk.kind === 'missing') return disk;
    return { kind: 'binary', size: disk.size };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Somebody may have taken the file in, and may have seen more of it. */
  #follow(): void {
    if (this.#review.original === this.#known) return;
    this.#known = this.#review.original;
    void this.refresh();
  }

  #tell(): void {
    if (this.isChanged === this.#wasChanged) return;
    this.#wasChanged = this.isChanged;
    this.#didChange.fire();
  }
}

/** By their lines: an agent that rewrites the line ends of a file it is about to propose to has changed nothing. */
function isSame(known: FileContent, disk: DiskFile): boolean {
  if (known.kind === 'text' && disk.kind === 'text')
    return toDocumentText(known.text) === toDocumentText(disk.text);
  return known.kind === disk.kind;
}
