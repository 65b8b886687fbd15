import type { Companion, InterruptedReview, Journal, JournalContents, LostAgent } from '@tandem/companion';
import {
  type Disposable,
  describeError,
  type Editor,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
} from '@tandem/core';
import type { Settings } from './settings.js';

/** How the companion of this window is. */
export type CompanionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly companion: Companion }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };

/**
 * The life of this window's companion: starts it when the extension has been activated, starts it anew when a setting
 * asks for that, and stops it. Each takes over from the one before, also from that of an extension host that was
 * killed. One thing at a time.
 */
export class CompanionHost implements Disposable {
  readonly #options: CompanionHostOptions;
  readonly #didChange: Emitter<void>;
  readonly #didChangeKept: Emitter<void>;
  readonly #didLoseEdits: Emitter<readonly InterruptedReview[]>;
  readonly #didLoseAgent: Emitter<LostAgent>;
  #state: CompanionState = { kind: 'starting' };
  #queue: Promise<void> = Promise.resolve();
  #isOver = false;
  /** The settings that the companion has. */
  #served: Settings | undefined;

  /** The state changed, or something happened in the companion. */
  readonly onDidChange: Event<void>;
  /** A crash would lose some review now, or would not any more; see `Companion.notKept`. */
  readonly onDidChangeKept: Event<void>;
  /** A companion has followed another, and nobody waits any more for these proposals that were edited. */
  readonly onDidLoseEdits: Event<readonly InterruptedReview[]>;
  /** A companion has followed another, and agents of this kind did not come back by themselves. */
  readonly onDidLoseAgent: Event<LostAgent>;

  constructor(options: CompanionHostOptions) {
    this.#options = options;
    const onError = logListenerError(options.logger, "the companion's state");
    this.#didChange = new Emitter(onError);
    this.#didChangeKept = new Emitter(onError);
    this.#didLoseEdits = new Emitter(onError);
    this.#didLoseAgent = new Emitter(onError);
    this.onDidChange = this.#didChange.event;
    this.onDidChangeKept = this.#didChangeKept.event;
    this.onDidLoseEdits = this.#didLoseEdits.event;
    this.onDidLoseAgent = this.#didLoseAgent.event;
  }

  get state(): CompanionState {
    return this.#state;
  }

  /** The companion, while it runs. */
  get companion(): Companion | undefined {
    return this.#state.kind === 'running' ? this.#state.companion : undefined;
  }

  /**
   * Whether this text waits in vain: nobody takes it any more, and its file does not hold it. An agent that is told "yes"
   * in its terminal may write just this.
   */
  async isLeft(text: { isOf(review: InterruptedReview): boolean }): Promise<boolean> {
    const { companion } = this;
    await companion?.interruptedFiles.sweep();
    return companion?.interrupted.all.some((review) => text.isOf(review)) ?? false;
  }

  /** Starts the companion, or ends the one that runs and starts another. Never rejects: the state tells. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      this.#options.flush();
      // With a journal it is found there.
      const before = this.#options.journalFolder === undefined ? this.companion?.save() : undefined;
      await this.#stop();
      if (this.#isOver) return;
      this.#become({ kind: 'starting' });
      try {
        await this.#start(before && { ...before, endedInOrder: true });
      } catch (error) {
        this.#options.logger.error('the companion could not be started', { error: describeError(error) });
        this.#become({ kind: 'failed', message: describeError(error) });
      }
    });
  }

  /** Gives the companion new settings, by starting it anew where it cannot take them otherwise. */
  settingsChanged(next: Settings): void {
    const served = this.#served;
    const { companion } = this;
    if (served === undefined || companion === undefined) return;
    const isOther =
      next.agents.join() !== served.agents.join() ||
      next.respectsGitignore !== served.respectsGitignore ||
      next.claudeConfigDir !== served.claudeConfigDir;
    if (isOther) void this.restart();
    else if (next.denyList.join('\n') !== served.denyList.join('\n'))
      companion.policy.setDenyList(next.denyList);
    this.#served = next;
  }

