import type { ContextFeed } from './contextFeed.js';
import { type Disposable, DisposableStore } from './disposable.js';
import { type EditorContext, maxSharedFiles, type OpenFile } from './editorContext.js';
import { Emitter, type Event } from './event.js';
import { describeError, type Logger, logListenerError } from './logger.js';
import type { Path } from './position.js';
import type { AgentIdentity, SharingPolicy } from './sharingPolicy.js';

/**
 * What one agent may see of the editor: the feed's snapshot without files that the policy holds back or that are
 * not on disk, at most ten. All sessions of that agent share it.
 */
export class SharedContext implements Disposable {
  readonly #options: SharedContextOptions;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<EditorContext>;
  #current: EditorContext;
  #currentKey: string;
  #running: Promise<void> | undefined;
  #isStale = false;

  /** What the agent may see changed. */
  readonly onDidChange: Event<EditorContext>;

  constructor(options: SharedContextOptions) {
    this.#options = options;
    this.#didChange = this.#owned.add(new Emitter(logListenerError(options.logger, 'the shared context')));
    this.onDidChange = this.#didChange.event;
    this.#current = { openFiles: [], isTrusted: options.feed.current.isTrusted };
    this.#currentKey = JSON.stringify(this.#current);
    this.#owned.add(options.feed.onDidChange(() => void this.refresh()));
    this.#owned.add(options.policy.onDidChange(() => void this.refresh()));
  }

  /** What was last found fit to share. Empty until the first `refresh`. */
  get current(): EditorContext {
    return this.#current;
  }

  /**
   * Applies the policy to the feed's present snapshot. Runs one at a time; a call that comes while one runs makes
   * it run once more, and resolves after that.
   */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #run(): Promise<void> {
    while (this.#isStale && !this.#owned.isDisposed) {
      this.#isStale = false;
      const next = await this.#select(this.#options.feed.current);
      if (this.#owned.isDisposed) return;
      const key = JSON.stringify(next);
      // Something newer may already be known; telling the older first would only delay it.
      if (this.#isStale || key === this.#currentKey) continue;
      this.#current = next;
      this.#currentKey = key;
      this.#didChange.fire(next);
    }
  }

  async #select(snapshot: EditorContext): Promise<EditorContext> {
    const { policy, agent, isOnDisk, logger } = this.#options;
    const openFiles: OpenFile[] = [];
    for (const file of policy.isPaused ? [] : snapshot.openFiles) {
      if (openFiles.length === maxSharedFiles) break;
      try {
        if ((await policy.verdict(agent, file.path)).isShared && (await isOnDisk(file.path))) openFiles.push(file);
      } catch (error) {
        // What cannot be judged is not shared.
        logger.warn('a file is held back because the policy could not judge it', { error: describeError(error) });
      }
    }
    const active = openFiles[0]?.path === snapshot.activePath ? snapshot.activePath : undefined;
    return {
      openFiles,
      ...(active !== undefined && { activePath: active }),
      isTrusted: snapshot.isTrusted,
    };
  }
}

export interface SharedContextOptions {
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly agent: AgentIdentity;
  /** Whether a regular file lies at the path. */
  readonly isOnDisk: (path: Path) => Promise<boolean>;
  readonly logger: Logger;
}
