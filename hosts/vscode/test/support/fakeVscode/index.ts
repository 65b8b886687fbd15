import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import type * as api from 'vscode';
import type { FakeMessage } from './dialogs.js';
import * as values from './values.js';
import { type FakeStatusItem, FakeWindow } from './window.js';

/**
 * A small VS Code for tests of the extension's logic: the calls that the extension uses, on a window in memory with one
 * group of tabs. It replaces the module `vscode`. `vscodeContract.ts` contains statements that must be true of both;
 * `e2e-vscode/test/contract.test.ts` runs them on the real one.
 */
// biome-ignore lint/performance/noReExportAll: the module has these names, and nothing else imports it.
export * from './values.js';

/** The window of the running test. */
let fake = new FakeWindow();

/** Starts with an empty window. Objects of the previous window keep using that one. */
export function openFakeWindow(): FakeWindow {
  fake = new FakeWindow();
  return fake;
}

type Api = typeof api;

/** An event of the window that is current when a listener subscribes. */
function on<T>(find: () => values.EventEmitter<T>): api.Event<T> {
  return (listener, thisArgument) => find().event(listener, thisArgument);
}

const silent: api.Event<never> = () => new values.Disposable(() => {});

function report(kind: FakeMessage['kind']): (text: string, ...rest: readonly unknown[]) => Promise<never> {
  return (text, ...rest) => fake.dialogs.show(kind, text, rest) as Promise<never>;
}

const builtIn: Readonly<Record<string, (...all: never[]) => unknown>> = {
  setContext: (name: string, value: unknown) => fake.contexts.set(name, value),
  'vscode.open': (uri: api.Uri, how: object) => fake.tabs.openText(uri, how),
  'vscode.diff': (original: api.Uri, modified: api.Uri, title: string, how: object) =>
    fake.tabs.openDiff(original, modified, title, how),
  'workbench.action.files.saveWithoutFormatting': async () => {
    const document = fake.tabs.activeEditor?.document;
    if (document !== undefined) await fake.documents.save(document, true);
  },
  'workbench.action.closeActiveEditor': async () => {
    const { activeTab } = fake.tabs.group;
    if (activeTab !== undefined) await fake.tabs.close([activeTab]);
  },
};

export const commands = {
  registerCommand(name, run) {
    const window = fake;
    if (window.commands.has(name)) throw new Error(`${name} is registered already`);
    window.commands.set(name, run);
    return new values.Disposable(() => window.commands.delete(name));
  },
  async executeCommand<T>(name: string, ...rest: unknown[]): Promise<T> {
    const run = builtIn[name];
    const result = run === undefined ? fake.run(name, ...rest) : run(...(rest as never[]));
    return (await result) as T;
  },
} satisfies Partial<Api['commands']>;

const outputMethods = ['debug', 'info', 'warn', 'error', 'appendLine', 'show', 'dispose'];

const tabGroups = {
  get all() {
    return [fake.tabs.group];
  },
  get activeTabGroup() {
    return fake.tabs.group;
  },
  close: (tabs: unknown) => fake.tabs.close((Array.isArray(tabs) ? tabs : [tabs]) as api.Tab[]),
  onDidChangeTabs: on(() => fake.tabs.didChangeTabs),
  onDidChangeTabGroups: on(() => fake.tabs.didChangeTabGroups),
} satisfies Partial<Api['window']['tabGroups']>;

