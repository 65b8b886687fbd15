import { realpath } from 'node:fs/promises';
import type { Text } from '@codemirror/state';
import { encodeText, expectContent, onDisk, pausing } from '@tandem/companion/files';
import { writeUserFile } from '@tandem/companion/userFile';
import {
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
  type Path,
  type Range,
  type SavedDocument,
  type Selection,
  TouchDelay,
  Turns,
} from '@tandem/core';
import type { DocumentConflict } from '@tandem/page/wire';
import {
  describeLineEnds,
  finish,
  finishWithPauses,
  KnownMerges,
  type LineEndKind,
  toDocumentText,
  toFileText,
  toFileTextInSteps,
} from '@tandem/reviews';
import { hasCode, RpcError } from '@tandem/rpc';
import { type DiskFile, isSameFile, maxDocumentBytes, readDiskFile } from './diskFile.js';
import type { FileWatches } from './fileWatches.js';
import { documentSelection } from './selection.js';
import { contentOf, SharedText, textInSteps, textOf } from './sharedText.js';

export interface FileServices {
  readonly logger: Logger;
  readonly watches: FileWatches;
}

export interface DocumentServices extends FileServices {
  /** Real paths of the workspace folders: files are written only inside them. */
  readonly folders: readonly Path[];
  /** The text of a document was written to its file. */
  readonly onSaved?: (saved: SavedDocument) => void;
}

/**
 * One open file: its edited text and its relation to the disk. Without unsaved changes it follows the disk; with unsaved
 * changes it reports a conflict and leaves the text alone. Reads and writes of the file are serialized. The opener disposes
 * it. Errors are `RpcError`.
 */
export class OpenDocument implements Disposable {
  readonly path: Path;
  /** Without byte order mark, lines ending in `\n`. Empty unless `kind` is `text`. */
  readonly text: SharedText;
  /** A property other than the text changed, such as `isDirty` or `hasConflict`. */
  readonly onDidChange: Event<void>;

  readonly #owned = new DisposableStore();
  readonly #didChange: Emitter<void>;
  readonly #logger: Logger;
  readonly #folders: readonly Path[];
  readonly #onSaved: DocumentServices['onSaved'];
  /** The file that the text was loaded from, and that file as a document. */
  #base: DiskFile;
  #loaded: Text;
  #lineEnds: LineEndKind;
  /** The file on disk, if it is neither `base` nor the text. */
  #theirs: DiskFile | undefined;
  /** The last one that the user was shown. */
  #shownTheirs: DiskFile | undefined;
  #isMissing: boolean;
  #isReadOnly: boolean;
  readonly #merges = new KnownMerges();
  /** How often the text was replaced other than by typing. */
  #replacements = 0;
  readonly #turns = new Turns();
  #lastState = '';
  #fileText: { readonly version: number; readonly base: DiskFile; readonly text: string } | undefined;

