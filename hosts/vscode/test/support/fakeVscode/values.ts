import { join } from 'node:path/posix';
import type * as vscode from 'vscode';

/** The values of VS Code's API that the extension creates or compares, without a window. */
export class Disposable implements vscode.Disposable {
  readonly #dispose: () => unknown;

  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }

  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.map((each) => each.dispose()));
  }

  dispose(): unknown {
    return this.#dispose();
  }
}

export class EventEmitter<T> implements vscode.EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => unknown>();

  readonly event: vscode.Event<T> = (listener, thisArgument) => {
    const call = (value: T): unknown => listener.call(thisArgument, value);
    this.#listeners.add(call);
    return new Disposable(() => this.#listeners.delete(call));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

type UriParts = Readonly<Record<'scheme' | 'authority' | 'path' | 'query' | 'fragment', string>>;

/** VS Code encodes more than `encodeURIComponent` does. */
function encoded(text: string, kept = ''): string {
  return [...encodeURIComponent(text)]
    .join('')
    .replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%2F/g, kept === '/' ? '/' : '%2F');
}

export class Uri implements vscode.Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;

  private constructor({ scheme, authority, path, query, fragment }: UriParts) {
    this.scheme = scheme;
    this.authority = authority;
    this.path = path;
    this.query = query;
    this.fragment = fragment;
  }

  static file(path: string): Uri {
    return new Uri({ scheme: 'file', authority: '', path, query: '', fragment: '' });
  }

  static from({ scheme, path }: Pick<UriParts, 'scheme' | 'path'>): Uri {
    return new Uri({ scheme, authority: '', path, query: '', fragment: '' });
  }

  static parse(text: string): Uri {
    const [, scheme = 'file', authority = '', path = '', query = '', fragment = ''] =
      /^([a-z-]+):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text) ?? [];
    const plain = decodeURIComponent;
    return new Uri({
      scheme,
      authority: plain(authority),
      path: plain(path),
      query: plain(query),
      fragment: plain(fragment),
    });
  }

  static joinPath({ scheme, authority, query, fragment, path }: vscode.Uri, ...parts: string[]): Uri {
    return new Uri({ scheme, authority, query, fragment, path: join(path, ...parts) });
  }

  get fsPath(): string {
    return this.path;
  }

  with(change: Partial<UriParts>): Uri {
    const { scheme, authority, path, query, fragment } = this;
    return new Uri({ scheme, authority, path, query, fragment, ...change });
  }

  toString(): string {
    const authority = this.authority !== '' || this.scheme === 'file' ? `//${this.authority}` : '';
    const query = this.query === '' ? '' : `?${encoded(this.query)}`;
    const fragment = this.fragment === '' ? '' : `#${encoded(this.fragment)}`;
    return `${this.scheme}:${authority}${encoded(this.path, '/')}${query}${fragment}`;
  }

  toJSON(): UriParts {
    return { ...this };
  }
}

export class Position implements vscode.Position {
  readonly line: number;
  readonly character: number;

  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }

  compareTo(other: vscode.Position): number {
    return this.line - other.line || this.character - other.character;
  }

  isBefore = (other: vscode.Position): boolean => this.compareTo(other) < 0;
  isBeforeOrEqual = (other: vscode.Position): boolean => this.compareTo(other) <= 0;
  isAfter = (other: vscode.Position): boolean => this.compareTo(other) > 0;
  isAfterOrEqual = (other: vscode.Position): boolean => this.compareTo(other) >= 0;
  isEqual = (other: vscode.Position): boolean => this.compareTo(other) === 0;
  translate(): never {
    throw new Error('The fake has no Position.translate.');
  }
  with(): never {
    throw new Error('The fake has no Position.with.');
  }
}

export class Range implements vscode.Range {
  readonly start: vscode.Position;
  readonly end: vscode.Position;

  constructor(start: vscode.Position, end: vscode.Position);
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number);
  constructor(start: vscode.Position | number, end: vscode.Position | number, endLine = 0, endCharacter = 0) {
    const isNumbers = typeof start === 'number' && typeof end === 'number';
    const [one, other] = isNumbers
      ? [new Position(start, end), new Position(endLine, endCharacter)]
      : [start as vscode.Position, end as vscode.Position];
    [this.start, this.end] = one.isAfter(other) ? [other, one] : [one, other];
  }

  get isEmpty(): boolean {
    return this.start.isEqual(this.end);
  }

  get isSingleLine(): boolean {
    return this.start.line === this.end.line;
  }

  contains(what: vscode.Position | vscode.Range): boolean {
    const { start, end } = 'start' in what ? what : { start: what, end: what };
    return this.start.isBeforeOrEqual(start) && end.isBeforeOrEqual(this.end);
  }

  isEqual(other: vscode.Range): boolean {
    return this.start.isEqual(other.start) && this.end.isEqual(other.end);
  }

  intersection(): never {
    throw new Error('The fake has no Range.intersection.');
  }
  union(): never {
    throw new Error('The fake has no Range.union.');
  }
  with(): never {
    throw new Error('The fake has no Range.with.');
  }
}

