import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';

/**
 * Statements that are true of both the fake and the real VS Code. `fakeVscode.test.ts` runs them on the fake, the
 * contract runner of `e2e-vscode` in a real extension host.
 */
export function runVscodeContract(test: (name: string, run: () => Promise<void>) => void): void {
  test('VS Code: a URI is written and read with every character', async () => {
    for (const path of ['/a b/größe (1).txt', '/100%25 #part?query=1&b.txt', "/it's [1]!*.txt"]) {
      const uri = vscode.Uri.file(path);
      assert.equal(vscode.Uri.parse(uri.toString(), true).fsPath, path);
      const other = uri.with({ scheme: 'other', query: 'review=1' });
      assert.deepEqual([other.path, other.query, other.scheme], [path, 'review=1', 'other']);
      assert.equal(vscode.Uri.joinPath(uri, '..', 'c.txt').path, path.replace(/[^/]*$/, 'c.txt'));
    }
    assert.equal(vscode.Uri.file('/a b[1].txt').toString(), 'file:///a%20b%5B1%5D.txt');
  });

  test('VS Code: ranges are in order, and a selection has its cursor where it was made', async () => {
    const range = new vscode.Range(2, 1, 1, 3);
    assert.deepEqual([range.start.line, range.end.line, range.isEmpty], [1, 2, false]);
    const { anchor, active, start } = new vscode.Selection(2, 1, 1, 3);
    assert.deepEqual([anchor.line, active.line, start.line], [2, 1, 1]);
  });

  test('VS Code: a document has one kind of line end, and no byte order mark', async () => {
    const { uri } = makeFile('\uFEFFone\r\ntwo\r\nthree\nfour');
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.getText(), 'one\r\ntwo\r\nthree\r\nfour');
    assert.equal(document.eol, vscode.EndOfLine.CRLF);
    assert.deepEqual([document.lineCount, document.lineAt(1).text], [4, 'two']);
    const position = document.positionAt(5);
    assert.deepEqual([position.line, position.character, document.offsetAt(position)], [1, 0, 5]);
    // Within a line end.
    assert.equal(document.offsetAt(document.positionAt(4)), 3);
    assert.ok(vscode.workspace.textDocuments.includes(document));
    const undecided = await vscode.workspace.openTextDocument(makeFile('one\r\ntwo\nthree').uri);
    assert.equal(undecided.getText(), 'one\ntwo\nthree');
  });

  test('VS Code: an edit is reported, makes a document dirty, and is saved', async () => {
    const { uri, path } = makeFile('one\ntwo\n');
    const document = await vscode.workspace.openTextDocument(uri);
    const events: string[] = [];
    const isOurs = (each: vscode.TextDocument): boolean => each.uri.toString() === uri.toString();
    const listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((change) => {
        if (isOurs(change.document) && change.contentChanges.length > 0) events.push(document.getText());
      }),
      vscode.workspace.onWillSaveTextDocument((save) => isOurs(save.document) && events.push('will save')),
      vscode.workspace.onDidSaveTextDocument((each) => isOurs(each) && events.push('did save')),
    );
    const edit = new vscode.WorkspaceEdit();
    edit.set(uri, [vscode.TextEdit.replace(new vscode.Range(1, 0, 1, 3), '2')]);
    assert.equal(await vscode.workspace.applyEdit(edit), true);
    assert.equal(document.isDirty, true);
    assert.equal(await document.save(), true);
    assert.equal(document.isDirty, false);
    assert.deepEqual(events, ['one\n2\n', 'will save', 'did save']);
    assert.equal(readFileSync(path, 'utf8'), 'one\n2\n');
    listeners.dispose();
  });

  test('VS Code: a diff is one tab, and its right side is the active editor', async () => {
    const [left, right] = [makeFile('one\n').uri, makeFile('two\n').uri];
    await vscode.commands.executeCommand('vscode.diff', left, right, 'a title', { preview: false });
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.equal(tab?.label, 'a title');
    assert.ok(tab.input instanceof vscode.TabInputTextDiff);
    assert.deepEqual([tab.input.original.path, tab.input.modified.path], [left.path, right.path]);
    await until(vscode.window.onDidChangeActiveTextEditor, () => activePath() === right.path);
    const paths = vscode.window.visibleTextEditors.map(({ document }) => document.uri.path);
    assert.deepEqual(paths.toSorted(), [left.path, right.path].toSorted());
    assert.ok(vscode.window.visibleTextEditors.every(({ viewColumn }) => viewColumn === undefined));
    await vscode.window.tabGroups.close(tab);
  });

  test('VS Code: a tab that opens in the background has no document until it is shown', async () => {
    const [first, second] = [makeFile('one\n').uri, makeFile('two\n').uri];
    await vscode.window.showTextDocument(first, { preview: false });
    const options = { preview: false, background: true, preserveFocus: true };
    await vscode.commands.executeCommand('vscode.open', second, options);
    await until(vscode.window.tabGroups.onDidChangeTabs, () => tabOf(second) !== undefined);
    assert.deepEqual([tabOf(first)?.isActive, tabOf(second)?.isActive], [true, false]);
    assert.equal(isLoaded(second), false);
    assert.equal(vscode.window.activeTextEditor?.viewColumn, 1);
    await closeAll();
  });

  test('VS Code: closing a tab is reported, and shows another one', async () => {
    const [first, second] = [makeFile('one\n').uri, makeFile('two\n').uri];
    for (const uri of [first, second]) await vscode.window.showTextDocument(uri, { preview: false });
    const closed: string[] = [];
    const listener = vscode.window.tabGroups.onDidChangeTabs((change) => {
      for (const { input } of change.closed)
        if (input instanceof vscode.TabInputText) closed.push(input.uri.path);
    });
    const tab = tabOf(second);
    assert.ok(tab);
    await vscode.window.tabGroups.close(tab);
    await until(
      vscode.window.tabGroups.onDidChangeTabs,
      () => closed.length > 0 && tabOf(first)?.isActive === true,
    );
    assert.deepEqual(closed, [second.path]);
    listener.dispose();
    await closeAll();
  });

  test('VS Code: a file system of an extension is read, written and reported', async () => {
    const texts = new Map([['/a.txt', 'one\n']]);
    const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
    let mtime = 1;
    const refuse = (): never => {
      throw vscode.FileSystemError.NoPermissions();
    };
    const registration = vscode.workspace.registerFileSystemProvider('tandem-contract', {
      onDidChangeFile: changed.event,
      stat: ({ path }) => ({
        type: vscode.FileType.File,
        ctime: 0,
        mtime,
        size: texts.get(path)?.length ?? 0,
      }),
      readFile: ({ path }) => Buffer.from(texts.get(path) ?? ''),
      writeFile: ({ path }, bytes) => void texts.set(path, Buffer.from(bytes).toString('utf8')),
      watch: () => new vscode.Disposable(() => {}),
      readDirectory: refuse,
      createDirectory: refuse,
      delete: refuse,
      rename: refuse,
    });
    const uri = vscode.Uri.from({ scheme: 'tandem-contract', path: '/a.txt' });
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.getText(), 'one\n');
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, new vscode.Range(0, 0, 0, 3), '1');
    await vscode.workspace.applyEdit(edit);
    await document.save();
    assert.equal(texts.get('/a.txt'), '1\n');
    texts.set('/a.txt', 'from elsewhere\n');
    mtime = Date.now() + 1000;
    changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    await until(vscode.workspace.onDidChangeTextDocument, () => document.getText() === 'from elsewhere\n');
    assert.equal(document.isDirty, false);
    registration.dispose();
  });

  test('VS Code: commands return values, and a name is registered once', async () => {
    const command = vscode.commands.registerCommand('tandem.contract', (value: number) => value + 1);
    assert.throws(() => vscode.commands.registerCommand('tandem.contract', () => {}));
    assert.equal(await vscode.commands.executeCommand('tandem.contract', 1), 2);
    command.dispose();
    vscode.commands.registerCommand('tandem.contract', () => {}).dispose();
  });

  test('VS Code: a setting is reported, and read where it was written', async () => {
    const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('tandem');
    const affected: boolean[] = [];
    const listener = vscode.workspace.onDidChangeConfiguration((change) => {
      affected.push(change.affectsConfiguration('tandem'), change.affectsConfiguration('tandem.reviews'));
      affected.push(change.affectsConfiguration('tandem.chat'));
    });
    await settings().update('reviews.whenClosed', 'keep', vscode.ConfigurationTarget.Global);
    assert.equal(settings().get('reviews.whenClosed'), 'keep');
    assert.equal(settings().inspect('reviews.whenClosed')?.globalValue, 'keep');
    await until(vscode.workspace.onDidChangeConfiguration, () => affected.length > 0);
    assert.deepEqual(affected.slice(0, 3), [true, true, false]);
    await settings().update('reviews.whenClosed', undefined, vscode.ConfigurationTarget.Global);
    listener.dispose();
  });

  test('VS Code: a text is inserted into a sentence', async () => {
    assert.equal(vscode.l10n.t('{1} and {0}', 'one', 2), '2 and one');
  });
}

function makeFile(text: string): { readonly path: string; readonly uri: vscode.Uri } {
  const path = join(realpathSync(mkdtempSync(join(tmpdir(), 'vscode-contract-'))), 'a.txt');
  writeFileSync(path, text);
  return { path, uri: vscode.Uri.file(path) };
}

function isLoaded(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
}

function activePath(): string | undefined {
  return vscode.window.activeTextEditor?.document.uri.path;
}

function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

async function closeAll(): Promise<void> {
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs));
}

/** Resolves when the condition is true; checked at each event. */
async function until<T>(event: vscode.Event<T>, fact: () => boolean): Promise<void> {
  if (fact()) return;
  await new Promise<void>((resolve) => {
    const listener = event(() => {
      if (!fact()) return;
      listener.dispose();
      resolve();
    });
  });
}
