import type { Clock } from './clock.js';
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
 * For so many milliseconds a file that was shared stays so without a new look at the disk, unless it is the active one: the
 * cursor moves many times a second, and the agent has just been sent the name.
 */
const sharedForMs = 500;

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
  /** The next run looks at every file. */
  #isThorough = false;
  #recentlyShared: ReadonlySet<Path> = new Set();
  #forgetting: Disposable | undefined;
  /** Something was sent since without a new look. */
  #isAssumed = false;
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
        if (options.isFollowed?.() !== false) void this.#update();
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
    this.#isThorough = true;
    return this.#update();
  }

  #update(): Promise<void> {
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
    this.#forget();
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
        if (this.#isThorough) this.#forget();
        this.#isThorough = false;
        const policyChanges = this.#policyChanges;
        const next = await this.#select(
          this.#options.feed.current,
          this.#options.maxFiles,
          this.#recentlyShared,
        );
        if (this.#owned.isDisposed || policyChanges !== this.#policyChanges) continue;
        this.#remember(next);
        this.#tell(next);
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

  /** Being sent again makes it no longer. After that the disk has the last word. */
  #remember({ openFiles }: EditorContext): void {
    const isAssumed = this.#recentlyShared.size > 0;
    this.#recentlyShared = new Set(openFiles.map(({ path }) => path));
    if (isAssumed) this.#isAssumed = true;
    this.#forgetting ??= this.#options.clock.setTimeout(() => {
      const isUnsure = this.#isAssumed;
      this.#forget();
      if (isUnsure) void this.#update();
    }, sharedForMs);
  }

  #forget(): void {
    this.#forgetting?.dispose();
    this.#forgetting = undefined;
    this.#recentlyShared = new Set();
    this.#isAssumed = false;
  }

  /**
   * The first files of a snapshot that may be shared. Judges none that cannot be among them, and none of `known` but the
   * active one.
   */
  async #select(
    snapshot: EditorContext,
    maxFiles: number,
    known: ReadonlySet<Path> = new Set(),
  ): Promise<EditorContext> {
    const survey = this.#options.policy.survey();
    const openFiles: OpenFile[] = [];
    for (let at = 0; at < snapshot.openFiles.length && openFiles.length < maxFiles; ) {
      const some = snapshot.openFiles.slice(at, at + Math.min(judgedAtOnce, maxFiles - openFiles.length));
      const isKnown = (path: Path): boolean => known.has(path) && path !== snapshot.activePath;
      const verdicts = await Promise.all(some.map(({ path }) => isKnown(path) || this.#isFit(path, survey)));
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
  readonly clock: Clock;
  readonly logger: Logger;
}