export class Selection extends Range implements vscode.Selection {
  readonly anchor: vscode.Position;
  readonly active: vscode.Position;

  constructor(anchor: vscode.Position, active: vscode.Position);
  constructor(anchorLine: number, anchorCharacter: number, activeLine: number, activeCharacter: number);
  constructor(
    anchor: vscode.Position | number,
    active: vscode.Position | number,
    activeLine = 0,
    activeCharacter = 0,
  ) {
    const [one, other] =
      typeof anchor === 'number'
        ? [new Position(anchor, active as number), new Position(activeLine, activeCharacter)]
        : [anchor, active as vscode.Position];
    super(one, other);
    this.anchor = one;
    this.active = other;
  }

  get isReversed(): boolean {
    return this.active.isBefore(this.anchor);
  }
}

export class TextEdit implements Pick<vscode.TextEdit, 'range' | 'newText'> {
  readonly range: vscode.Range;
  readonly newText: string;

  constructor(range: vscode.Range, newText: string) {
    this.range = range;
    this.newText = newText;
  }

  static replace(range: vscode.Range, newText: string): TextEdit {
    return new TextEdit(range, newText);
  }
}

/** Changes of texts, by their URIs. */
export class WorkspaceEdit {
  readonly texts = new Map<string, TextEdit[]>();

  set(uri: vscode.Uri, edits: readonly TextEdit[]): void {
    this.texts.set(uri.toString(), [...edits]);
  }

  replace(uri: vscode.Uri, range: vscode.Range, newText: string): void {
    this.set(uri, [...(this.texts.get(uri.toString()) ?? []), new TextEdit(range, newText)]);
  }
}

export class TabInputText implements vscode.TabInputText {
  readonly uri: vscode.Uri;
  constructor(uri: vscode.Uri) {
    this.uri = uri;
  }
}

export class TabInputTextDiff implements vscode.TabInputTextDiff {
  readonly original: vscode.Uri;
  readonly modified: vscode.Uri;
  constructor(original: vscode.Uri, modified: vscode.Uri) {
    this.original = original;
    this.modified = modified;
  }
}

export class TabInputNotebook implements vscode.TabInputNotebook {
  readonly uri: vscode.Uri;
  readonly notebookType: string;
  constructor(uri: vscode.Uri, notebookType: string) {
    this.uri = uri;
    this.notebookType = notebookType;
  }
}

export class TabInputTerminal {}

export class ThemeIcon implements vscode.ThemeIcon {
  static readonly File = new ThemeIcon('file');
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class RelativePattern {
  readonly base: vscode.Uri;
  readonly pattern: string;
  constructor(base: vscode.Uri, pattern: string) {
    this.base = base;
    this.pattern = pattern;
  }
}

export class TreeItem {
  readonly label: string;
  readonly collapsibleState: number | undefined;
  constructor(label: string, collapsibleState?: number) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

export class CodeLens {
  readonly range: vscode.Range;
  readonly command: vscode.Command | undefined;
  readonly isResolved = true;
  constructor(range: vscode.Range, command?: vscode.Command) {
    this.range = range;
    this.command = command;
  }
}

export class CodeAction {
  readonly title: string;
  readonly kind: unknown;
  command: vscode.Command | undefined;
  constructor(title: string, kind: unknown) {
    this.title = title;
    this.kind = kind;
  }
}

export class FileSystemError extends Error {
  static FileNotFound = (uri: vscode.Uri): FileSystemError => new FileSystemError(`${uri} not found`);
  static NoPermissions = (uri: vscode.Uri): FileSystemError => new FileSystemError(`${uri} no permissions`);
  static FileNotADirectory = (uri: vscode.Uri): FileSystemError => new FileSystemError(`${uri} is a file`);
}

export const CodeActionKind = { Refactor: 'refactor' };
export const CommentMode = { Editing: 0, Preview: 1 };
export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 };
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export const EndOfLine = { LF: 1, CRLF: 2 };
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 };
export const FilePermission = { Readonly: 1 };
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };
export const OverviewRulerLane = { Left: 1, Center: 2, Right: 4, Full: 7 };
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };
export const QuickInputButtons = { Back: { iconPath: new ThemeIcon('arrow-left') } };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 };
export const CommentThreadCollapsibleState = { Collapsed: 0, Expanded: 1 };
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const ViewColumn = { Active: -1, Beside: -2, One: 1, Two: 2 };
