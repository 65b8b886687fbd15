import { readFileSync, writeFileSync } from 'node:fs';
import { type SavedDocument, silentLogger } from '@tandem/core';
import { expect, it, onTestFinished } from 'vitest';
import * as vscode from 'vscode';
import { SavedFiles } from '../src/savedFiles.js';
import { WorkspacePaths } from '../src/workspacePaths.js';
import { openReviewDesk } from './support/reviewDesk.js';

/** A file of a window, what is saved in it, and its document. */
async function openFile(text: string) {
  const desk = openReviewDesk({ 'a.txt': text });
  const saves = new SavedFiles({ paths: new WorkspacePaths(), logger: silentLogger });
  onTestFinished(() => saves.dispose());
  const saved: SavedDocument[] = [];
  saves.onDidSave((each) => saved.push(each));
  const path = desk.path('a.txt');
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  return { desk, saves, saved, path, document };
}

/** Inserts text at the beginning. */
async function insert(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, 0, 0), text);
  await vscode.workspace.applyEdit(edit);
}

it('reports the text that was written, formatted, without line ends of Windows and byte order mark', async () => {
  const { desk, saved, path, document } = await openFile('\uFEFFone\r\ntwo\r\n');
  desk.window.documents.formatter = (text) => text.replace('0', 'zero');
  await insert(document, '0\n');
  await document.save();
  expect(saved).toEqual([{ path, text: 'zero\none\ntwo\n' }]);
  expect(readFileSync(path, 'utf8')).toBe('\uFEFFzero\r\none\r\ntwo\r\n');
});

it('does not report the text of a review, a file that is read again, or what was saved unreported', async () => {
  const { desk, saves, saved, path, document } = await openFile('one\n');
  const { sides } = await desk.propose('a.txt', 'two\n');
  const proposal = await vscode.workspace.openTextDocument(sides.proposal);
  await insert(proposal, 'mine\n');
  expect(await proposal.save()).toBe(true);
  writeFileSync(path, 'from elsewhere\n');
  await desk.window.documents.reload(document.uri);
  await insert(document, 'formatted\n');
  await saves.saveUnreported(document);
  expect(readFileSync(path, 'utf8')).toBe('formatted\nfrom elsewhere\n');
  expect(saved).toEqual([]);
  await insert(document, 'mine\n');
  await document.save();
  expect(saved).toEqual([{ path, text: 'mine\nformatted\nfrom elsewhere\n' }]);
});

it('reports what the user or a formatter changes while it is saved unreported', async () => {
  const { desk, saves, saved, path, document } = await openFile('one\n');
  desk.window.documents.formatter = (text) => `${text}end\n`;
  await insert(document, 'formatted\n');
  await saves.saveUnreported(document);
  expect(saved).toEqual([{ path, text: 'formatted\none\nend\n' }]);
});
