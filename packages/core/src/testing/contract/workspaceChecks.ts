import { check, checkWithPerson } from './contractCheck.js';
import { eventually, expect, expectEqual, isAbsolutePath } from './expect.js';

/** What an editor says of itself and of the folders that are open in it. */
export const workspaceChecks = [
  check('says what it is called, its version and its process', async ({ editor: { info } }) => {
    expect(/^[a-z][a-z0-9-]*$/.test(info.name), `a short lower-case name, and it is "${info.name}"`);
    expect(info.displayName.trim() !== '', 'a display name');
    expect(info.version.trim() !== '', 'a version');
    expect(Number.isInteger(info.pid) && info.pid > 0, `a process id, and it is ${info.pid}`);
  }),

  check('names its folders by absolute paths', async ({ editor, workspaceFolder }) => {
    const folders = editor.workspace.folders();
    expect(folders.includes(workspaceFolder), `${workspaceFolder} among the folders ${folders.join(', ')}`);
    for (const folder of folders) expect(isAbsolutePath(folder), `an absolute path, and it is "${folder}"`);
    expectEqual(new Set(folders).size, folders.length, 'the number of different folders');
  }),

  check('says the same of trust in the workspace and in the context', async ({ editor }) => {
    expectEqual(
      editor.context.snapshot().isTrusted,
      editor.workspace.isTrusted(),
      'the trust in the snapshot',
    );
  }),

  checkWithPerson('tells when trust is withdrawn and granted', ['setTrusted'], async (host, person) => {
    const { workspace, context } = host.editor;
    let heard = 0;
    const listener = workspace.onDidChange(() => heard++);
    for (const isTrusted of [false, true]) {
      await person.setTrusted(isTrusted);
      await eventually(
        host,
        () => workspace.isTrusted() === isTrusted && heard > 0,
        `trust to be ${isTrusted}`,
      );
      expectEqual(context.snapshot().isTrusted, isTrusted, 'the trust in the snapshot');
      heard = 0;
    }
    listener.dispose();
  }),

  checkWithPerson('tells nothing to a listener that was disposed', ['setTrusted'], async (host, person) => {
    const { workspace } = host.editor;
    let disposedHeard = 0;
    let heard = 0;
    const disposed = workspace.onDidChange(() => disposedHeard++);
    workspace.onDidChange(() => heard++);
    disposed.dispose();
    disposed.dispose();
    await person.setTrusted(!workspace.isTrusted());
    await eventually(host, () => heard > 0, 'the other listener to hear of it');
    expectEqual(disposedHeard, 0, 'what the disposed listener heard');
  }),
];