  /** Ends the companion for good, in a way that the next one can go on from. Never rejects. */
  stop(): Promise<void> {
    this.#isOver = true;
    return this.#inTurn(() => this.#stop());
  }

  dispose(): void {
    void this.stop();
    this.#didChange.dispose();
    this.#didChangeKept.dispose();
    this.#didLoseEdits.dispose();
    this.#didLoseAgent.dispose();
  }

  async #start(before: JournalContents | undefined): Promise<void> {
    const { editor, version, onTrace, logger, writeFile } = this.#options;
    // Here and not at the top: it is the larger part of the extension, and the window is not to wait for it.
    const { createCompanion, Journal, isEdited } = await import('@tandem/companion');
    const journal = this.#openJournal((options) => Journal.open(options));
    const settings = this.#options.settings();
    const { agents, denyList, respectsGitignore, startsPaused, claudeConfigDir } = settings;
    const companion = await createCompanion({
      editor,
      version,
      logger,
      agents,
      denyList,
      respectsGitignore,
      startsPaused,
      onTrace,
      keepsWithdrawnEdits: true,
      onEvent: (event) => {
        logger.info(event.event, { ...event });
        if (event.event === 'session.lost') this.#didLoseAgent.fire(event);
        this.#changed();
      },
      writeFile,
      ...(claudeConfigDir !== undefined && { claudeConfigDir }),
      ...(journal && { journal }),
      ...(before && { before }),
    });
    if (this.#isOver) return companion.stop();
    this.#served = settings;
    companion.reviews.onDidChange(() => this.#changed());
    companion.onDidChangeKept(() => this.#didChangeKept.fire());
    companion.interrupted.onDidChange(() => this.#changed());
    const { port } = companion;
    logger.info('agents find this window', { port, folders: companion.editor.workspace.folders() });
    this.#become({ kind: 'running', companion });
    void companion.warmUp();
    // They may have changed while it started.
    this.settingsChanged(this.#options.settings());
    const sessions = new Set(companion.sessions().map(({ id }) => id));
    const lost = companion.interrupted.all.filter(
      (review) => review.isNew && isEdited(review) && !sessions.has(review.session),
    );
    if (lost.length > 0) this.#didLoseEdits.fire(lost);
  }

  /** Each companion has one of its own, and closes it. */
  #openJournal(open: typeof Journal.open): Journal | undefined {
    const { journalFolder, window, logger } = this.#options;
    if (journalFolder === undefined) return undefined;
    try {
      return open({ folder: journalFolder, window, logger });
    } catch (error) {
      logger.warn('there is no journal: pending reviews do not outlive this companion', {
        error: describeError(error),
      });
      return undefined;
    }
  }

  async #stop(): Promise<void> {
    const { companion } = this;
    if (companion === undefined) return;
    this.#become({ kind: 'stopped' });
    await companion.stop();
  }

  #changed(): void {
    this.#didChange.fire();
  }

  #become(state: CompanionState): void {
    this.#state = state;
    this.#didChange.fire();
  }

  /** What fails in one step is told, and the next one is taken all the same. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(step).catch((error: unknown) => {
      this.#options.logger.error('the companion of this window', { error: describeError(error) });
    });
    return this.#queue;
  }
}

export interface CompanionHostOptions {
  readonly editor: Editor;
  readonly version: string;
  readonly settings: () => Settings;
  /** Writes a file because the person asked for it; see `CompanionOptions.writeFile`. */
  readonly writeFile: (path: Path, text: string) => Promise<void>;
  /** Where what a restart needs is kept; without it a companion follows none but of this extension host. */
  readonly journalFolder: string | undefined;
  /** Takes over at once what is being typed into reviews, before they go to the next companion. */
  readonly flush: () => void;
  /** What tells this window from others. */
  readonly window: string;
  /** Hears every message as redacted JSON. */
  readonly onTrace: (line: string) => void;
  readonly logger: Logger;
}
