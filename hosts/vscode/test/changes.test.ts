import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type * as vscode from 'vscode';
import { openExtensionDesk } from './support/extensionDesk.js';
import { Uri } from './support/fakeVscode/index.js';
import { settle } from './support/reviewDesk.js';

const before = 'one\r\ntwo\r\nthree\r\n';
const changed = before.replace('two', 'TWO');

/** A window in which one agent changed a file and created one. */
async function openChanges() {
  const desk = await openExtensionDesk({ files: { 'a.txt': before } });
  const { window, extension, connect, path } = desk;
  const agent = await connect();
  const accept = async (name: string, newContent: string): Promise<void> => {
    await agent.request('tools/call', { name: 'openDiff', arguments: { filePath: path(name), newContent } });
    await expect.poll(() => extension.reviews().length).toBe(1);
    extension.reviews()[0]?.review.accept();
    await agent.next('ide/diffAccepted');
    await window.write(path(name), newContent);
    await settle();
  };
  await accept('a.txt', changed);
  await accept('new.txt', 'new\n');
  await expect.poll(() => window.contexts.get('tandem.hasChanges')).toBe(true);
  const tree = window.trees.get('tandem.changes') as vscode.TreeDataProvider<object> | undefined;
  const children = async (node?: object): Promise<object[]> => (await tree?.getChildren(node)) ?? [];
  const label = async (node: object): Promise<string> => {
    const item = await tree?.getTreeItem(node);
    return `${item?.label} ${item?.description} (${item?.contextValue})`;
  };
  const [session = {}] = await children();
  const read = (name: string): string => readFileSync(path(name), 'utf8');
  return { ...desk, children, label, session, read };
}

describe('the changes of a session', () => {
  it('are listed by session, with the reviews that led there', async () => {
    const { children, label, session } = await openChanges();
    expect(await label(session)).toBe('Gemini CLI a.txt · 2 files (session)');
    const files = await children(session);
    expect(await Promise.all(files.map(label))).toEqual([
      'a.txt +1 −1 (changed)',
      'new.txt +1 −0 · new file (changed)',
    ]);
    const [entry = {}] = await children(files[0]);
    expect(await label(entry)).toMatch(/^Review \d+, accepted .* \(accepted\)$/);
  });

  it('do not count what no accepted review changed, and say so', async () => {
    const { window, children, label, session, path } = await openChanges();
    await window.write(path('a.txt'), `${changed}by a command\r\n`);
    await window.write(path('new.txt'), 'mine\n');
    const files = await children(session);
    expect(await Promise.all(files.map(label))).toEqual([
      'a.txt +1 −1 · not all counted (changed)',
      'new.txt +0 −0 · not all counted (changed)',
    ]);
    const notes = await Promise.all(files.map(async (file) => label((await children(file))[0] ?? {})));
    expect(notes[0]).toContain('The file also has changes that no accepted review made');
    expect(notes[1]).toContain('Lines of these changes were changed again later');
    await window.run('tandem.showSessionChanges');
    const [, , resources] = window.ran.find(([name]) => name === 'vscode.changes') ?? [];
    const [shown, ...others] = resources as readonly (readonly (vscode.Uri | undefined)[])[];
    const sides = shown?.slice(1).map(async (uri) => uri && (await window.documents.open(uri)).getText());
    expect(await Promise.all(sides ?? [])).toEqual([
      `${before}by a command\r\n`,
      `${changed}by a command\r\n`,
    ]);
    expect(others).toEqual([]);
  });

  it('are listed by turn, and apart if perhaps something else made them; a turn is undone as a whole', async () => {
    const { window, children, label, session, extension, path, read } = await openChanges();
    const companion = extension.companion();
    const [known] = companion?.history.entries ?? [];
    const of = { agent: 'gemini', session: known?.session ?? '', isOutsideWorkspace: false };
    companion?.work.turnBegan(of, { prompt: 'Shout', isContinued: false });
    for (const [name, kind] of [
      ['b.txt', 'command'],
      ['c.txt', 'turn'],
    ] as const) {
      await window.write(path(name), 'B\n');
      const evidence = kind === 'turn' ? { kind } : { kind, commands: ['sed s/b/B/'] };
      const texts = { before: { kind: 'text', text: 'b\n' }, after: { kind: 'text', text: 'B\n' } } as const;
      companion?.history.addWritten({ ...of, ...texts, path: path(name), title: '', evidence });
    }
    const nodes = (await children(session)).slice(0, 2);
    expect(await Promise.all(nodes.map(label))).toEqual([
      'Turn 1: Shout 1 file (turn.waiting)',
      'Perhaps not by Gemini CLI Turn 1: Shout · 1 file (uncertain)',
    ]);
    const [file] = await children(nodes[0]);
    expect(await label(file ?? {})).toBe('b.txt +1 −1 (changed.waiting)');
    const [entry = {}] = await children(file);
    expect(await label(entry)).toMatch(
      /^Edit w1 .* · changed while its command ran: sed s\/b\/B\/ \(accepted\)$/,
    );
    // What was accepted before is apart, and closed.
    const [, , decided] = await children(session);
    expect(await label(decided ?? {})).toBe('Kept and accepted 2 files (decided)');
    expect(await Promise.all((await children(decided)).map(label))).toEqual([
      'a.txt +1 −1 (changed)',
      'new.txt +1 −0 · new file (changed)',
    ]);
    await window.run('tandem.keepChanges', nodes[0]);
    (await window.dialogs.message('Kept the changes to 1 file.')).answer('Review Again');
    await window.dialogs.message('The changes to 1 file wait again.');
    await window.run('tandem.keepChanges', file);
    const [, others] = await children(session);
    const [turn] = (await children(others)).slice(-1);
    const [kept] = await children(turn);
    expect(await label(kept ?? {})).toBe('b.txt +1 −1 (changed.kept)');
    await window.run('tandem.reviewAgain', kept);
    expect((await children(session)).length).toBe(3);
    const undoing = window.run('tandem.restoreChanges', nodes[0]);
    (await window.dialogs.message('Undo the changes of b.txt?')).answer('Undo');
    await undoing;
    expect([read('b.txt'), read('c.txt')]).toEqual(['b\n', 'B\n']);
  });

  it('open in one editor, both sides read-only', async () => {
    const { window, path } = await openChanges();
    await window.run('tandem.showSessionChanges');
    const [, title, resources] = window.ran.find(([name]) => name === 'vscode.changes') ?? [];
    expect(title).toBe('Changes by Gemini CLI');
    const shown = resources as readonly (readonly (vscode.Uri | undefined)[])[];
    expect(shown.map(([label]) => label?.fsPath)).toEqual([path('a.txt'), path('new.txt')]);
    expect(shown[1]?.[1]).toBeUndefined();
    const sides = shown.flat().filter((uri) => uri !== undefined && uri.scheme !== 'file');
    // VS Code saves none of a content provider's documents.
    expect(new Set(sides.map((uri) => uri?.scheme))).toEqual(new Set(['tandem-changes']));
    const texts = await Promise.all(
      sides.map(async (uri) => uri && (await window.documents.open(uri)).getText()),
    );
    expect(texts).toEqual([before, changed, 'new\n']);
  });
});