export const window = {
  tabGroups,
  state: { focused: true, active: true },
  terminals: [] as api.Terminal[],
  onDidChangeTerminalShellIntegration: silent,
  onDidCloseTerminal: silent,
  onDidOpenTerminal: silent,
  get activeTextEditor() {
    return fake.tabs.activeEditor as unknown as api.TextEditor | undefined;
  },
  get visibleTextEditors() {
    return fake.tabs.editors as unknown as readonly api.TextEditor[];
  },
  onDidChangeActiveTextEditor: on(() => fake.tabs.didChangeActiveEditor),
  onDidChangeVisibleTextEditors: on(() => fake.tabs.didChangeVisibleEditors),
  onDidChangeTextEditorSelection: on(() => fake.tabs.didChangeSelection),
  onDidChangeActiveTerminal: silent,
  onDidChangeTerminalState: silent,
  onDidStartTerminalShellExecution: silent,
  showInformationMessage: report('information'),
  showWarningMessage: report('warning'),
  showErrorMessage: report('error'),
  showQuickPick: ((items: readonly api.QuickPickItem[], options?: api.QuickPickOptions) =>
    fake.dialogs.pick(items, options)) as unknown as Api['window']['showQuickPick'],
  showInputBox: (options) => fake.dialogs.ask(options),
  createQuickPick: <T extends api.QuickPickItem>() => fake.dialogs.open<T>() as unknown as api.QuickPick<T>,
  createInputBox: () => fake.dialogs.open() as unknown as api.InputBox,
  setStatusBarMessage(text: string) {
    fake.dialogs.statusMessages.push(text);
    return new values.Disposable(() => {});
  },
  async showTextDocument(what: api.Uri | api.TextDocument) {
    await fake.tabs.openText('uri' in what ? what.uri : what);
    return fake.tabs.activeEditor as unknown as api.TextEditor;
  },
  createStatusBarItem(id: unknown) {
    const item = { id, text: '', isShown: false, dispose() {} };
    const shown = Object.assign(item, {
      show: () => Object.assign(item, { isShown: true }),
      hide: () => Object.assign(item, { isShown: false }),
    });
    fake.statusItems.push(shown as unknown as FakeStatusItem);
    return shown as unknown as api.StatusBarItem;
  },
  createTextEditorDecorationType: () => ({ key: `decoration ${++fake.decorationTypes}`, dispose() {} }),
  registerFileDecorationProvider(provider) {
    fake.fileDecorations.push(provider);
    return new values.Disposable(() => {});
  },
  createTreeView<T>(id: string, { treeDataProvider }: api.TreeViewOptions<T>) {
    fake.trees.set(id, treeDataProvider);
    return { badge: undefined, visible: false, dispose() {} } as unknown as api.TreeView<T>;
  },
  createTerminal: ((options: api.TerminalOptions) => {
    const terminal = { name: options.name, sent: [] as string[] };
    fake.terminals.push(terminal);
    return { show() {}, sendText: (text: string) => terminal.sent.push(text) };
  }) as unknown as Api['window']['createTerminal'],
  createOutputChannel: ((name: string) => ({
    name,
    ...Object.fromEntries(outputMethods.map((each) => [each, () => {}])),
  })) as unknown as Api['window']['createOutputChannel'],
  registerWebviewViewProvider: () => new values.Disposable(() => {}),
  createWebviewPanel(viewType: string, title: string) {
    const closed = new values.EventEmitter<void>();
    const panel = {
      viewType,
      title,
      webview: { html: '' },
      reveal() {},
      onDidDispose: closed.event,
      dispose: () => closed.fire(),
    } as unknown as api.WebviewPanel;
    fake.panels.push(panel);
    return panel;
  },
  withProgress: (_options, task) =>
    Promise.resolve(
      task(
        { report() {} },
        { isCancellationRequested: false, onCancellationRequested: silent as api.Event<unknown> },
      ),
    ),
} satisfies Partial<Omit<Api['window'], 'tabGroups'>> & {
  readonly tabGroups: Partial<Api['window']['tabGroups']>;
};

