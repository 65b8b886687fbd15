import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '@tandem/companion';
import { silentLogger } from '@tandem/core';
import { runEditorContract } from '@tandem/core/testing';
import { describe, it } from 'vitest';
import { StandaloneEditor } from '../src/standaloneEditor.js';

describe('the standalone editor, as every editor', () => {
  runEditorContract(
    async () => {
      const workspaceFolder = realpathSync(mkdtempSync(join(tmpdir(), 'contract-')));
      const editor = new StandaloneEditor({
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
        person: {
          focus: (path) => editor.documents.open(path, { takeFocus: true }),
          select: (path, range) => editor.documents.open(path, { range, takeFocus: true }),
          close: async (path) => void (await editor.documents.close(path)),
          // The `tandem review` commands come down to these calls.
          edit: (review, text) => review.edit(text),
          accept: (review) => void review.accept(),
          reject: (review) => void review.reject(),
        },
        dispose() {
          editor.dispose();
          rmSync(workspaceFolder, { recursive: true });
        },
      };
    },
    it,
    ['focus', 'select', 'close', 'edit', 'accept', 'reject'],
  );
});
