import type * as vscode from 'vscode';
import type { FakeDocument, FakeDocuments } from './documents.js';
import {
  EventEmitter,
  Position,
  Selection,
  TabInputTerminal,
  TabInputText,
  TabInputTextDiff,
  TextEditorSelectionChangeKind,
} from './values.js';

/** How a tab is opened, as the commands `vscode.open` and `vscode.diff` take it. */
interface Opening {
  readonly preview?: boolean;
  readonly background?: boolean;
  readonly preserveFocus?: boolean;
}

class FakeTab implements vscode.Tab {
  readonly label: string;
  readonly input: TabInputText | TabInputTextDiff | TabInputTerminal;
  readonly isPinned = false;
  readonly isPreview: boolean;
  readonly #tabs: FakeTabs;

  constructor(of: Pick<vscode.Tab, 'label' | 'isPreview'> & Pick<FakeTab, 'input'>, tabs: FakeTabs) {
    this.label = of.label;
    this.input = of.input;
    this.isPreview = of.isPreview;
    this.#tabs = tabs;
  }

  get group(): vscode.TabGroup {
    return this.#tabs.group;
  }

  get isActive(): boolean {
    return this.#tabs.group.activeTab === this;
  }

  get isDirty(): boolean {
    return this.#tabs.documentsOf(this).some((document) => document.isDirty);
  }
}

/** A text editor, or one side of a diff. */
class FakeEditor {
  readonly document: FakeDocument;
  /** A side of a diff has none. */
  readonly viewColumn: number | undefined;
  readonly options = {};
  selection: vscode.Selection = new Selection(new Position(0, 0), new Position(0, 0));
  readonly #decorations = new Map<string, readonly vscode.DecorationOptions[]>();

  constructor(document: FakeDocument, viewColumn: number | undefined) {
    this.document = document;
    this.viewColumn = viewColumn;
  }

  /** Of all types. */
  get decorations(): vscode.DecorationOptions[] {
    return [...this.#decorations.values()].flat();
  }

  setDecorations(type: { readonly key: string }, options: readonly vscode.DecorationOptions[]): void {
    this.#decorations.set(type.key, options);
  }
}

/** The tabs of a window with one group, and the editors in the active one. */
export class FakeTabs {
  /** A busy window opens and closes nothing before this. */
  whenIdle: Promise<void> = Promise.resolve();
  readonly didChangeTabs = new EventEmitter<vscode.TabChangeEvent>();
  readonly didChangeTabGroups = new EventEmitter<vscode.TabGroupChangeEvent>();
  readonly didChangeActiveEditor = new EventEmitter<vscode.TextEditor | undefined>();
  readonly didChangeVisibleEditors = new EventEmitter<readonly vscode.TextEditor[]>();
  readonly didChangeSelection = new EventEmitter<vscode.TextEditorSelectionChangeEvent>();
  readonly #documents: FakeDocuments;
  #tabs: FakeTab[] = [];
  #active: FakeTab | undefined;
  #editors: FakeEditor[] = [];

  constructor(documents: FakeDocuments) {
    this.#documents = documents;
  }

  get group(): vscode.TabGroup {
    return { isActive: true, viewColumn: 1, activeTab: this.#active, tabs: [...this.#tabs] };
  }

  get editors(): readonly FakeEditor[] {
    return this.#editors;
  }

  /** The editor with the cursor: of a diff its right side. */
  get activeEditor(): FakeEditor | undefined {
    return this.#editors.at(-1);
  }

  documentsOf({ input }: FakeTab): FakeDocument[] {
    const uris =
      input instanceof TabInputText ? [input.uri] : input instanceof TabInputTextDiff ? [input.modified] : [];
    return uris.flatMap((uri) => this.#documents.find(uri) ?? []);
  }

  async openText(uri: vscode.Uri, how: Opening = {}): Promise<void> {
    const label = uri.path.split('/').at(-1) ?? '';
    const known = this.#tabs.find(
      ({ input }) => input instanceof TabInputText && `${input.uri}` === `${uri}`,
    );
    await this.#open(known ?? { label, input: new TabInputText(uri), isPreview: how.preview === true }, how);
  }

  async openDiff(
    original: vscode.Uri,
    modified: vscode.Uri,
    label: string,
    how: Opening = {},
  ): Promise<void> {
    await this.whenIdle;
    const known = this.#tabs.find(
      ({ input }) => input instanceof TabInputTextDiff && `${input.modified}` === `${modified}`,
    );
    const input = new TabInputTextDiff(original, modified);
    await this.#open(known ?? { label, input, isPreview: how.preview === true }, how);
  }

  async openTerminal(): Promise<void> {
    await this.#open({ label: 'bash', input: new TabInputTerminal(), isPreview: false }, {});
  }

  /** Closes tabs in one action; VS Code reports each separately. Their documents close, too. */
  async close(tabs: readonly vscode.Tab[]): Promise<boolean> {
    await this.whenIdle;
    for (const tab of this.#tabs.filter((each) => tabs.includes(each))) {
      const documents = this.documentsOf(tab);
      const at = this.#tabs.indexOf(tab);
      this.#tabs = this.#tabs.filter((each) => each !== tab);
      for (const { uri } of documents) this.#documents.close(uri);
      if (this.#active === tab) this.#active = this.#tabs[Math.max(0, at - 1)];
      await this.#showActive();
      this.didChangeTabs.fire({ opened: [], closed: [tab], changed: [] });
    }
    return true;
  }

  select(
    document: FakeDocument,
    selection: vscode.Selection,
    kind = TextEditorSelectionChangeKind.Keyboard,
  ): void {
    const editor = this.#editors.find((each) => each.document === document);
    if (editor === undefined) throw new Error(`${document.uri.path} is not visible`);
    editor.selection = selection;
    const textEditor = editor as unknown as vscode.TextEditor;
    this.didChangeSelection.fire({ textEditor, selections: [selection], kind });
  }

  async #open(of: FakeTab | ConstructorParameters<typeof FakeTab>[0], how: Opening): Promise<void> {
    const tab = of instanceof FakeTab ? of : new FakeTab(of, this);
    // A tab in the background has no document until it is shown, and a file that cannot be read is not opened.
    const isShown = how.background !== true || this.#active === undefined;
    if (isShown) await this.#load(tab);
    const isNew = !this.#tabs.includes(tab);
    if (isNew) this.#tabs = [...this.#tabs, tab];
    if (isShown) this.#active = tab;
    await this.#showActive();
    this.didChangeTabs.fire({ opened: isNew ? [tab] : [], closed: [], changed: isNew ? [] : [tab] });
  }

  async #load({ input }: FakeTab): Promise<FakeDocument[]> {
    if (input instanceof TabInputText) return [await this.#documents.open(input.uri)];
    if (!(input instanceof TabInputTextDiff)) return [];
    return [await this.#documents.open(input.original), await this.#documents.open(input.modified)];
  }

  async #showActive(): Promise<void> {
    const documents = this.#active === undefined ? [] : await this.#load(this.#active);
    if (documents.every((document, at) => this.#editors[at]?.document === document)) {
      if (documents.length === this.#editors.length) return;
    }
    const column = this.#active?.input instanceof TabInputText ? 1 : undefined;
    this.#editors = documents.map((document) => new FakeEditor(document, column));
    const editors = this.#editors as unknown as vscode.TextEditor[];
    this.didChangeVisibleEditors.fire(editors);
    this.didChangeActiveEditor.fire(editors.at(-1));
  }
}
