import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLogger, systemClock } from '@tandem/core';
import { toDocumentText } from '@tandem/reviews';
import { type EditorUnderTest, type EditorUser, runEditorContract } from '@tandem/testing';
import { describe, it } from 'vitest';
import { PageEditor } from '../../src/editor/pageEditor.js';
import { pushInto, typeInto } from './support/documentFolder.js';

describe('the page editor without a page', () => {
  runEditorContract(
    () =>
      stage((editor) => ({
        focus: (path) => editor.documents.open(path, { takeFocus: true }),
        select: (path, range) => editor.documents.open(path, { range, takeFocus: true }),
        close: async (path) => void (await editor.documents.close(path)),
        // The `tandem review` commands make these calls.
        edit: (review, text) => review.edit(text),
        accept: (review) => void review.accept(),
        reject: (review) => void review.reject(),
      })),
    it,
    ['focus', 'select', 'close', 'edit', 'accept', 'reject'],
  );
});

describe('the page editor with an open page', () => {
  runEditorContract(
    () =>
      stage((editor) => ({
        async focus(path) {
          await editor.openDocument(path);
          editor.setFocus(path);
        },
        select: (path, range) => editor.setFocus(path, range),
        type: (path, text) => typeInto(found(editor.document(path)).text, text),
        async save(path) {
          const document = found(editor.document(path));
          await document.save(document.text.version);
        },
        close: (path) => editor.closeDocument(path),
        reviewsInView: () => editor.shownReviews.map(({ review }) => review),
        edit: (review, text) => void pushInto(found(editor.shownReview(review.id)), toDocumentText(text)),
        accept(review) {
          found(editor.shownReview(review.id)).review.accept();
        },
        reject: (review) => void found(editor.shownReview(review.id)).review.reject(),
      })),
    it,
    ['focus', 'select', 'type', 'save', 'close', 'reviewsInView', 'edit', 'accept', 'reject'],
  );
});

async function stage(userOf: (editor: PageEditor) => EditorUser): Promise<EditorUnderTest> {
  const workspaceFolder = realpathSync(mkdtempSync(join(tmpdir(), 'contract-')));
  const editor = new PageEditor({
    folders: [workspaceFolder],
    isTrusted: true,
    version: '1.2.3',
    logger: silentLogger,
  });
  return {
    editor,
    workspaceFolder,
    clock: systemClock,
    writeFile(relativePath, text) {
      const path = join(workspaceFolder, relativePath);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    readFile: (relativePath) => readFileSync(join(workspaceFolder, relativePath), 'utf8'),
    user: userOf(editor),
    dispose() {
      editor.dispose();
      rmSync(workspaceFolder, { recursive: true });
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is not in view.');
  return value;
}
