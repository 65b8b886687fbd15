import type { ContextFeed } from './contextFeed.js';
import { type Disposable, DisposableStore } from './disposable.js';
import type { EditorContext, OpenFile } from './editorContext.js';
import { Emitter, type Event } from './event.js';
import type { FileSurvey } from './fileSurvey.js';
import { type Logger, logListenerError } from './logger.js';
import type { Path } from './position.js';
import type { AgentIdentity, SharingPolicy } from './sharingPolicy.js';

/** At most this many files are judged at once: each asks the disk. */
const judgedAtOnce = 16;

/**
 * What one agent may see of the editor: the feed's snapshot without files that the policy holds back or that are
 * not on disk, at most as many as the agent takes. All sessions of that agent share it.
 */
export class SharedContext implements Disposable {
  readonly #options: SharedContextOptions;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<EditorContext>;
  #current: EditorContext;
  #currentKey: string;
  #running: Promise<void> | undefined;
  #isStale = false;
  /** Counts what may make an answer wrong that was begun before it. */
  #policyChanges = 0;

  /** What the agent may see changed. */
  readonly onDidChange: Event<EditorContext>;

  constructor(options: SharedContextOptions) {
    this.#options = options;
    this.#didChange = this.#owned.add(new Emitter(logListenerError(options.logger, 'the shared context')));
    this.onDidChange = this.#didChange.event;
    this.#current = { openFiles: [], isTrusted: options.feed.current.isTrusted };
    this.#currentKey = JSON.stringify(this.#current);
    this.#owned.add(
      options.feed.onDidChange(() => {
        if (options.isFollowed?.() !== false) void this.refresh();
      }),
    );
    this.#owned.add(options.policy.onDidChange(() => this.#takeBack()));
  }

  /**
   * What was last found fit to share. Empty until the first `refresh`. Who must not name a file that vanished or that
   * an ignore file has come to name since, with no event in the editor, calls `refresh` before.
   */
  get current(): EditorContext {
    return this.#current;
  }

  /**
   * Applies the policy to the feed's present snapshot. Runs one at a time; a call that comes while one runs makes
   * it run once more, and resolves after that.
   */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** All open files that may be shared now, by the feed's present snapshot, however few the agent takes by itself. */
  async all(): Promise<EditorContext> {
    for (;;) {
      const policyChanges = this.#policyChanges;
      const found = await this.#select(this.#options.feed.current, Number.POSITIVE_INFINITY);
      if (policyChanges === this.#policyChanges) return found;
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /**
   * The policy changed, perhaps against what agents hold. It is taken back at once, before files are asked for what
   * may be told now, so that nothing is answered from it meanwhile.
   */
  #takeBack(): void {
    this.#policyChanges++;
    this.#tell({ openFiles: [], isTrusted: this.#options.feed.current.isTrusted });
    void this.refresh();
  }

  async #run(): Promise<void> {
    try {
      while (this.#isStale && !this.#owned.isDisposed) {
        this.#isStale = false;
        const policyChanges = this.#policyChanges;
        const next = await this.#select(this.#options.feed.current, this.#options.maxFiles);
        if (!this.#owned.isDisposed && policyChanges === this.#policyChanges) this.#tell(next);
      }
    } finally {
      // In one step with the last look at `#isStale`, so that no call waits for a run that is over.
      this.#running = undefined;
    }
  }

  #tell(next: EditorContext): void {
    const key = JSON.stringify(next);
    if (key === this.#currentKey) return;
    this.#current = next;
    this.#currentKey = key;
    this.#didChange.fire(next);
  }

  /** The first files of a snapshot that may be shared. Judges none that cannot be among them. */
  async #select(snapshot: EditorContext, maxFiles: number): Promise<EditorContext> {
    const survey = this.#options.policy.survey();
    const openFiles: OpenFile[] = [];
    for (let at = 0; at < snapshot.openFiles.length && openFiles.length < maxFiles; ) {
      const some = snapshot.openFiles.slice(at, at + Math.min(judgedAtOnce, maxFiles - openFiles.length));
      const verdicts = await Promise.all(some.map(({ path }) => this.#isFit(path, survey)));
      openFiles.push(...some.filter((_file, index) => verdicts[index]));
      at += some.length;
    }
    const active = openFiles[0]?.path === snapshot.activePath ? snapshot.activePath : undefined;
    return {
      openFiles,
      ...(active !== undefined && { activePath: active }),
      isTrusted: snapshot.isTrusted,
    };
  }

  async #isFit(path: Path, survey: FileSurvey): Promise<boolean> {
    const { policy, agent } = this.#options;
    return (await policy.verdict(agent, path, survey)).isShared && survey.isOnDisk(path);
  }
}

export interface SharedContextOptions {
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly agent: AgentIdentity;
  /** At most this many files are reported by itself, those last in focus. */
  readonly maxFiles: number;
  /**
   * Whether anyone is to receive it now. While not, what happens in the editor is passed over, and who follows it next
   * calls `refresh` before. Always, when left out.
   */
  readonly isFollowed?: () => boolean;
  readonly logger: Logger;
}