describe('what agents have written', () => {
  /** Two written changes in a file: of a hook, then of a command. */
  async function openWritten() {
    const desk = await openChanges();
    const { window, extension, path } = desk;
    const companion = extension.companion();
    const session = companion?.history.entries[0]?.session ?? '';
    const of = { agent: 'gemini', session, isOutsideWorkspace: false, path: path('w.txt'), title: 'Edit' };
    const write = async (before: string, after: string, facts = {}): Promise<void> => {
      await window.write(path('w.txt'), after);
      const texts = { before: { kind: 'text', text: before }, after: { kind: 'text', text: after } } as const;
      companion?.history.addWritten({ ...of, ...texts, ...facts });
    };
    companion?.work.turnBegan(of, { prompt: 'Shout', isContinued: false });
    await window.write(path('w.txt'), 'one\ntwo\nthree\nfour\n');
    await write('one\ntwo\nthree\nfour\n', 'ONE\ntwo\nthree\nfour\n');
    const command = { kind: 'command', commands: ['sed s/four/FOUR/'] } as const;
    await write('ONE\ntwo\nthree\nfour\n', 'ONE\ntwo\nthree\nFOUR\n', { evidence: command });
    const source = () => [...window.sourceControls][0];
    await expect.poll(source).toBeDefined();
    const uri = Uri.file(path('w.txt'));
    const original = async (): Promise<string | undefined> => {
      const never = { isCancellationRequested: false } as vscode.CancellationToken;
      const found = await source()?.quickDiffProvider?.provideOriginalResource?.(uri, never);
      const texts = window.documents.contents.get('tandem-written');
      return found ? ((await texts?.provideTextDocumentContent(found, never)) ?? undefined) : undefined;
    };
    return { ...desk, source, uri, original };
  }

  it('is compared in its file with the text before, kept and undone by lines, and is over then', async () => {
    const { window, source, uri, original, path, read } = await openWritten();
    expect(
      source()?.groups.map(({ resourceStates }) => resourceStates.map((each) => each.resourceUri.fsPath)),
    ).toEqual([[path('w.txt')]]);
    expect(await original()).toBe('one\ntwo\nthree\nfour\n');
    const lines = [
      { modifiedStartLineNumber: 1, modifiedEndLineNumber: 1 },
      { modifiedStartLineNumber: 4, modifiedEndLineNumber: 4 },
    ];
    await window.documents.open(uri);
    await window.run('tandem.keepLines', uri, lines, 0);
    await expect.poll(original).toBe('ONE\ntwo\nthree\nfour\n');
    expect(read('w.txt')).toBe('ONE\ntwo\nthree\nFOUR\n');
    const undoing = window.run('tandem.undoLines', uri, lines, 1);
    const question = await window.dialogs.message('Something else may have written these lines. Undo them?');
    expect(question.detail).toBe(
      'Gemini CLI, Turn 1: Shout\nchanged while its command ran: sed s/four/FOUR/\n- four',
    );
    question.answer('Undo');
    (await window.dialogs.message('Changes of w.txt undone.')).answer();
    await undoing;
    expect(read('w.txt')).toBe('ONE\ntwo\nthree\nfour\n');
    await expect.poll(() => original()).not.toBe('one\ntwo\nthree\nfour\n');
  });

  it('is not marked if the user does not want that', async () => {
    const { window, source } = await openWritten();
    window.set('tandem.changes.markLines', false);
    expect(source()).toBeUndefined();
  });
});