export const workspace = {
  get workspaceFolders() {
    return fake.folders.length === 0 ? undefined : fake.folders;
  },
  get isTrusted() {
    return fake.isTrusted;
  },
  get textDocuments() {
    return fake.documents.all;
  },
  notebookDocuments: [] as api.NotebookDocument[],
  onDidChangeTextDocument: on(() => fake.documents.didChange),
  onWillSaveTextDocument: on(() => fake.documents.willSave),
  onDidSaveTextDocument: on(() => fake.documents.didSave),
  onDidCloseTextDocument: on(() => fake.documents.didClose),
  onDidChangeNotebookDocument: silent,
  onDidSaveNotebookDocument: silent,
  onDidChangeConfiguration: on(() => fake.didChangeConfiguration),
  onDidChangeWorkspaceFolders: on(() => fake.didChangeFolders),
  onDidGrantWorkspaceTrust: on(() => fake.didGrantTrust),
  onDidRenameFiles: on(() => fake.didRenameFiles),
  openTextDocument: ((uri) => fake.documents.open(uri as api.Uri)) as Api['workspace']['openTextDocument'],
  async applyEdit(edit: unknown) {
    if (!(edit instanceof values.WorkspaceEdit)) throw new Error('not an edit of the fake');
    for (const [uri, edits] of edit.texts) {
      const document = await fake.documents.open(values.Uri.parse(uri));
      document.change(edits);
    }
    return true;
  },
  registerFileSystemProvider(scheme, provider) {
    const { providers } = fake.documents;
    providers.set(scheme, provider);
    const listener = provider.onDidChangeFile((changes) => {
      for (const { uri } of changes) void fake.documents.reload(uri);
    });
    return values.Disposable.from(listener, new values.Disposable(() => providers.delete(scheme)));
  },
  registerTextDocumentContentProvider(scheme, provider) {
    const { contents } = fake.documents;
    contents.set(scheme, provider);
    return new values.Disposable(() => contents.delete(scheme));
  },
  createFileSystemWatcher() {
    const of =
      (kind: 'change' | 'create' | 'delete'): api.Event<api.Uri> =>
      (listener) =>
        fake.files.event((each) => each.kind === kind && listener(each.uri));
    return {
      ignoreCreateEvents: false,
      ignoreChangeEvents: false,
      ignoreDeleteEvents: false,
      onDidChange: of('change'),
      onDidCreate: of('create'),
      onDidDelete: of('delete'),
      dispose() {},
    };
  },
  getConfiguration(section?: string) {
    const full = (name: string): string => (section === undefined ? name : `${section}.${name}`);
    return {
      get(name: string, otherwise?: unknown) {
        const { workspaceValue, globalValue } = fake.setting(full(name));
        return workspaceValue ?? globalValue ?? otherwise;
      },
      has: (name: string) => Object.keys(fake.setting(full(name))).length > 0,
      inspect: (name: string) => ({ key: full(name), ...fake.setting(full(name)) }),
      async update(name: string, value: unknown) {
        fake.set(full(name), value);
      },
    } as api.WorkspaceConfiguration;
  },
  asRelativePath(what: string | api.Uri) {
    const path = typeof what === 'string' ? what : what.fsPath;
    const below = relative(fake.folders[0]?.uri.fsPath ?? '/', path);
    return below.startsWith('..') ? path : below;
  },
  fs: {
    async stat(uri: api.Uri) {
      const { mtimeMs: mtime, ctimeMs: ctime, size } = await stat(uri.fsPath);
      return { type: values.FileType.File, mtime, ctime, size };
    },
    writeFile: (uri: api.Uri, bytes: Uint8Array) => fake.write(uri.fsPath, bytes),
    delete: async (uri: api.Uri) => fake.remove(uri.fsPath),
  } satisfies Partial<api.FileSystem>,
} satisfies Partial<Omit<Api['workspace'], 'fs'>> & { readonly fs: Partial<api.FileSystem> };

export const languages = {
  onDidChangeDiagnostics: on(() => fake.didChangeDiagnostics),
  getDiagnostics: (() => []) as unknown as Api['languages']['getDiagnostics'],
  registerCodeActionsProvider: () => new values.Disposable(() => {}),
  registerCodeLensProvider(_selector, provider) {
    fake.codeLenses.push(provider);
    return new values.Disposable(() => {});
  },
} satisfies Partial<Api['languages']>;

export const comments = {
  createCommentController: () => {
    const create = (uri: api.Uri, range: api.Range, all: readonly api.Comment[]): api.CommentThread => {
      const thread: api.CommentThread = {
        uri,
        range,
        comments: all,
        collapsibleState: 1,
        canReply: true,
        dispose: () => fake.threads.delete(thread),
      };
      fake.threads.add(thread);
      return thread;
    };
    const controller = { createCommentThread: create, dispose() {} } as unknown as api.CommentController;
    fake.commentController = controller;
    return controller;
  },
} satisfies Partial<Api['comments']>;

export const scm = {
  createSourceControl(_id: string, label: string) {
    const groups: api.SourceControlResourceGroup[] = [];
    const source = {
      label,
      groups,
      inputBox: { visible: true },
      createResourceGroup(id: string, label: string) {
        const group = {
          id,
          label,
          resourceStates: [],
          dispose() {},
        } as Partial<api.SourceControlResourceGroup>;
        groups.push(group as api.SourceControlResourceGroup);
        return group as api.SourceControlResourceGroup;
      },
      dispose: () => void fake.sourceControls.delete(source as never),
    };
    fake.sourceControls.add(source as never);
    return source as never;
  },
} satisfies Partial<Api['scm']>;

export const env = {
  appName: 'Fake Code',
  uriScheme: 'fake-code',
  language: 'en',
  sessionId: 'fake-session',
  shell: '/bin/bash',
  clipboard: {
    readText: async () => fake.clipboard,
    async writeText(text: string) {
      fake.clipboard = text;
    },
  },
} satisfies Partial<Api['env']>;

export const extensions = {
  getExtension: ((id: string) =>
    fake.extensions.has(id) ? { id } : undefined) as Api['extensions']['getExtension'],
} satisfies Partial<Api['extensions']>;

export const l10n = {
  t: (text: string, ...rest: readonly unknown[]) =>
    text.replace(/\{(\d+)\}/g, (_all, at: string) => String(rest[Number(at)])),
};

export const version = '1.100.0';
