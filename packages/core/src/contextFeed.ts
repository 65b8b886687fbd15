import type { Clock } from './clock.js';
import { type Disposable, DisposableStore } from './disposable.js';
import type { Editor } from './editor.js';
import { type EditorContext, maxSharedSelectionBytes, type OpenFile } from './editorContext.js';
import { Emitter, type Event } from './event.js';
import { describeError, type Logger, logListenerError } from './logger.js';
import { truncateToBytes } from './text/truncate.js';

/** A burst of editor events is over when this many milliseconds pass without another. */
export const contextDebounceMs = 50;

/**
 * However long a burst lasts, its changes are sent this many milliseconds after it began. With what a host needs to
 * notice them and an agent to receive them, that is within 250 ms.
 */
export const contextMaxDelayMs = 200;

/**
 * Turns the editor's many events into one snapshot for all agents: ordered, cut to size, and fired only when it
 * differs from the last one. What an agent may see of it is the `SharingPolicy`'s business (`SharedContext`).
 */
export class ContextFeed implements Disposable {
  readonly #editor: Pick<Editor, 'context' | 'workspace'>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<EditorContext>;
  #current: EditorContext;
  /** Runs out when nothing more happens. */
  #quiet: Disposable | undefined;
  /** Runs out however much happens. A timer and no comparison of times, which a clock that is set would upset. */
  #deadline: Disposable | undefined;

  /** The snapshot changed. */
  readonly onDidChange: Event<EditorContext>;

  constructor(options: {
    readonly editor: Pick<Editor, 'context' | 'workspace'>;
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

  /** The latest snapshot that was fired; what a session that connects starts from. */
  get current(): EditorContext {
    return this.#current;
  }

  /** Takes a snapshot now instead of after the debounce. */
  flush(): void {
    this.#endBurst();
    if (this.#owned.isDisposed) return;
    const next = normalise(this.#editor.context.snapshot());
    if (isSame(next, this.#current)) return;
    this.#current = next;
    this.#didChange.fire(next);
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

  /** Nobody is there to hear of a failure. The next event tries again. */
  #flushLater(): void {
    try {
      this.flush();
    } catch (error) {
      this.#logger.error('the editor could not say what is open', { error: describeError(error) });
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
 * Orders files by their last focus, puts the active one first, makes one entry of two for the same path, and cuts
 * the selection. The CLIs take the file with the greatest timestamp for the active one, so the active file's is
 * raised above all others when the editor's clock says otherwise.
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

/** Of two that are normalised. There may be thousands of open files, and only the first has a selection. */
function isSame(one: EditorContext, other: EditorContext): boolean {
  return (
    one.activePath === other.activePath &&
    one.isTrusted === other.isTrusted &&
    one.openFiles.length === other.openFiles.length &&
    one.openFiles.every((file, at) => {
      const against = other.openFiles[at];
      return file.path === against?.path && file.lastFocusedAt === against.lastFocusedAt;
    }) &&
    JSON.stringify(one.openFiles[0]?.selection) === JSON.stringify(other.openFiles[0]?.selection)
  );
}

/** One file in two panes: the later focus counts, and a selection is not lost with the other pane. */
function mergeEntries(one: OpenFile, other: OpenFile): OpenFile {
  const [latest, earlier] = one.lastFocusedAt < other.lastFocusedAt ? [other, one] : [one, other];
  const selection = latest.selection ?? earlier.selection;
  return { ...latest, ...(selection && { selection }) };
}