describe('a restoration', () => {
  it('says what it will do, does that, and can be undone', async () => {
    const { window, session, read, path, children, label } = await openChanges();
    const restoring = window.run('tandem.restoreChanges', session);
    const question = await window.dialogs.message('Undo the changes of 2 files?');
    expect(question).toMatchObject({ isModal: true, buttons: ['Undo'] });
    expect(question.detail).toBe('a.txt returns to its earlier text.\nnew.txt is deleted.');
    expect(read('a.txt')).toBe(changed);
    question.answer('Undo');
    await restoring;
    expect(read('a.txt')).toBe(before);
    expect(existsSync(path('new.txt'))).toBe(false);
    expect(await Promise.all((await children(session)).map(label))).toEqual([
      'a.txt no net change (undoable)',
      'new.txt no net change (undoable)',
    ]);
    (await window.dialogs.message('Changes of 2 files undone.')).answer('Redo');
    await expect.poll(() => existsSync(path('new.txt'))).toBe(true);
    expect([read('a.txt'), read('new.txt')]).toEqual([changed, 'new\n']);
  });

  it('is undone after a question of its own', async () => {
    const { window, session, read, children, label } = await openChanges();
    const restoring = window.run('tandem.restoreChanges', session);
    (await window.dialogs.message('Undo the changes of 2 files?')).answer('Undo');
    await restoring;
    const [file] = await children(session);
    const entries = await children(file);
    const labels = await Promise.all(entries.map(label));
    const restoration = entries[labels.findIndex((each) => each.endsWith('(undone)'))];
    const undoing = window.run('tandem.undoRestoration', restoration);
    const question = await window.dialogs.message('Redo the changes of a.txt?');
    expect(question.buttons).toEqual(['Redo']);
    question.answer('Redo');
    await undoing;
    expect(read('a.txt')).toBe(changed);
  });

  it.each(['the file', 'the session'])('is undone later from %s in the list', async (from) => {
    const { window, session, read, path, children } = await openChanges();
    await window.run('tandem.undoRestoration', session);
    await window.dialogs.message('There is nothing to redo.');
    const restoring = window.run('tandem.restoreChanges', session);
    (await window.dialogs.message('Undo the changes of 2 files?')).answer('Undo');
    await restoring;
    const [file] = await children(session);
    const undoing = window.run('tandem.undoRestoration', from === 'the file' ? file : session);
    const what = from === 'the file' ? 'a.txt' : '2 files';
    (await window.dialogs.message(`Redo the changes of ${what}?`)).answer('Redo');
    await undoing;
    expect([read('a.txt'), existsSync(path('new.txt'))]).toEqual([changed, from === 'the session']);
  });

  it('writes nothing if the user does not agree', async () => {
    const { window, session, read } = await openChanges();
    const restoring = window.run('tandem.restoreChanges', session);
    (await window.dialogs.message('Undo the changes of 2 files?')).answer();
    await restoring;
    expect(read('a.txt')).toBe(changed);
  });

  it('leaves a file with unsaved changes alone', async () => {
    const { window, session, read, path, children } = await openChanges();
    await window.openFile(path('a.txt'));
    window.type('TWO', 'typed');
    const [file] = await children(session);
    const restoring = window.run('tandem.restoreChanges', file);
    const question = await window.dialogs.message('Undo the changes of a.txt?');
    expect(question.buttons).toEqual([]);
    expect(question.detail).toContain('has unsaved changes');
    question.answer();
    await restoring;
    expect([read('a.txt'), window.text]).toEqual([changed, changed.replace('TWO', 'typed')]);
  });

  it('with a conflict opens both versions unsaved; saving them can be undone', async () => {
    const { window, session, read, path, children, extension } = await openChanges();
    const mine = before.replace('two', 'mine');
    await window.write(path('a.txt'), mine);
    const [file] = await children(session);
    const restoring = window.run('tandem.restoreChanges', file);
    const question = await window.dialogs.message('Undo the changes of a.txt?');
    expect(question.detail).toContain('opens with both versions');
    question.answer('Undo');
    await restoring;
    expect(read('a.txt')).toBe(mine);
    const document = window.tabs.activeEditor?.document;
    expect(document?.isDirty).toBe(true);
    expect(document?.getText()).toContain('<<<<<<< the earlier text');
    window.type(document?.getText() ?? '', 'resolved\n');
    await document?.save();
    expect(read('a.txt')).toBe('resolved\r\n');
    const { changes } = extension.companion() ?? {};
    await expect
      .poll(() => changes?.restore({ ids: ['r1'] }).catch(() => undefined))
      .toMatchObject([{ kind: 'restored' }]);
    expect(read('a.txt')).toBe(mine);
  });
});
