import { type EditorContext, joinPath, type Path } from '@tandem/core';
import type { EditorUnderTest } from '../editorUnderTest.js';
import { check, checkWithUser } from './contractCheck.js';
import { eventually, expect, expectEqual, isAbsolutePath } from './expect.js';

/** The context that an editor reports. */
export const contextChecks = [
  check('has no file open at first', async ({ editor }) => {
    const { openFiles, activePath } = editor.context.snapshot();
    expectEqual(openFiles, [], 'the open files');
    expectEqual(activePath, undefined, 'the active path');
  }),

  check('puts a file that is opened with the focus first, active and stamped with the time', async (host) => {
    const path = await writeAndName(host, 'a.txt', 'one\n');
    const before = host.clock.now();
    await host.editor.documents.open(path, { takeFocus: true });
    await untilActive(host, path);
    const after = host.clock.now();
    const [file] = host.editor.context.snapshot().openFiles;
    expectEqual(file?.path, path, 'the first open file');
    const stamp = file?.lastFocusedAt ?? Number.NaN;
    // The editor's clock may be coarser than the test's.
    expect(
      stamp >= before - 1000 && stamp <= after + 1000,
      `a time in Unix milliseconds from ${before} to ${after}, but it is ${stamp}`,
    );
  }),

  check('keeps files in the order of their last focus', async (host) => {
    const [a, b, c] = [
      await writeAndName(host, 'a.txt', 'a\n'),
      await writeAndName(host, 'b.txt', 'b\n'),
      await writeAndName(host, 'c.txt', 'c\n'),
    ];
    for (const path of [a, b, c, a]) {
      await host.editor.documents.open(path, { takeFocus: true });
      await untilActive(host, path);
    }
    const { openFiles } = host.editor.context.snapshot();
    expectEqual(pathsOf(openFiles), [a, c, b], 'the order of the open files');
    const stamps = openFiles.map(({ lastFocusedAt }) => lastFocusedAt);
    expectEqual(
      stamps,
      [...stamps].sort((x, y) => y - x),
      'the times, which fall',
    );
  }),

  check('lists a file that is opened without the focus', async (host) => {
    const a = await writeAndName(host, 'a.txt', 'a\n');
    const b = await writeAndName(host, 'b.txt', 'b\n');
    await host.editor.documents.open(a, { takeFocus: true });
    await untilActive(host, a);
    await host.editor.documents.open(b);
    await eventually(
      host,
      () => pathsOf(host.editor.context.snapshot().openFiles).includes(b),
      'b to be listed',
    );
    expect(pathsOf(host.editor.context.snapshot().openFiles).includes(a), 'a to be listed still');
  }),

  check('names every file once, by an absolute path, with spaces and letters of any script', async (host) => {
    const names = [
      'plain.txt',
      'a folder/with spaces.txt',
      'größe/файл/文件 😀.txt',
      "it's [a] #1 & 100%.txt",
    ];
    const paths: Path[] = [];
    for (const name of names) paths.push(await writeAndName(host, name, `${name}\n`));
    for (const path of [...paths, ...paths]) await host.editor.documents.open(path, { takeFocus: true });
    await untilActive(host, paths.at(-1) ?? '');
    const { openFiles } = host.editor.context.snapshot();
    expectEqual(pathsOf(openFiles).sort(), [...paths].sort(), 'the open files');
    for (const { path } of openFiles) expect(isAbsolutePath(path), `an absolute path, but it is "${path}"`);
  }),

  check('reports the range and the exact text of the selection', async (host) => {
    const path = await writeAndName(host, 'selected.txt', 'first\nsec😀nd\nthird\n');
    const range = { start: { line: 0, character: 2 }, end: { line: 1, character: 5 } };
    await host.editor.documents.open(path, { range, takeFocus: true });
    await untilSelected(host, path, 'rst\nsec😀');
    expectEqual(selectionOf(host.editor.context.snapshot(), path)?.range, range, 'the selected range');
  }),

  check('keeps the line endings of the file in the selected text', async (host) => {
    const path = await writeAndName(host, 'crlf.txt', 'first\r\nsecond\r\nthird\r\n');
    const range = { start: { line: 0, character: 2 }, end: { line: 2, character: 1 } };
    await host.editor.documents.open(path, { range, takeFocus: true });
    await untilSelected(host, path, 'rst\r\nsecond\r\nt');
  }),

  check('cuts a range that reaches beyond the text', async (host) => {
    const path = await writeAndName(host, 'short.txt', 'first\nsecond');
    const range = { start: { line: 1, character: 3 }, end: { line: 900, character: 0 } };
    await host.editor.documents.open(path, { range, takeFocus: true });
    await untilSelected(host, path, 'ond');
  }),

  check('fires an event when files are opened and closed', async (host) => {
    const path = await writeAndName(host, 'a.txt', 'one\n');
    let events = 0;
    const listener = host.editor.context.onDidChange(() => events++);
    await host.editor.documents.open(path, { takeFocus: true });
    await untilActive(host, path);
    await eventually(host, () => events > 0, 'an event for the opening');
    events = 0;
    await host.editor.documents.close(path);
    await eventually(host, () => events > 0, 'an event for the closing');
    listener.dispose();
  }),

  check('returns immutable snapshots', async (host) => {
    const path = await writeAndName(host, 'a.txt', 'one\n');
    const before = host.editor.context.snapshot();
    await host.editor.documents.open(path, { takeFocus: true });
    await untilActive(host, path);
    expectEqual(before.openFiles, [], 'the files of the snapshot taken before');
  }),

  checkWithUser('fires an event when the user focuses another file', ['focus'], async (host, user) => {
    const a = await writeAndName(host, 'a.txt', 'a\n');
    const b = await writeAndName(host, 'b.txt', 'b\n');
    let events = 0;
    const listener = host.editor.context.onDidChange(() => events++);
    for (const path of [a, b, a]) {
      events = 0;
      await user.focus(path);
      await untilActive(host, path);
      await eventually(host, () => events > 0, 'an event for the change of focus');
    }
    expectEqual(pathsOf(host.editor.context.snapshot().openFiles), [a, b], 'the order of the open files');
    listener.dispose();
  }),

  checkWithUser('fires an event when the user selects text', ['focus', 'select'], async (host, user) => {
    const path = await writeAndName(host, 'a.txt', 'first\nsecond\n');
    await user.focus(path);
    await untilActive(host, path);
    let events = 0;
    const listener = host.editor.context.onDidChange(() => events++);
    await user.select(path, { start: { line: 1, character: 0 }, end: { line: 1, character: 6 } });
    await untilSelected(host, path, 'second');
    await eventually(host, () => events > 0, 'an event for the selection');
    listener.dispose();
  }),

  checkWithUser('removes a file that the user closes', ['focus', 'close'], async (host, user) => {
    const path = await writeAndName(host, 'a.txt', 'a\n');
    await user.focus(path);
    await untilActive(host, path);
    await user.close(path);
    await eventually(
      host,
      () => !pathsOf(host.editor.context.snapshot().openFiles).includes(path),
      'the file to be gone from the snapshot',
    );
    expect(host.editor.context.snapshot().activePath !== path, 'the closed file not to be active');
  }),
];

/** Writes a file and returns its absolute path. */
export async function writeAndName(host: EditorUnderTest, relativePath: string, text: string): Promise<Path> {
  await host.writeFile(relativePath, text);
  return joinPath(host.workspaceFolder, ...relativePath.split('/'));
}

/** Waits until a file has the focus, and checks that it is then the first of all. */
export async function untilActive(host: EditorUnderTest, path: Path): Promise<void> {
  await eventually(host, () => host.editor.context.snapshot().activePath === path, `${path} to be active`);
  expectEqual(host.editor.context.snapshot().openFiles[0]?.path, path, 'the first open file');
}

async function untilSelected(host: EditorUnderTest, path: Path, text: string): Promise<void> {
  const isSelected = (): boolean => selectionOf(host.editor.context.snapshot(), path)?.text === text;
  await eventually(host, isSelected, `${JSON.stringify(text)} to be selected`);
}

function selectionOf(snapshot: EditorContext, path: Path) {
  return snapshot.openFiles.find((file) => file.path === path)?.selection;
}

function pathsOf(files: EditorContext['openFiles']): Path[] {
  return files.map(({ path }) => path);
}
