import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createCompanion } from '@tandem/companion';
import { silentLogger, systemClock } from '@tandem/core';
import { type EditorUnderTest, runEditorContract } from '@tandem/testing';
import { describe, it, vi } from 'vitest';
import { PageEditor } from '../../../hosts/standalone/src/editor/pageEditor.js';
import { PageServer } from '../../../hosts/standalone/src/page/pageServer.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { PageUser } from '../../src/pageUser.js';
import { tandemCommand } from '../../src/pinnedPrograms.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Sandbox } from '../../src/sandbox.js';

useBrowser();

const pageFolder = fileURLToPath(new URL('../dist/page', pathToFileURL(tandemCommand)));

const actions = [
  'focus',
  'select',
  'type',
  'save',
  'close',
  'reviewsInView',
  'edit',
  'accept',
  'reject',
] as const;

describe('the editor of the page with a user at the page, as every editor', () => {
  const withoutUser: string[] = [];
  runEditorContract(stage, (name) => withoutUser.push(name), []);
  // The first one opens the page. `pageEditor.contract.test.ts` runs the others without it.
  const repeated = new Set(withoutUser.slice(1));
  runEditorContract(stage, (name, run) => it(name, repeated.has(name) ? exhaustive : {}, run), actions);
});

/** The standalone host in this process, with an open page. */
async function stage(): Promise<EditorUnderTest> {
  const sandbox = await Sandbox.create();
  const { HOME, TMPDIR, XDG_STATE_HOME } = sandbox.environment();
  for (const [name, value] of Object.entries({ HOME, TMPDIR, XDG_STATE_HOME })) vi.stubEnv(name, value);
  for (const name of ['CLAUDE_CONFIG_DIR', 'QWEN_HOME']) vi.stubEnv(name, undefined);
  const workspaceFolder = await sandbox.folder('workspace');
  const common = { version: '1.2.3', logger: silentLogger };
  const editor = new PageEditor({ folders: [workspaceFolder], isTrusted: true, ...common });
  const companion = await createCompanion({ editor, ...common });
  const server = await PageServer.start({ companion, editor, folder: pageFolder, ...common });
  const page = await ReviewPage.openAt(server.url);
  return {
    editor,
    workspaceFolder,
    clock: systemClock,
    writeFile: async (name, text) => void (await sandbox.write(join(workspaceFolder, name), text)),
    readFile: (name) => readFile(join(workspaceFolder, name), 'utf8'),
    user: new PageUser(page, editor, workspaceFolder),
    async dispose() {
      await server.close();
      await companion.stop();
      editor.dispose();
      vi.unstubAllEnvs();
      await sandbox.dispose();
    },
  };
}
