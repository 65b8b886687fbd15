import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runEditorContract } from '@tandem/testing';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { Sandbox } from '../../e2e/src/sandbox.js';
import { runVscodeContract } from '../../hosts/vscode/test/support/vscodeContract.js';
import { contractPlays } from '../contractRunner/contractPlays.js';
import { buildTestExtension } from '../src/buildTestExtension.js';
import { ContractReport } from '../src/contractReport.js';
import { EditorWindow } from '../src/editorWindow.js';
import { leavePicture, VsCodeSite } from '../src/vscodeSite.js';

const runnerSource = fileURLToPath(new URL('../contractRunner', import.meta.url));

/**
 * The contract runs in the extension host, on the editor of the running extension. Each test here reports the result of
 * one of its tests, so running a test again could only read the same result.
 */
describe('VS Code, as every editor', { retry: 0 }, () => {
  let report: ContractReport | undefined;
  let site: VsCodeSite | undefined;
  let scratch: Sandbox | undefined;
  let window: EditorWindow | undefined;

  beforeAll(async () => {
    report = await ContractReport.start();
    scratch = await Sandbox.create();
    const runner = await buildTestExtension(runnerSource, await scratch.folder('built'));
    site = await VsCodeSite.start({
      extensions: [runner],
      env: { TANDEM_VSCODE_TEST: '1', TANDEM_CONTRACT_REPORT: report.url },
    });
    const folder = await site.folder();
    const workspace = join(folder, 'contract.code-workspace');
    await site.sandbox.write(workspace, JSON.stringify({ folders: [{ path: 'first' }] }));
    await site.sandbox.write(join(folder, 'first/readme.txt'), 'the first folder\n');
    window = await EditorWindow.open(site.context, await site.server.url(workspace));
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail' && window !== undefined) await leavePicture(window, task);
  });

  afterAll(async () => {
    await site?.stop();
    await report?.close();
    await scratch?.dispose();
  });

  runEditorContract(
    () => Promise.reject(new Error('the editor is in the extension host')),
    (name) => it(name, () => report?.passed(name)),
    contractPlays,
  );
  runVscodeContract((name) => it(name, () => report?.passed(name)));
});