  private constructor(path: Path, disk: DiskFile, text: Text, services: DocumentServices) {
    const { logger, folders, onSaved } = services;
    const onError = logListenerError(logger, 'a document');
    this.path = path;
    this.#logger = logger;
    this.#folders = folders;
    this.#onSaved = onSaved;
    this.#base = disk;
    this.#isMissing = disk.kind === 'missing';
    this.#isReadOnly = disk.kind !== 'missing' && disk.isReadOnly;
    this.#lineEnds = lineEndsOf(disk);
    this.text = this.#owned.add(new SharedText(text, onError));
    this.#loaded = this.text.doc;
    this.#didChange = this.#owned.add(new Emitter<void>(onError));
    this.onDidChange = this.#didChange.event;
    this.#lastState = this.#state();
    this.text.onDidChange(() => this.#fireIfChanged());
  }

  /** Opens a file; a missing one too. Rejects if it cannot be read. */
  static async open(path: Path, services: DocumentServices): Promise<OpenDocument> {
    // Watch first, to miss no write while we read.
    let isTouched = false;
    let touched = (): void => {
      isTouched = true;
    };
    const watching = new DisposableStore();
    try {
      const real = await onDisk(path, () => realpath(path)).catch(() => path);
      for (const each of new Set([path, real])) watching.add(services.watches.watch(each, () => touched()));
      const disk = await readDiskFile(path);
      const text = await finishWithPauses(textInSteps(documentTextOf(disk)), pausing());
      const document = new OpenDocument(path, disk, text, services);
      const delay = document.#owned.add(new TouchDelay(() => document.#refreshQuietly()));
      touched = () => delay.touch();
      if (isTouched) touched();
      document.#owned.add(watching);
      return document;
    } catch (error) {
      watching.dispose();
      throw error;
    }
  }

  get kind(): 'text' | 'binary' | 'too-large' {
    return this.#base.kind === 'missing' ? 'text' : this.#base.kind;
  }

  /** Whether closing it would lose text. */
  get isDirty(): boolean {
    return this.#isMissing || this.#isEdited();
  }

  get hasConflict(): boolean {
    return this.#theirs !== undefined;
  }

  get isMissing(): boolean {
    return this.#isMissing;
  }

  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** Of the file that the text was loaded from. */
  get lineEnds(): LineEndKind {
    return this.#lineEnds;
  }

  /** Of that file; undefined for UTF-8. */
  get encoding(): string | undefined {
    return this.#base.kind === 'text' ? this.#base.encoding : undefined;
  }

  /** Reads the file now. Rejects with the file system's error if that fails. */
  refresh(): Promise<void> {
    return this.#turns.run(async () => this.#takeIn(await this.#prepared(await readDiskFile(this.path))));
  }

  /**
   * Writes the text, which must be at `version`; text typed meanwhile stays unsaved. Rejects with `changed`, with `conflict`
   * if the file on disk is not the loaded one, and with `refused`.
   */
  async save(version: number): Promise<void> {
    if (this.kind !== 'text')
      throw new RpcError('refused', `${this.path} is not a text file that can be edited here.`);
    if (version !== this.text.version) throw this.#changed();
    const { doc } = this.text;
    const wasDirty = this.isDirty;
    const replacements = this.#replacements;
    await this.#turns.run(async () => {
      const disk = await this.#read();
      const base = this.#base;
      this.#takeIn(disk);
      if (!this.#isMissing && (!wasDirty || doc.eq(this.#loaded))) return;
      if (this.#theirs !== undefined) throw this.#conflict();
      if (this.#base !== base || this.#replacements !== replacements) throw this.#changed();
      await this.#write(doc, disk);
    });
  }

  /** Both sides of a conflict. Rejects with `changed` if there is no conflict. */
  async conflict(): Promise<DocumentConflict> {
    const sides = () => ({
      base: documentTextOf(this.#base),
      mine: this.text.content,
      theirs: documentTextOf(this.#requireTheirs()),
    });
    await this.#merges.prepare(sides, pausing());
    const { base, mine, theirs } = sides();
    this.#shownTheirs = this.#theirs;
    const merged = finish(this.#merges.merge(base, mine, theirs));
    this.#merges.forget();
    return { mine, theirs, ...(merged.ok && { merged: merged.text }) };
  }

  /**
   * Ends a conflict; see `document.resolve` of the wire. Rejects with `conflict` if the file changed again after the user was
   * shown it: a user never overwrites what they have not seen.
   */
  async resolve(choice: 'mine' | 'theirs' | 'merged', content?: string): Promise<void> {
    if (choice === 'merged' && content === undefined) {
      throw new RpcError('bad-params', 'A merged text must be given.');
    }
    await this.#turns.run(async () => {
      const seen = this.#shownTheirs ?? this.#theirs ?? this.#base;
      const disk = await this.#read();
      this.#takeIn(disk);
      if (choice === 'theirs') {
        if (disk.kind === 'missing') throw new RpcError('not-found', `${this.path} no longer exists.`);
        this.#load(disk);
        return;
      }
      if (this.#theirs !== undefined && !isSameFile(disk, seen)) throw this.#conflict();
      if (choice === 'merged') {
        // The merged text is based on the file on disk, including its line ends.
        if (disk.kind === 'text') this.#setBase(disk, textOf(documentTextOf(disk)));
        this.#replace(toDocumentText(content ?? ''));
      }
      await this.#write(this.text.doc, disk);
    });
  }

  /**
   * Restores unsaved changes that a page kept while the companion was down: `content`, made from `base`. Merges them with
   * unsaved changes here; rejects with `conflict` if they do not merge.
   */
  async restore(base: string, content: string): Promise<void> {
    await this.#turns.run(async () => {
      const disk = await this.#read();
      this.#takeIn(disk);
      const [from, wanted] = [toDocumentText(base), toDocumentText(content)];
      const model = disk.kind === 'text' ? disk.text : '';
      const text = await finishWithPauses(toFileTextInSteps(from, model), pausing());
      const sides = () => ({ base: from, mine: this.text.content, theirs: wanted });
      const merges = this.#isEdited();
      if (merges) await this.#merges.prepare(sides, pausing());
      else await this.text.prepareReplace(() => wanted, pausing());
      // The user may have typed meanwhile.
      if (merges || this.#isEdited()) {
        const { base: common, mine, theirs } = sides();
        const merged = finish(this.#merges.merge(common, mine, theirs));
        this.#merges.forget();
        if (!merged.ok) throw this.#conflict();
        this.#replace(merged.text);
      } else {
        const { encoding } = disk.kind === 'text' ? disk : {};
        const file = { kind: 'text', text, encoding, isReadOnly: this.#isReadOnly } as const;
        this.#setBase(file, textOf(from));
        this.#replace(wanted);
      }
      this.#takeIn(disk);
    });
  }

  /** The selection of a range, as `documentSelection`. */
  selection(range: Range): Selection {
    return documentSelection(this.text.doc, range, this.#lineEnds, () => this.#asFile());
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** The text with its line ends on disk; cached by version. */
  #asFile(): string {
    const { version, content } = this.text;
    if (this.#fileText?.version !== version || this.#fileText.base !== this.#base) {
      const file = this.#base.kind === 'text' ? this.#base.text : '';
      this.#fileText = { version, base: this.#base, text: toFileText(content, file) };
    }
    return this.#fileText.text;
  }

  #isEdited(): boolean {
    return this.kind === 'text' && !this.text.doc.eq(this.#loaded);
  }

  #requireTheirs(): DiskFile {
    if (this.#theirs !== undefined) return this.#theirs;
    throw new RpcError('changed', `${this.path} has no conflict.`);
  }

  /** Updates the state from the file on disk. */
  #takeIn(disk: DiskFile): void {
    if (this.#owned.isDisposed) return;
    this.#theirs = undefined;
    this.#isMissing = disk.kind === 'missing';
    if (disk.kind !== 'missing') {
      this.#isReadOnly = disk.isReadOnly;
      if (!isSameFile(disk, this.#base)) {
        const isMine = disk.kind === 'text' && toDocumentText(disk.text) === this.text.content;
        if (this.#isEdited() && !isMine) this.#theirs = disk;
        else this.#load(disk);
      }
    }
    if (this.#theirs === undefined) this.#shownTheirs = undefined;
    this.#fireIfChanged();
  }

  /** Replaces the text by the file on disk. */
  #load(disk: DiskFile): void {
    const content = documentTextOf(disk);
    // Shares its structure with later versions, which makes comparing cheap.
    this.#setBase(disk, this.text.after(content));
    this.#replace(content);
    this.#fireIfChanged();
  }

  #setBase(disk: DiskFile, loaded: Text): void {
    this.#base = disk;
    this.#loaded = loaded;
    this.#lineEnds = lineEndsOf(disk);
    this.#theirs = undefined;
    this.#shownTheirs = undefined;
  }

  #replace(content: string): void {
    const { version } = this.text;
    this.text.replace(content);
    if (this.text.version !== version) this.#replacements++;
  }

  /** Writes the text over the file that was just read. */
  async #write(doc: Text, over: DiskFile): Promise<void> {
    if (this.#isReadOnly) {
      throw new RpcError('refused', `${this.path} is read-only. Make it writable, then save again.`);
    }
    const content = await finishWithPauses(contentOf(doc), pausing());
    const { encoding } = this;
    const file = this.#base.kind === 'text' ? this.#base.text : '';
    const fileText = await finishWithPauses(toFileTextInSteps(content, file), pausing());
    const bytes = await encodeText(fileText, encoding);
    if (this.#owned.isDisposed) return;
    if (bytes.length > maxDocumentBytes) {
      throw new RpcError(
        'too-large',
        `${this.path} would have ${bytes.length} bytes; the limit is ${maxDocumentBytes}.`,
      );
    }
    try {
      await writeUserFile(this.path, bytes, { isExpected: await expectContent(over), within: this.#folders });
    } catch (error) {
      if (hasCode(error, 'changed')) this.#takeIn(await this.#read());
      throw this.#theirs === undefined ? error : this.#conflict();
    }
    // From the bytes: half a surrogate pair, for example, is written differently in UTF-8.
    const text = encoding === undefined ? bytes.toString('utf8') : fileText;
    const disk: DiskFile = { kind: 'text', text, encoding, isReadOnly: false };
    const written = toDocumentText(disk.text);
    this.#onSaved?.({ path: this.path, text: written });
    if (this.#owned.isDisposed) return;
    this.#isMissing = false;
    this.#setBase(disk, written === content ? doc : textOf(written));
    if (written !== content && this.text.doc.eq(doc)) this.#replace(written);
    this.#fireIfChanged();
  }

  async #read(): Promise<DiskFile> {
    try {
      return await this.#prepared(await readDiskFile(this.path));
    } catch (cause) {
      throw new RpcError('refused', `${this.path} cannot be read: ${describeError(cause)}`, { cause });
    }
  }

  /** The file, after the comparisons that `#takeIn` and `#load` need were made in short steps. */
  async #prepared(disk: DiskFile): Promise<DiskFile> {
    if (disk.kind !== 'text' || isSameFile(disk, this.#base)) return disk;
    const content = documentTextOf(disk);
    await this.text.prepareReplace(() => content, pausing());
    return disk;
  }

  async #refreshQuietly(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.#logger.warn('a file that changed cannot be read', {
        path: this.path,
        error: describeError(error),
      });
    }
  }

  #fireIfChanged(): void {
    const state = this.#state();
    if (state === this.#lastState) return;
    this.#lastState = state;
    this.#didChange.fire();
  }

  #state(): string {
    const { kind, isDirty, hasConflict, isMissing, isReadOnly, lineEnds, encoding } = this;
    return [kind, isDirty, hasConflict, isMissing, isReadOnly, lineEnds, encoding].join();
  }

  #changed(): RpcError {
    return new RpcError('changed', `${this.path} changed while it was being saved. Check it and save again.`);
  }

  #conflict(): RpcError {
    return new RpcError('conflict', `${this.path} changed on disk. Compare, and choose what to keep.`);
  }
}

function documentTextOf(disk: DiskFile): string {
  return disk.kind === 'text' ? toDocumentText(disk.text) : '';
}

function lineEndsOf(disk: DiskFile): LineEndKind {
  return disk.kind === 'text' ? describeLineEnds(disk.text) : 'none';
}
