import { unlinkSync, writeFileSync } from 'node:fs';
import type * as vscode from 'vscode';
import { FakeDialogs } from './dialogs.js';
import { FakeDocuments } from './documents.js';
import { FakeTabs } from './tabs.js';
import { EventEmitter, Range, Uri } from './values.js';

/** Where a setting is written. */
type Scope = 'globalValue' | 'workspaceValue';

/** An item of the status bar. */
export type FakeStatusItem = vscode.StatusBarItem & { readonly isShown: boolean };

/** A window of the fake: the state behind the API, and the user's actions. */
export class FakeWindow {
  readonly documents = new FakeDocuments();
  readonly tabs = new FakeTabs(this.documents);
  readonly dialogs = new FakeDialogs();
  readonly commands = new Map<string, (...values: never[]) => unknown>();
  /** Commands of VS Code itself that were run, with their arguments. */
  readonly ran: (readonly [name: string, ...values: unknown[]])[] = [];
  readonly contexts = new Map<string, unknown>();
  readonly statusItems: FakeStatusItem[] = [];
  readonly fileDecorations: vscode.FileDecorationProvider[] = [];
  decorationTypes = 0;
  commentController: vscode.CommentController | undefined;
  readonly sourceControls = new Set<
    vscode.SourceControl & { readonly groups: readonly vscode.SourceControlResourceGroup[] }
  >();
  readonly threads = new Set<vscode.CommentThread>();
  readonly panels: vscode.WebviewPanel[] = [];
  readonly trees = new Map<string, unknown>();
  readonly codeLenses: vscode.CodeLensProvider[] = [];
  readonly terminals: { readonly name: string | undefined; readonly sent: string[] }[] = [];
  readonly files = new EventEmitter<{
    readonly kind: 'change' | 'create' | 'delete';
    readonly uri: vscode.Uri;
  }>();
  readonly didChangeConfiguration = new EventEmitter<vscode.ConfigurationChangeEvent>();
  readonly didChangeFolders = new EventEmitter<vscode.WorkspaceFoldersChangeEvent>();
  readonly didGrantTrust = new EventEmitter<void>();
  readonly didRenameFiles = new EventEmitter<vscode.FileRenameEvent>();
  readonly didChangeDiagnostics = new EventEmitter<vscode.DiagnosticChangeEvent>();
  readonly extensions = new Set<string>();
  readonly #settings = new Map<string, Partial<Record<Scope, unknown>>>();
  folders: vscode.WorkspaceFolder[] = [];
  isTrusted = true;
  clipboard = '';

  openFolder(path: string): void {
    this.folders = [{ uri: Uri.file(path), name: path, index: 0 }];
    this.didChangeFolders.fire({ added: this.folders, removed: [] });
  }

  /** Writes a setting of the user or of a folder. */
  set(name: string, value: unknown, scope: Scope = 'globalValue'): void {
    this.#settings.set(name, { ...this.#settings.get(name), [scope]: value });
    const affectsConfiguration = (section: string): boolean => `${name}.`.startsWith(`${section}.`);
    this.didChangeConfiguration.fire({ affectsConfiguration });
  }

  setting(name: string): Partial<Record<Scope, unknown>> {
    return this.#settings.get(name) ?? {};
  }

  run(name: string, ...values: unknown[]): Promise<unknown> {
    const command = this.commands.get(name);
    if (command === undefined) this.ran.push([name, ...values]);
    return Promise.resolve(command?.(...(values as never[])));
  }

  /** Another program writes a file. */
  async write(path: string, content: string | Uint8Array): Promise<void> {
    writeFileSync(path, content);
    await this.documents.reload(Uri.file(path));
    this.files.fire({ kind: 'change', uri: Uri.file(path) });
  }

  remove(path: string): void {
    unlinkSync(path);
    this.files.fire({ kind: 'delete', uri: Uri.file(path) });
  }

  /** The user opens a file. */
  openFile(path: string): Promise<void> {
    return this.tabs.openText(Uri.file(path));
  }

  /** The user types over a part of the active text, or of another one that is loaded. */
  type(old: string, text: string, document = this.tabs.activeEditor?.document): void {
    if (document === undefined) throw new Error('no text is active');
    const at = document.getText().indexOf(old);
    if (at < 0) throw new Error(`"${old}" is not in ${JSON.stringify(document.getText())}`);
    const range = new Range(document.positionAt(at), document.positionAt(at + old.length));
    document.change([{ range, newText: text }]);
  }

  /** The user closes the tabs with these words in their labels, in one action. */
  async closeTabs(...labels: readonly string[]): Promise<void> {
    const tabs = this.tabs.group.tabs.filter(({ label }) => labels.some((each) => label.includes(each)));
    if (tabs.length < labels.length)
      throw new Error(`no tab for one of ${labels.join(', ')}: ${this.labels}`);
    await this.tabs.close(tabs);
  }

  get labels(): string[] {
    return this.tabs.group.tabs.map(({ label }) => label);
  }

  /** The text of the active editor. */
  get text(): string | undefined {
    return this.tabs.activeEditor?.document.getText();
  }
}
