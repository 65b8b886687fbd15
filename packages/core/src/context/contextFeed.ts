import type { Clock } from '../clock.js';
import { type Disposable, DisposableStore } from '../disposable.js';
import type { ContextSource, Workspace } from '../editor.js';
import { Emitter, type Event } from '../event.js';
import { describeError, type Logger, logListenerError } from '../logger.js';
import { truncateToBytes } from '../truncate.js';
import { type EditorContext, maxSharedSelectionBytes, type OpenFile } from './editorContext.js';

/** A burst of editor events is over when this many milliseconds pass without another. */
export const contextDebounceMs = 50;

/**
 * However long a burst lasts, its changes are sent this many milliseconds after it began. With the time that the host
 * needs to notice them and the agent to receive them, the total stays within 250 ms.
 */
export const contextMaxDelayMs = 200;

interface WatchedEditor {
  readonly context: ContextSource;
  readonly workspace: Workspace;
}

/**
 * Turns the editor's many events into one snapshot for all agents, ordered and truncated. `SharedContext` applies the
 * `SharingPolicy` to it for each agent, and compares it with the last message.
 */
export class ContextFeed implements Disposable {
  readonly #editor: WatchedEditor;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<EditorContext>;
  #current: EditorContext;
  /** Fires when no more events arrive. */
  #quiet: Disposable | undefined;
  /** Fires even while events keep arriving. A timer, because comparing times fails when the clock is set. */
  #deadline: Disposable | undefined;

  /** There is a new snapshot, which may equal the last one. */
  readonly onDidChange: Event<EditorContext>;

  constructor(options: {
    readonly editor: WatchedEditor;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#editor = options.editor;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#didChange = this.#owned.add(new Emitter(logListenerError(options.logger, 'the context feed')));
    this.onDidChange = this.#didChange.event;
    this.#current = normalise(options.editor.context.snapshot());
    this.#owned.add(options.editor.context.onDidChange(() => this.#schedule()));
    this.#owned.add(options.editor.workspace.onDidChange(() => this.#schedule()));
  }

  /** The latest snapshot that was fired. New sessions start from it. */
  get current(): EditorContext {
    return this.#current;
  }

  /** Takes a snapshot now instead of after the debounce. */
  flush(): void {
    this.#endBurst();
    if (this.#owned.isDisposed) return;
    this.#current = normalise(this.#editor.context.snapshot());
    this.#didChange.fire(this.#current);
  }

  dispose(): void {
    this.#endBurst();
    this.#owned.dispose();
  }

  #schedule(): void {
    if (this.#owned.isDisposed) return;
    this.#quiet?.dispose();
    this.#quiet = this.#clock.setTimeout(() => this.#flushLater(), contextDebounceMs);
    this.#deadline ??= this.#clock.setTimeout(() => this.#flushLater(), contextMaxDelayMs);
  }

  /** No caller can handle a failure, so it is logged. The next event retries. */
  #flushLater(): void {
    try {
      this.flush();
    } catch (error) {
      this.#logger.error('the editor could not report its open files', { error: describeError(error) });
    }
  }

  #endBurst(): void {
    this.#quiet?.dispose();
    this.#deadline?.dispose();
    this.#quiet = undefined;
    this.#deadline = undefined;
  }
}

/**
 * Orders files by their last focus, puts the active one first, merges two entries for the same path, and truncates the
 * selection. The CLIs treat the file with the greatest timestamp as the active one, so the active file's timestamp is
 * raised above all others if necessary.
 */
function normalise(snapshot: EditorContext): EditorContext {
  const byPath = new Map<string, OpenFile>();
  for (const file of snapshot.openFiles) {
    const known = byPath.get(file.path);
    byPath.set(file.path, known === undefined ? file : mergeEntries(known, file));
  }
  const active = snapshot.activePath === undefined ? undefined : byPath.get(snapshot.activePath);
  const others = [...byPath.values()]
    .filter((file) => file !== active)
    .sort((a, b) => b.lastFocusedAt - a.lastFocusedAt)
    .map(
      (file): OpenFile => (file.selection ? { path: file.path, lastFocusedAt: file.lastFocusedAt } : file),
    );
  if (active === undefined) return { openFiles: others, isTrusted: snapshot.isTrusted };
  const latest = others[0]?.lastFocusedAt ?? Number.NEGATIVE_INFINITY;
  const first: OpenFile = {
    path: active.path,
    lastFocusedAt: active.lastFocusedAt > latest ? active.lastFocusedAt : latest + 1,
    ...(active.selection && {
      selection: {
        ...active.selection,
        text: truncateToBytes(active.selection.text, maxSharedSelectionBytes),
      },
    }),
  };
  return { openFiles: [first, ...others], activePath: first.path, isTrusted: snapshot.isTrusted };
}

/** One file in two panes: uses the later focus, and the selection of either pane. */
function mergeEntries(one: OpenFile, other: OpenFile): OpenFile {
  const [latest, earlier] = one.lastFocusedAt < other.lastFocusedAt ? [other, one] : [one, other];
  const selection = latest.selection ?? earlier.selection;
  return { ...latest, ...(selection && { selection }) };
}
