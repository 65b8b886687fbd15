import { readFile, realpath, stat } from 'node:fs/promises';
import {
  type Disposable,
  DocumentError,
  type DocumentState,
  type Editor,
  type EditorContext,
  Emitter,
  type Logger,
  logListenerError,
  type OpenFile,
  type Path,
  type Position,
  type Range,
  type Review,
  toDisposable,
} from '@tandem/core';

/** More files than this are not kept open; agents are told of ten. */
const maxOpenFiles = 100;

/**
 * The editor of a companion without an IDE: it knows what a person looks at because they say so, with
 * `tandem focus` from whatever they really edit in. Reviews are decided with `tandem review`, so showing one needs
 * no view. It never writes a file.
 */
export class StandaloneEditor implements Editor, Disposable {
  readonly info: Editor['info'];
  readonly workspace: Editor['workspace'];
  readonly context: Editor['context'];
  readonly documents: Editor['documents'];
  readonly reviews: Editor['reviews'];

  readonly #open = new Map<Path, OpenFile>();
  readonly #didChange: Emitter<void>;
  readonly #didChangeWorkspace: Emitter<void>;
  #activePath: Path | undefined;

  /** `folders` are real paths. */
  constructor(options: {
    readonly folders: readonly Path[];
    readonly isTrusted: boolean;
    readonly version: string;
    readonly logger: Logger;
  }) {
    const onError = logListenerError(options.logger, 'the editor');
    this.#didChange = new Emitter<void>(onError);
    this.#didChangeWorkspace = new Emitter<void>(onError);
    this.info = { name: 'tandem', displayName: 'Tandem', version: options.version, pid: process.pid };
    this.workspace = {
      folders: () => options.folders,
      isTrusted: () => options.isTrusted,
      onDidChange: this.#didChangeWorkspace.event,
    };
    this.context = { snapshot: () => this.#snapshot(options.isTrusted), onDidChange: this.#didChange.event };
    this.documents = {
      open: (path, how) => this.#openFile(path, how ?? {}),
      state: (path) => this.#state(path),
      save: async (path) => this.#open.has(path),
      close: async (path) => this.#close(path),
    };
    this.reviews = { show: async (_review: Review) => toDisposable(() => {}) };
  }

  dispose(): void {
    this.#didChange.dispose();
    this.#didChangeWorkspace.dispose();
  }

  #snapshot(isTrusted: boolean): EditorContext {
    return {
      openFiles: [...this.#open.values()],
      ...(this.#activePath !== undefined && { activePath: this.#activePath }),
      isTrusted,
    };
  }

  async #openFile(asked: Path, how: { readonly range?: Range; readonly takeFocus?: boolean }): Promise<void> {
    const path = await existingFile(asked);
    const isActive = how.takeFocus === true || path === this.#activePath;
    const known = this.#open.get(path);
    const range = how.range ?? known?.selection?.range;
    // The text is read again even when the range is the old one: the file may have changed.
    const selection = range && (await selectionIn(path, range));
    this.#open.set(path, {
      path,
      lastFocusedAt: isActive || known === undefined ? Date.now() : known.lastFocusedAt,
      ...(selection && { selection }),
    });
    if (how.takeFocus) this.#activePath = path;
    this.#forgetOldest();
    this.#didChange.fire();
  }

  #state(path: Path): DocumentState | undefined {
    // Nothing is typed here, so nothing is unsaved.
    return this.#open.has(path) ? { isDirty: false } : undefined;
  }

  #close(path: Path): boolean {
    const wasOpen = this.#open.delete(path);
    if (path === this.#activePath) this.#activePath = undefined;
    if (wasOpen) this.#didChange.fire();
    return wasOpen;
  }

  #forgetOldest(): void {
    if (this.#open.size <= maxOpenFiles) return;
    const [oldest] = [...this.#open.values()]
      .filter(({ path }) => path !== this.#activePath)
      .sort((a, b) => a.lastFocusedAt - b.lastFocusedAt);
    if (oldest !== undefined) this.#open.delete(oldest.path);
  }
}

async function existingFile(path: Path): Promise<Path> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new DocumentError('not-a-file', `${path} is not a file.`);
    return await realpath(path);
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    throw new DocumentError('not-found', `${path} does not exist or cannot be read.`, { cause: error });
  }
}

/** The selection that `range` means in the file as it is now: what lies beyond its end is cut off. */
async function selectionIn(path: Path, range: Range): Promise<NonNullable<OpenFile['selection']>> {
  const lines = (await readFile(path, 'utf8')).split(/(?<=\r\n|\r(?!\n)|\n)/);
  const start = within(lines, range.start);
  const end = within(lines, range.end);
  const first = lines[start.line] ?? '';
  const last = lines[end.line] ?? '';
  const text =
    start.line === end.line
      ? first.slice(start.character, end.character)
      : [first.slice(start.character), ...lines.slice(start.line + 1, end.line), last.slice(0, end.character)].join('');
  return { range: { start, end }, text };
}

function within(lines: readonly string[], position: Position): Position {
  const line = Math.min(position.line, lines.length - 1);
  const length = (lines[line] ?? '').replace(/[\r\n]+$/, '').length;
  return { line, character: position.line > line ? length : Math.min(position.character, length) };
}
