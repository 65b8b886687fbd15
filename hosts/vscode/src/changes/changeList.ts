import type { ChangedFileSummary, ChangeGroup, Companion } from '@tandem/companion';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
} from '@tandem/core';
import type { SessionSummary } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { CompanionHost } from '../companionHost.js';
import { contextKey } from '../contextKeys.js';

/** Changes within this many milliseconds are reported once. */
const coalesceMs = 100;
/** Whether an accepted review changed a file; the view and its commands depend on it. */
const hasChangesContext = 'tandem.hasChanges';

/** What agents changed: follows the history and the files. */
export class ChangeList implements Disposable {
  /** A session, a review or a file is another one. */
  readonly onDidChange: Event<void>;

  readonly #host: CompanionHost;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #setHasChanges = contextKey(hasChangesContext);
  readonly #didChange: Emitter<void>;
  readonly #listed = new Set<Path>();
  #companion: Companion | undefined;
  #following: Disposable | undefined;
  #timer: Disposable | undefined;

  constructor(of: { readonly host: CompanionHost; readonly clock: Clock; readonly logger: Logger }) {
    this.#host = of.host;
    this.#clock = of.clock;
    this.#didChange = this.#owned.add(new Emitter<void>(logListenerError(of.logger, 'the changes')));
    this.onDidChange = this.#didChange.event;
    this.#owned.add(of.host.onDidChange(() => this.#follow()));
    const watcher = this.#owned.add(vscode.workspace.createFileSystemWatcher('**/*'));
    const touch = ({ fsPath }: vscode.Uri): void => void (this.#listed.has(fsPath) && this.#touch());
    for (const on of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete])
      this.#owned.add(on(touch));
    this.#follow();
  }

  get companion(): Companion | undefined {
    return this.#host.companion;
  }

  /** The sessions whose accepted reviews changed files. */
  get sessions(): readonly SessionSummary[] {
    return this.companion?.sessions.list().filter(({ files }) => files > 0) ?? [];
  }

  /** The files that a session changed, or all. Rejects with `RpcError`. */
  async files(session: string | undefined): Promise<readonly ChangedFileSummary[]> {
    const files = (await this.companion?.changes.summaries({ session })) ?? [];
    for (const { path } of files) this.#listed.add(path);
    return files;
  }

  /** The same by turn. Rejects with `RpcError`. */
  async groups(session: string): Promise<readonly ChangeGroup[]> {
    const groups = (await this.companion?.changes.groups(session)) ?? [];
    for (const { path } of groups.flatMap(({ files }) => files)) this.#listed.add(path);
    return groups;
  }

  /** Makes something the first time that changes wait for the user. Disposing the result disposes that. */
  whenWaiting(make: () => Promise<Disposable>): Disposable {
    let made: Promise<Disposable> | undefined;
    const follow = (): void => {
      if (made === undefined && (this.companion?.changes.waitingPaths().size ?? 0) > 0) made = make();
    };
    const following = this.onDidChange(follow);
    follow();
    return {
      dispose: () => {
        following.dispose();
        void made?.then((each) => each.dispose());
      },
    };
  }

  /** Whether changes of a session wait for the user. */
  waits(session: string): boolean {
    return (this.companion?.changes.waitingPaths(session).size ?? 0) > 0;
  }

  /** How many files have changes that wait. Rejects with `RpcError`. */
  async countWaiting(): Promise<number> {
    const { companion } = this;
    return companion === undefined || companion.changes.waitingPaths().size === 0
      ? 0
      : companion.changes.countWaiting();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#following?.dispose();
    this.#owned.dispose();
  }

  #follow(): void {
    const { companion } = this;
    if (companion === this.#companion) return;
    this.#companion = companion;
    this.#following?.dispose();
    this.#following = companion?.history.onDidChange(() => this.#touch());
    this.#touch();
  }

  #touch(): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#setHasChanges(this.sessions.length > 0);
      this.#didChange.fire();
    }, coalesceMs);
  }
}
