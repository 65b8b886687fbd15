import { joinPath, type SavedDocument } from '@tandem/core';
import { untilActive, writeAndName } from './contextChecks.js';
import { check, checkWithUser } from './contractCheck.js';
import { eventually, expect, expectDocumentError, expectEqual } from './expect.js';

/** Opening, saving and closing. */
export const documentChecks = [
  check('rejects opening a missing file, and opens nothing', async ({ editor, workspaceFolder }) => {
    const path = joinPath(workspaceFolder, 'missing.txt');
    await expectDocumentError(() => editor.documents.open(path, { takeFocus: true }), 'not-found', path);
    expectEqual(editor.documents.state(path), undefined, 'the state of the missing file');
    expectEqual(editor.context.snapshot().openFiles, [], 'the open files');
  }),

  check('rejects opening a folder', async ({ editor, workspaceFolder }) => {
    await expectDocumentError(() => editor.documents.open(workspaceFolder), 'not-a-file', workspaceFolder);
  }),

  check('reports the state of open documents only', async (host) => {
    const { documents } = host.editor;
    const path = await writeAndName(host, 'a.txt', 'a\n');
    expectEqual(documents.state(path), undefined, 'the state before');
    await documents.open(path);
    await eventually(host, () => documents.state(path) !== undefined, 'the document to have a state');
    expectEqual(documents.state(path)?.isDirty, false, 'whether it has unsaved changes');
  }),

  check('opens a file that is open already', async (host) => {
    const path = await writeAndName(host, 'a.txt', 'a\n');
    await host.editor.documents.open(path, { takeFocus: true });
    await host.editor.documents.open(path, { takeFocus: true });
    await untilActive(host, path);
    expectEqual(host.editor.context.snapshot().openFiles.length, 1, 'the number of open files');
  }),

  check('closes an open document, and reports that once', async (host) => {
    const { documents, context } = host.editor;
    const path = await writeAndName(host, 'a.txt', 'a\n');
    await documents.open(path, { takeFocus: true });
    await untilActive(host, path);
    expectEqual(await documents.close(path), true, 'the answer of close');
    await eventually(host, () => context.snapshot().openFiles.length === 0, 'the file to be gone');
    expectEqual(context.snapshot().activePath, undefined, 'the active path');
    expectEqual(await documents.close(path), false, 'the answer of the second close');
  }),

  check('reports that a file that is not open was neither closed nor saved', async (host) => {
    const path = await writeAndName(host, 'a.txt', 'a\n');
    expectEqual(await host.editor.documents.close(path), false, 'the answer of close');
    expectEqual(await host.editor.documents.save(path), false, 'the answer of save');
  }),

  check('saves a document that has no changes', async (host) => {
    const path = await writeAndName(host, 'a.txt', 'a\n');
    await host.editor.documents.open(path, { takeFocus: true });
    await untilActive(host, path);
    expectEqual(await host.editor.documents.save(path), true, 'the answer of save');
    if (host.readFile) expectEqual(await host.readFile('a.txt'), 'a\n', 'what is on disk');
  }),

  checkWithUser('reports unsaved changes, and saves them', ['focus', 'type'], async (host, user) => {
    const { documents } = host.editor;
    const path = await writeAndName(host, 'a.txt', 'a\n');
    await user.focus(path);
    await untilActive(host, path);
    await user.type(path, 'changed\n');
    await eventually(host, () => documents.state(path)?.isDirty === true, 'the document to be dirty');
    if (host.readFile) expectEqual(await host.readFile('a.txt'), 'a\n', 'what is on disk before');
    expectEqual(await documents.save(path), true, 'the answer of save');
    await eventually(host, () => documents.state(path)?.isDirty === false, 'the document to be clean');
    if (host.readFile) expectEqual(await host.readFile('a.txt'), 'changed\n', 'what is on disk after');
  }),

  checkWithUser(
    'reports what the user saves, if it reports that at all, and not what others write',
    ['focus', 'type', 'save'],
    async (host, user) => {
      const { documents } = host.editor;
      if (documents.onDidSave === undefined) return;
      const saved: SavedDocument[] = [];
      const listener = documents.onDidSave((document) => saved.push(document));
      const path = await writeAndName(host, 'a.txt', 'a\r\nb\r\n');
      const other = await writeAndName(host, 'größe 😀.txt', 'a\n');
      await user.focus(other);
      await untilActive(host, other);
      await host.writeFile('größe 😀.txt', 'from elsewhere\n');
      await user.focus(path);
      await untilActive(host, path);
      await user.type(path, 'first\n2 größe 😀\n');
      await user.save(path);
      await eventually(host, () => saved.length > 0, 'an event for the saving');
      await user.type(path, 'second\n');
      await user.save(path);
      await eventually(host, () => saved.length > 1, 'an event for the second saving');
      const expected = ['first\n2 größe 😀\n', 'second\n'].map((text) => ({ path, text }));
      expectEqual(saved, expected, 'the files that the user saved');
      const onDisk = (await host.readFile?.('a.txt'))?.replaceAll('\r\n', '\n');
      if (host.readFile) expectEqual(onDisk, 'second\n', 'what is on disk');
      listener.dispose();
    },
  ),

  checkWithUser('keeps unsaved changes when asked to close', ['focus', 'type'], async (host, user) => {
    const { documents } = host.editor;
    const path = await writeAndName(host, 'a.txt', 'a\n');
    await user.focus(path);
    await untilActive(host, path);
    await user.type(path, 'changed\n');
    await eventually(host, () => documents.state(path)?.isDirty === true, 'the document to be dirty');
    const isClosed = await documents.close(path);
    if (isClosed && host.readFile) expectEqual(await host.readFile('a.txt'), 'changed\n', 'what was saved');
    else expect(documents.state(path)?.isDirty === true, 'the document to stay open with its changes');
  }),
];
