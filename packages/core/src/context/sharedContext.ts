import type { Clock } from '../clock.js';
import { type Disposable, DisposableStore } from '../disposable.js';
import { Emitter, type Event } from '../event.js';
import { describeError, type Logger, logListenerError } from '../logger.js';
import type { Path } from '../position.js';
import type { FileCache } from '../sharing/fileCache.js';
import type { AgentIdentity, SharingPolicy } from '../sharing/sharingPolicy.js';
import type { ContextFeed } from './contextFeed.js';
import type { EditorContext, OpenFile } from './editorContext.js';

/** At most this many files are checked at once: each check reads from disk. */
const judgedAtOnce = 16;

/**
 * For this many milliseconds a file stays shared without another check on disk, unless it is the active one: the cursor
 * moves many times a second, and the agent has just received the name.
 */
const sharedForMs = 500;

/**
 * What one agent may see of the editor: the feed's snapshot without files that the policy hides or that are not on
 * disk, up to the number of files that the agent accepts; and the message that reports it. All sessions of that agent
 * share it.
 */
export class SharedContext<Message extends object> implements Disposable {
  readonly #options: SharedContextOptions<Message>;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  #current: EditorContext;
  #message: Message | undefined;
  #encoded: string | undefined;
  #running: Promise<void> | undefined;
  #isStale = false;
  /** The next run checks every file. */
  #isThorough = false;
  #recentlyShared: ReadonlySet<Path> = new Set();
  #forgetting: Disposable | undefined;
  /** A file was shared since without a new check. */
  #isAssumed = false;
  /** Counts policy changes: a selection that started before one may be wrong. */
  #policyChanges = 0;

  /** `message` changed. */
  readonly onDidChange: Event<void>;

  constructor(options: SharedContextOptions<Message>) {
    this.#options = options;
    this.#didChange = this.#owned.add(new Emitter(logListenerError(options.logger, 'the shared context')));
    this.onDidChange = this.#didChange.event;
    this.#current = { openFiles: [], isTrusted: options.feed.current.isTrusted };
    this.#encode();
    this.#owned.add(
      options.feed.onDidChange(() => {
        if (options.isFollowed?.() !== false) void this.#update();
      }),
    );
    this.#owned.add(options.policy.onDidChange(() => this.#withdraw()));
  }

  /**
   * The last context that may be shared. Empty until the first `refresh`. A file can be deleted, or listed in an ignore
   * file, without an event in the editor. Callers that must not name such a file call `refresh` first.
   */
  get current(): EditorContext {
    return this.#current;
  }

  /** The message that reports `current`; the same object until it changes. Undefined if it cannot be encoded. */
  get message(): Message | undefined {
    return this.#message;
  }

  /**
   * Applies the policy to the feed's current snapshot. Only one run is active at a time. A call during a run causes one
   * more run, and resolves after that.
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

  /** What may be shared now, with the latest events of the editor: answers to agents do not wait for the debounce. */
  async latest(): Promise<EditorContext> {
    this.#options.feed.flush();
    await this.refresh();
    return this.#current;
  }

  /** All open files that may be shared now, regardless of `maxFiles`. */
  async all(): Promise<EditorContext> {
    this.#options.feed.flush();
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
   * The policy changed, so agents may have received files that it now hides. Withdraws everything immediately,
   * before the files are checked again, so that no answer uses the old context meanwhile.
   */
  #withdraw(): void {
    this.#policyChanges++;
    this.#publish({ openFiles: [], isTrusted: this.#options.feed.current.isTrusted });
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
        this.#publish(next);
      }
    } finally {
      // Synchronous with the last check of `#isStale`, so that no call waits for a finished run.
      this.#running = undefined;
    }
  }

  #publish(next: EditorContext): void {
    this.#current = next;
    if (this.#encode()) this.#didChange.fire();
  }

  /** Returns whether the message changed. */
  #encode(): boolean {
    const { encode, agent, logger } = this.#options;
    let message: Message | undefined;
    try {
      message = encode(this.#current);
    } catch (error) {
      const fields = { agent: agent.id, error: describeError(error) };
      logger.error('a context update was not sent because it is not valid', fields);
    }
    const encoded = JSON.stringify(message);
    if (encoded === this.#encoded) return false;
    this.#message = message;
    this.#encoded = encoded;
    return true;
  }

  /** Sharing a file again does not extend the time. After `sharedForMs` the file is checked on disk again. */
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
   * The first files of a snapshot that may be shared. Skips the check for files beyond `maxFiles` and for those in
   * `known`, except the active one.
   */
  async #select(
    snapshot: EditorContext,
    maxFiles: number,
    known: ReadonlySet<Path> = new Set(),
  ): Promise<EditorContext> {
    const cache = this.#options.policy.fileCache();
    const openFiles: OpenFile[] = [];
    for (let at = 0; at < snapshot.openFiles.length && openFiles.length < maxFiles; ) {
      const some = snapshot.openFiles.slice(at, at + Math.min(judgedAtOnce, maxFiles - openFiles.length));
      const isKnown = (path: Path): boolean => known.has(path) && path !== snapshot.activePath;
      const verdicts = await Promise.all(some.map(({ path }) => isKnown(path) || this.#isFit(path, cache)));
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

  async #isFit(path: Path, cache: FileCache): Promise<boolean> {
    const { policy, agent } = this.#options;
    return (await policy.verdict(agent, path, cache)).isShared && cache.isOnDisk(path);
  }
}

/** What `SharedContext` needs from the agent that it serves. */
export interface SharedContextOptions<Message extends object> {
  readonly feed: ContextFeed;
  readonly policy: SharingPolicy;
  readonly agent: AgentIdentity;
  /** The context contains at most this many files, those last in focus. */
  readonly maxFiles: number;
  /** Encodes the context as the agent's protocol requires. May throw. */
  readonly encode: (context: EditorContext) => Message;
  /**
   * Whether an agent receives the context now. If not, events of the editor are ignored, and the next follower calls
   * `refresh` first. Defaults to always.
   */
  readonly isFollowed?: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}
