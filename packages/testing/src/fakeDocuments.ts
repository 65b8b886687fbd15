import {
  type Clock,
  DocumentError,
  type DocumentState,
  type Documents,
  type EditorContext,
  Emitter,
  type OpenFile,
  type Path,
  type Position,
  type Range,
  type SavedDocument,
  type Selection,
} from '@tandem/core';
import { type FileContent, toDocumentText } from '@tandem/reviews';

/** Where a `FakeEditor` finds and saves files: `FakeFiles`, or a test's own view of a real disk. */
export interface FakeEditorFiles {
  lookUp(path: Path): FileContent | { readonly kind: 'folder' };
  /** Throws when the file cannot be written. */
  write(path: Path, text: string): void;
}

interface FakeDocument {
  readonly path: Path;
  readonly text: string;
  readonly isDirty: boolean;
  readonly lastFocusedAt: number;
  readonly selection: Selection;
}

const top: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The open documents of a `FakeEditor`. */
export class FakeDocuments implements Documents {
  readonly #files: FakeEditorFiles;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  /** In order of last focus, the latest first; files that never had it come after the active one. */
  #documents: readonly FakeDocument[] = [];
  #activePath: Path | undefined;
  readonly format?: (path: Path) => Promise<void>;
  readonly #didSave = new Emitter<SavedDocument>((error) => {
    throw error;
  });
  readonly onDidSave = this.#didSave.event;

  constructor(options: {
    readonly files: FakeEditorFiles;
    readonly clock: Clock;
    readonly canFormat: boolean;
    readonly onChange: () => void;
  }) {
    this.#files = options.files;
    this.#clock = options.clock;
    this.#onChange = options.onChange;
    if (options.canFormat) this.format = (path) => this.#format(path);
  }

  async open(
    path: Path,
    options: { readonly range?: Range; readonly takeFocus?: boolean } = {},
  ): Promise<void> {
    if (this.#find(path) === undefined) this.#add(path, this.#readText(path));
    if (options.range) this.select(path, options.range);
    if (options.takeFocus) this.focus(path);
  }

  state(path: Path): DocumentState | undefined {
    const document = this.#find(path);
    if (document === undefined) return undefined;
    return { isDirty: document.isDirty, languageId: path.endsWith('.ts') ? 'typescript' : 'plaintext' };
  }

  async save(path: Path): Promise<boolean> {
    const document = this.#find(path);
    if (document === undefined) return false;
    try {
      this.#files.write(path, document.text);
    } catch {
      return false;
    }
    this.#saved(document);
    return true;
  }

  /** Saves a document for the user. Throws when it cannot be written. */
  write(path: Path): void {
    const document = this.#require(path);
    this.#files.write(path, document.text);
    this.#saved(document);
  }

  async close(path: Path): Promise<boolean> {
    const document = this.#find(path);
    if (document === undefined || document.isDirty) return false;
    this.discard(path);
    return true;
  }

  /** The text of an open document, saved or not. */
  text(path: Path): string | undefined {
    return this.#find(path)?.text;
  }

  context(isTrusted: boolean): EditorContext {
    return {
      openFiles: this.#documents.map(
        ({ path, lastFocusedAt, selection }): OpenFile => ({ path, lastFocusedAt, selection }),
      ),
      ...(this.#activePath !== undefined && { activePath: this.#activePath }),
      isTrusted,
    };
  }

  /** Focuses a document, and opens it if necessary; `text` opens one that is not on disk. */
  focus(path: Path, text?: string): void {
    const known = this.#find(path);
    const document = known ?? this.#newDocument(path, text ?? this.#readText(path));
    this.#activePath = path;
    this.#documents = [
      { ...document, lastFocusedAt: this.#clock.now() },
      ...this.#documents.filter((other) => other !== known),
    ];
    this.#onChange();
  }

  /** Removes the focus from all files, as a click into a terminal does in some editors. */
  blur(): void {
    this.#activePath = undefined;
    this.#onChange();
  }

  select(path: Path, range: Range): void {
    const { text } = this.#require(path);
    const cut = clampRange(text, range);
    this.#replace(path, { selection: { range: cut, cursor: cut.end, text: textInRange(text, cut) } });
  }

  type(path: Path, text: string): void {
    this.#require(path);
    this.#replace(path, { text, isDirty: true, selection: { range: top, text: '' } });
  }

  rename(from: Path, to: Path): void {
    this.#require(from);
    if (this.#activePath === from) this.#activePath = to;
    this.#replace(from, { path: to });
  }

  /** Closes a document and discards unsaved changes. The previously focused document gets the focus. */
  discard(path: Path): void {
    this.#require(path);
    this.#documents = this.#documents.filter((document) => document.path !== path);
    if (this.#activePath === path) this.#activePath = this.#documents[0]?.path;
    this.#onChange();
  }

  async #format(path: Path): Promise<void> {
    const document = this.#find(path);
    if (document === undefined) throw new DocumentError('not-open', `${path} is not open in the editor.`);
    const formatted = document.text.replace(/[ \t]+$/gm, '');
    if (formatted !== document.text) this.type(path, formatted);
  }

  #saved({ path, text }: FakeDocument): void {
    this.#replace(path, { isDirty: false });
    this.#didSave.fire({ path, text: toDocumentText(text) });
  }

  #readText(path: Path): string {
    const found = this.#files.lookUp(path);
    if (found.kind === 'missing') throw new DocumentError('not-found', `${path} does not exist.`);
    if (found.kind === 'folder') throw new DocumentError('not-a-file', `${path} is a folder.`);
    if (found.kind === 'binary') throw new DocumentError('failed', `${path} is not a text file.`);
    return found.text;
  }

  #newDocument(path: Path, text: string): FakeDocument {
    return {
      path,
      text,
      isDirty: false,
      lastFocusedAt: this.#clock.now(),
      selection: { range: top, text: '' },
    };
  }

  #add(path: Path, text: string): void {
    const afterActive = this.#activePath === undefined ? 0 : 1;
    this.#documents = this.#documents.toSpliced(afterActive, 0, this.#newDocument(path, text));
    this.#onChange();
  }

  #replace(path: Path, changes: Partial<FakeDocument>): void {
    this.#documents = this.#documents.map((document) =>
      document.path === path ? { ...document, ...changes } : document,
    );
    this.#onChange();
  }

  #find(path: Path): FakeDocument | undefined {
    return this.#documents.find((document) => document.path === path);
  }

  #require(path: Path): FakeDocument {
    const document = this.#find(path);
    if (document === undefined) throw new Error(`${path} is not open in the fake editor.`);
    return document;
  }
}

/** The text between two positions, with its original line ends. Positions beyond the text are clamped. */
function textInRange(text: string, range: Range): string {
  return text.slice(offsetAt(text, range.start), offsetAt(text, range.end));
}

/** The range, clamped to the text. */
function clampRange(text: string, range: Range): Range {
  return { start: clampPosition(text, range.start), end: clampPosition(text, range.end) };
}

function clampPosition(text: string, position: Position): Position {
  const lines = linesOf(text);
  const line = lines[position.line];
  if (line !== undefined)
    return { line: position.line, character: Math.min(position.character, line.length) };
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

function offsetAt(text: string, position: Position): number {
  const { line, character } = clampPosition(text, position);
  let offset = 0;
  const ends = text.matchAll(/\r\n|\r|\n/g);
  for (let count = 0; count < line; count++) {
    const end = ends.next().value;
    if (end !== undefined) offset = end.index + end[0].length;
  }
  return offset + character;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
