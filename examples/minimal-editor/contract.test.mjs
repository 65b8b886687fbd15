import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { systemClock } from '@tandem/core';
import { runEditorContract } from '@tandem/testing';
import { LineEditor } from './editor.mjs';

describe('the line editor', () => {
  runEditorContract(makeEditor, it, ['focus', 'select', 'close', 'edit', 'accept', 'reject']);
});

async function makeEditor() {
  const workspaceFolder = realpathSync(mkdtempSync(join(tmpdir(), 'line-editor-')));
  const editor = new LineEditor(workspaceFolder, () => {});
  return {
    editor,
    workspaceFolder,
    clock: systemClock,
    writeFile(path, text) {
      mkdirSync(dirname(join(workspaceFolder, path)), { recursive: true });
      writeFileSync(join(workspaceFolder, path), text);
    },
    user: {
      focus: (path) => editor.open(path, { takeFocus: true }),
      select: (path, range) => editor.open(path, { range, takeFocus: true }),
      close: (path) => void editor.close(path),
      edit: (review, text) => review.edit(text),
      accept: (review) => void review.accept(),
      reject: (review) => review.reject(),
    },
    dispose: () => rmSync(workspaceFolder, { recursive: true }),
  };
}
