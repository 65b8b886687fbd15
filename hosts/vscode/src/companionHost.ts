import type { Companion, CompanionOptions, Journal, JournalContents, LostAgent } from '@tandem/companion';
import {
  type Disposable,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
} from '@tandem/core';
import { type Editor, type InterruptedReview, isEdited } from '@tandem/reviews';
import type { Settings } from './settings.js';

/** The state of this window's companion. */
export type CompanionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly companion: Companion }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };

/**
 * Starts, restarts and stops the companion of this window, one at a time. Each companion continues from the previous
 * one, also from that of a killed extension host.
 */
export class CompanionHost implements Disposable {
  readonly #options: CompanionHostOptions;
  readonly #didChange: Emitter<void>;
  readonly #didChangeKept: Emitter<void>;
  readonly #didLoseEdits: Emitter<readonly InterruptedReview[]>;
  readonly #didLoseAgent: Emitter<LostAgent>;
  #state: CompanionState = { kind: 'starting' };
  #queue: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** The current settings of the companion. */
  #served: Settings | undefined;

  /** The state changed, or something happened in the companion. */
  readonly onDidChange: Event<void>;
  /** `Companion.notKept` of a review changed. */
  readonly onDidChangeKept: Event<void>;
  /** After a restart these edited proposals are interrupted. */
  readonly onDidLoseEdits: Event<readonly InterruptedReview[]>;
  /** After a restart agents of this kind did not reconnect. */
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
   * Whether this review is interrupted, with a text that its file does not contain. An agent whose proposal is accepted in its
   * terminal may write just this text.
   */
  async isLeft(id: string): Promise<boolean> {
    const { companion } = this;
    await companion?.interruptedFiles.sweep();
    return companion?.interrupted.get(id) !== undefined;
  }

  /** Starts the companion, after stopping one that runs. Never rejects: see `state`. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      this.#options.flush();
      // The journal has it, if there is one.
      const before = this.#options.journalFolder === undefined ? this.companion?.save() : undefined;
      await this.#stop();
      if (this.#isStopped) return;
      this.#become({ kind: 'starting' });
      try {
        await this.#start(before && { ...before, endedInOrder: true });
      } catch (error) {
        this.#options.logger.error('the companion could not be started', { error: describeError(error) });
        this.#become({ kind: 'failed', message: describeError(error) });
      }
    });
  }

  /** Gives the companion new settings, by a restart if necessary. */
  settingsChanged(next: Settings): void {
    const served = this.#served;
    const { companion } = this;
    if (served === undefined || companion === undefined) return;
    const isOther =
      next.agents.join() !== served.agents.join() ||
      next.respectsGitignore !== served.respectsGitignore ||
      next.seesChanges !== served.seesChanges ||
      next.claudeConfigDir !== served.claudeConfigDir;
    if (isOther) void this.restart();
    else if (next.denyList.join('\n') !== served.denyList.join('\n'))
      companion.policy.setDenyList(next.denyList);
    companion.history.setLimits(next.historyLimits);
    this.#served = next;
  }

  /** Stops the companion for good; the next one can continue from it. Never rejects. */
  stop(): Promise<void> {
    this.#isStopped = true;
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
    // Imported here, because it is the largest part of the extension and must not delay the window.
    const { createCompanion, Journal } = await import('@tandem/companion');
    const journal = this.#openJournal((options) => Journal.open(options));
    const settings = this.#options.settings();
    const { agents, denyList, respectsGitignore, startsPaused, claudeConfigDir, historyLimits } = settings;
    const companion = await createCompanion({
      editor,
      version,
      logger,
      agents,
      denyList,
      respectsGitignore,
      startsPaused,
      ...(settings.seesChanges && { changes: { workerFile: this.#options.workerFile } }),
      history: historyLimits,
      onTrace,
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
    if (this.#isStopped) return companion.stop();
    this.#served = settings;
    companion.reviews.onDidChange(() => this.#changed());
    companion.journal.onDidChange(() => this.#didChangeKept.fire());
    companion.interrupted.onDidChange(() => this.#changed());
    const { port } = companion;
    logger.info('agents find this window', { port, folders: companion.editor.workspace.folders() });
    this.#become({ kind: 'running', companion });
    void companion.warmUp();
    // The settings may have changed meanwhile.
    this.settingsChanged(this.#options.settings());
    const sessions = new Set(companion.agents.sessions.map(({ id }) => id));
    const lost = companion.interrupted.all.filter(
      (review) => review.isNew && isEdited(review) && !sessions.has(review.session),
    );
    if (lost.length > 0) this.#didLoseEdits.fire(lost);
  }

  /** Each companion has its own, and closes it. */
  #openJournal(open: typeof Journal.open): Journal | undefined {
    const { journalFolder, window, logger } = this.#options;
    if (journalFolder === undefined) return undefined;
    try {
      return open({ folder: journalFolder, window, logger });
    } catch (error) {
      logger.warn('there is no journal: pending reviews are lost when this companion ends', {
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

  /** Logs a failed step, and continues with the next. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(step).catch((error: unknown) => {
      this.#options.logger.error('a step of the companion of this window failed', {
        error: describeError(error),
      });
    });
    return this.#queue;
  }
}

export interface CompanionHostOptions {
  readonly editor: Editor;
  readonly version: string;
  readonly settings: () => Settings;
  /** Writes a file at the user's request; see `CompanionOptions.writeFile`. */
  readonly writeFile: NonNullable<CompanionOptions['writeFile']>;
  /** See `CompanionOptions.changes`. */
  readonly workerFile: string;
  /** Folder of the journal. Without it a companion continues only from one of the same extension host. */
  readonly journalFolder: string | undefined;
  /** Applies unfinished input to the reviews, before they are handed to the next companion. */
  readonly flush: () => void;
  /** Identifies this window. */
  readonly window: string;
  /** Receives every message as redacted JSON. */
  readonly onTrace: (line: string) => void;
  readonly logger: Logger;
}
