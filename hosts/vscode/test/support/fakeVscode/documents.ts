import { readFileSync, writeFileSync } from 'node:fs';
import type * as vscode from 'vscode';
import { EndOfLine, EventEmitter, FilePermission, Position, Range, type TextEdit } from './values.js';

/** A text that an editor shows or an extension has opened. */
export class FakeDocument implements vscode.TextDocument {
  readonly uri: vscode.Uri;
  readonly isUntitled = false;
  readonly encoding = 'utf8';
  readonly languageId = 'plaintext';
  readonly #documents: FakeDocuments;
  readonly #bom: string;
  version = 1;
  isDirty = false;
  isClosed = false;
  #text: string;

  constructor(uri: vscode.Uri, text: string, documents: FakeDocuments) {
    this.uri = uri;
    this.#bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
    // VS Code loads a text with one kind of line end, the most frequent one.
    const body = text.slice(this.#bom.length);
    const lines = body.split('\n').length - 1;
    const isWindows = body.split('\r\n').length - 1 > lines / 2;
    this.#text = body.replace(/\r?\n/g, isWindows ? '\r\n' : '\n');
    this.#documents = documents;
  }

  get fileName(): string {
    return this.uri.fsPath;
  }

  get eol(): vscode.EndOfLine {
    return this.#text.includes('\r\n') ? EndOfLine.CRLF : EndOfLine.LF;
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  get #lines(): string[] {
    return this.#text.split(/\r?\n/);
  }

  getText(range?: vscode.Range): string {
    return range === undefined
      ? this.#text
      : this.#text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
  }

  lineAt(at: number | vscode.Position): vscode.TextLine {
    const lineNumber = typeof at === 'number' ? at : at.line;
    const text = this.#lines[lineNumber];
    if (text === undefined) throw new Error(`there is no line ${lineNumber}`);
    const range = new Range(lineNumber, 0, lineNumber, text.length);
    const indent = text.search(/\S|$/);
    return {
      lineNumber,
      text,
      range,
      rangeIncludingLineBreak: range,
      firstNonWhitespaceCharacterIndex: indent,
      isEmptyOrWhitespace: indent === text.length,
    };
  }

  offsetAt({ line, character }: vscode.Position): number {
    const end = this.eol === EndOfLine.CRLF ? 2 : 1;
    const before = this.#lines.slice(0, line).reduce((sum, each) => sum + each.length + end, 0);
    return before + Math.min(character, this.#lines[line]?.length ?? 0);
  }

  positionAt(offset: number): vscode.Position {
    const before = this.#text.slice(0, offset).split(/\r?\n/);
    return new Position(before.length - 1, (before.at(-1) ?? '').replace(/\r$/, '').length);
  }

  validateRange = (range: vscode.Range): vscode.Range => range;
  validatePosition = (position: vscode.Position): vscode.Position => position;
  getWordRangeAtPosition = (): undefined => undefined;

  save(): Promise<boolean> {
    return this.#documents.save(this);
  }

  /** The text that is written to disk. */
  get stored(): string {
    return this.#bom + this.#text;
  }

  /** Changes the text, like the user, an extension, or VS Code when it reloads the file. */
  change(edits: readonly Pick<TextEdit, 'range' | 'newText'>[], isDirty = true): void {
    let text = this.#text;
    const end = this.eol === EndOfLine.CRLF ? '\r\n' : '\n';
    const contentChanges = edits.map(({ range, newText }) => {
      const [from, to] = [this.offsetAt(range.start), this.offsetAt(range.end)];
      text = text.slice(0, from) + newText.replace(/\r?\n/g, end) + text.slice(to);
      return { range, rangeOffset: from, rangeLength: to - from, text: newText };
    });
    this.#text = text;
    this.version += 1;
    this.isDirty = isDirty;
    this.#documents.changed(this, contentChanges);
  }

  /** Replaces the whole text. */
  replace(text: string, isDirty = true): void {
    const last = this.lineAt(this.lineCount - 1);
    this.change([{ range: new Range(new Position(0, 0), last.range.end), newText: text }], isDirty);
  }
}

/** The documents of a window, and their file access. */
export class FakeDocuments {
  readonly didChange = new EventEmitter<vscode.TextDocumentChangeEvent>();
  readonly willSave = new EventEmitter<vscode.TextDocumentWillSaveEvent>();
  readonly didSave = new EventEmitter<vscode.TextDocument>();
  readonly didClose = new EventEmitter<vscode.TextDocument>();
  readonly providers = new Map<string, vscode.FileSystemProvider>();
  readonly contents = new Map<string, vscode.TextDocumentContentProvider>();
  /** The formatters' result for a text on save. Absent: no formatters. */
  formatter: ((text: string) => string) | undefined;
  readonly #documents = new Map<string, FakeDocument>();

  get all(): FakeDocument[] {
    return [...this.#documents.values()];
  }

  find(uri: vscode.Uri): FakeDocument | undefined {
    return this.#documents.get(uri.toString());
  }

  async open(uri: vscode.Uri): Promise<FakeDocument> {
    const known = this.find(uri);
    if (known !== undefined) return known;
    const text = await this.#read(uri);
    const document = this.find(uri) ?? new FakeDocument(uri, text, this);
    this.#documents.set(uri.toString(), document);
    return document;
  }

  close(uri: vscode.Uri): void {
    const document = this.find(uri);
    if (document === undefined) return;
    document.isClosed = true;
    this.#documents.delete(uri.toString());
    this.didClose.fire(document);
  }

  changed(document: FakeDocument, contentChanges: vscode.TextDocumentChangeEvent['contentChanges']): void {
    this.didChange.fire({ document, contentChanges, reason: undefined });
  }

  async save(document: FakeDocument, skipsFormatter = false): Promise<boolean> {
    if (!document.isDirty) return true;
    this.willSave.fire({ document, reason: 1, waitUntil: () => {} });
    const formatted = this.formatter?.(document.getText());
    if (!skipsFormatter && formatted !== undefined && formatted !== document.getText())
      document.replace(formatted);
    const bytes = Buffer.from(document.stored);
    const provider = this.providers.get(document.uri.scheme);
    if (provider === undefined) writeFileSync(document.uri.fsPath, bytes);
    else await provider.writeFile(document.uri, bytes, { create: false, overwrite: true });
    document.isDirty = false;
    this.didSave.fire(document);
    return true;
  }

  /** Reads a document without unsaved changes again, because its file changed. */
  async reload(uri: vscode.Uri): Promise<void> {
    const document = this.find(uri);
    if (document === undefined || document.isDirty) return;
    const text = (await this.#read(uri)).replace(/^\uFEFF/, '');
    if (text !== document.getText()) document.replace(text, false);
  }

  async #read(uri: vscode.Uri): Promise<string> {
    const provider = this.providers.get(uri.scheme);
    if (provider !== undefined) {
      const { permissions } = await provider.stat(uri);
      const text = Buffer.from(await provider.readFile(uri)).toString('utf8');
      return permissions === FilePermission.Readonly ? text : text;
    }
    const content = this.contents.get(uri.scheme);
    if (content !== undefined) {
      const never = {
        isCancellationRequested: false,
        onCancellationRequested: new EventEmitter<void>().event,
      };
      return (await content.provideTextDocumentContent(uri, never)) ?? '';
    }
    const bytes = readFileSync(uri.fsPath);
    if (bytes.includes(0)) throw new Error(`${uri.fsPath} is binary`);
    return bytes.toString('utf8');
  }
}
