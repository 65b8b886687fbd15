import type { Companion } from '@tandem/companion';
import {
  type Disposable,
  describeError,
  type Editor,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
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
 * asks for that, and stops it. One thing at a time.
 */
export class CompanionHost implements Disposable {
  readonly #options: CompanionHostOptions;
  readonly #didChange: Emitter<void>;
  #state: CompanionState = { kind: 'starting' };
  #queue: Promise<void> = Promise.resolve();
  #isOver = false;
  /** The settings that the companion has. */
  #served: Settings | undefined;

  /** The state changed, or something happened in the companion. */
  readonly onDidChange: Event<void>;

  constructor(options: CompanionHostOptions) {
    this.#options = options;
    this.#didChange = new Emitter(logListenerError(options.logger, "the companion's state"));
    this.onDidChange = this.#didChange.event;
  }

  get state(): CompanionState {
    return this.#state;
  }

  /** The companion, while it runs. */
  get companion(): Companion | undefined {
    return this.#state.kind === 'running' ? this.#state.companion : undefined;
  }

  /** Starts the companion, or ends the one that runs and starts another. Never rejects: the state tells. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#stop();
      if (this.#isOver) return;
      this.#become({ kind: 'starting' });
      try {
        const companion = await this.#create();
        if (this.#isOver) return await companion.stop();
        const { port } = companion;
        this.#options.logger.info('agents find this window', {
          port,
          folders: companion.editor.workspace.folders(),
        });
        this.#become({ kind: 'running', companion });
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
      next.agents.join() !== served.agents.join() || next.respectsGitignore !== served.respectsGitignore;
    if (isOther) void this.restart();
    else if (next.denyList.join('\n') !== served.denyList.join('\n')) companion.policy.setDenyList(next.denyList);
    this.#served = next;
  }

  /** Ends the companion for good. Never rejects. */
  stop(): Promise<void> {
    this.#isOver = true;
    this.companion?.releaseSync();
    return this.#inTurn(() => this.#stop());
  }

  dispose(): void {
    void this.stop();
    this.#didChange.dispose();
  }

  async #create(): Promise<Companion> {
    const { editor, version, onTrace, logger } = this.#options;
    // Here and not at the top: it is the larger part of the extension, and the window is not to wait for it.
    const { createCompanion } = await import('@tandem/companion');
    const settings = this.#options.settings();
    const { agents, denyList, respectsGitignore, startsPaused } = settings;
    const companion = await createCompanion({
      editor,
      version,
      logger,
      agents,
      denyList,
      respectsGitignore,
      startsPaused,
      onTrace,
      onEvent: (event) => {
        logger.info(event.event, { ...event });
        this.#didChange.fire();
      },
    });
    this.#served = settings;
    return companion;
  }

  async #stop(): Promise<void> {
    const { companion } = this;
    if (companion === undefined) return;
    this.#become({ kind: 'stopped' });
    await companion.stop();
  }

  #become(state: CompanionState): void {
    this.#state = state;
    this.#didChange.fire();
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(step);
    return this.#queue;
  }
}

export interface CompanionHostOptions {
  readonly editor: Editor;
  readonly version: string;
  readonly settings: () => Settings;
  /** Hears every message as redacted JSON. */
  readonly onTrace: (line: string) => void;
  readonly logger: Logger;
}
