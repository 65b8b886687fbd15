import { systemClock } from '@tandem/core';
import {
  type EditorUnderTest,
  FakeEditor,
  type FakeEditorOptions,
  FakeFiles,
  runEditorContract,
} from '@tandem/testing';
import { describe, expect, it } from 'vitest';

describe('the fake editor', () => {
  runEditorContract(() => makeFakeEditor(), it);
});

describe('the fake editor without its optional capabilities', () => {
  runEditorContract(
    async () => {
      const host = await makeFakeEditor({ without: ['format', 'diagnostics'] });
      expect(host.editor.documents.format).toBeUndefined();
      expect(host.editor.diagnostics).toBeUndefined();
      const { user } = host;
      return {
        ...host,
        user: { focus: (path) => user.focus?.(path), close: (path) => user.close?.(path) },
      };
    },
    it,
    ['focus', 'close'],
  );
});

async function makeFakeEditor(options: FakeEditorOptions = {}): Promise<EditorUnderTest> {
  const files = new FakeFiles();
  files.makeFolder('/workspace');
  const editor = new FakeEditor({ ...options, files, clock: systemClock });
  return {
    editor,
    workspaceFolder: '/workspace',
    clock: systemClock,
    writeFile: (path, text) => files.write(`/workspace/${path}`, text),
    readFile: async (path) => (await files.readText(`/workspace/${path}`)) ?? '',
    user: editor.user,
    dispose() {},
  };
}
