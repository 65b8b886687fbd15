import { stat } from 'node:fs/promises';
import {
  type Disposable,
  DocumentError,
  type DocumentState,
  type Editor,
  Emitter,
  type Logger,
  logListenerError,
  type OpenFile,
  type Path,
  type Range,
  toDisposable,
} from '@tandem/core';
import { spellingIn } from './filePath.js';
import { readSelection } from './readSelection.js';

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

  readonly #folders: readonly Path[];
  readonly #didChange: Emitter<void>;
  readonly #didChangeWorkspace: Emitter<void>;
  /** The one that had the focus last comes first. */
  #openFiles: readonly OpenFile[] = [];
  #activePath: Path | undefined;
  #lastOpening: Promise<unknown> = Promise.resolve();

  /** `folders` are real paths. */
  constructor(options: {
    readonly folders: readonly Path[];
    readonly isTrusted: boolean;
    readonly version: string;
    readonly logger: Logger;
  }) {
    const { folders, isTrusted, version } = options;
    const onError = logListenerError(options.logger, 'the editor');
    this.#folders = folders;
    this.#didChange = new Emitter<void>(onError);
    this.#didChangeWorkspace = new Emitter<void>(onError);
    this.info = { name: 'tandem', displayName: 'Tandem', version, pid: process.pid };
    this.workspace = {
      folders: () => folders,
      isTrusted: () => isTrusted,
      onDidChange: this.#didChangeWorkspace.event,
    };
    this.context = {
      snapshot: () => ({
        openFiles: this.#openFiles,
        ...(this.#activePath !== undefined && { activePath: this.#activePath }),
        isTrusted,
      }),
      onDidChange: this.#didChange.event,
    };
    this.documents = {
      open: (path, how) => this.#inTurn(() => this.#openFile(path, how ?? {})),
      state: (path) => this.#state(path),
      save: async (path) => this.#find(path) !== undefined,
      close: async (path) => this.#close(path),
    };
    this.reviews = { show: async () => toDisposable(() => {}) };
  }

  dispose(): void {
    this.#didChange.dispose();
    this.#didChangeWorkspace.dispose();
  }

  /** Opening reads the file: of two at once the later must win, also when its file is read faster. */
  #inTurn(open: () => Promise<void>): Promise<void> {
    const opening = this.#lastOpening.then(open);
    this.#lastOpening = opening.catch(() => undefined);
    return opening;
  }

  async #openFile(asked: Path, how: { readonly range?: Range; readonly takeFocus?: boolean }): Promise<void> {
    await requireFile(asked);
    const path = await spellingIn(this.#folders, asked);
    const known = this.#find(path);
    const range = how.range ?? known?.selection?.range;
    // The text is read again even when the range is the old one: the file may have changed.
    const selection = range && (await readSelection(path, range));
    const isFocused = how.takeFocus === true;
    const file: OpenFile = {
      path,
      lastFocusedAt: isFocused || known === undefined ? Date.now() : known.lastFocusedAt,
      ...(selection && { selection }),
    };
    if (isFocused) this.#activePath = path;
    if (known === undefined || isFocused) this.#add(file);
    else this.#openFiles = this.#openFiles.map((other) => (other === known ? file : other));
    this.#didChange.fire();
  }

  /** Puts a file first, or behind the one that has the focus and keeps it. */
  #add(file: OpenFile): void {
    const others = this.#openFiles.filter(({ path }) => path !== file.path);
    const keepsFocus = file.path !== this.#activePath && others[0]?.path === this.#activePath;
    this.#openFiles = others.toSpliced(keepsFocus ? 1 : 0, 0, file).slice(0, maxOpenFiles);
  }

  #state(path: Path): DocumentState | undefined {
    // Nothing is typed here, so nothing is unsaved.
    return this.#find(path) === undefined ? undefined : { isDirty: false };
  }

  #close(path: Path): boolean {
    if (this.#find(path) === undefined) return false;
    this.#openFiles = this.#openFiles.filter((file) => file.path !== path);
    if (path === this.#activePath) this.#activePath = undefined;
    this.#didChange.fire();
    return true;
  }

  #find(path: Path): OpenFile | undefined {
    return this.#openFiles.find((file) => file.path === path);
  }
}

async function requireFile(path: Path): Promise<void> {
  let isFile: boolean;
  try {
    isFile = (await stat(path)).isFile();
  } catch (cause) {
    throw new DocumentError('not-found', `${path} does not exist or cannot be read.`, { cause });
  }
  if (!isFile) throw new DocumentError('not-a-file', `${path} is not a file.`);
}
