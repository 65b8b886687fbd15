import { check, checkWithUser } from './contractCheck.js';
import { eventually, expect, expectEqual, isAbsolutePath } from './expect.js';

/** What an editor reports about itself and its open folders. */
export const workspaceChecks = [
  check('reports its name, version and process', async ({ editor: { info } }) => {
    expect(/^[a-z][a-z0-9-]*$/.test(info.name), `a short lower-case name, but it is "${info.name}"`);
    expect(info.displayName.trim() !== '', 'a display name');
    expect(info.version.trim() !== '', 'a version');
    expect(Number.isInteger(info.pid) && info.pid > 0, `a process id, but it is ${info.pid}`);
  }),

  check('names its folders by absolute paths', async ({ editor, workspaceFolder }) => {
    const folders = editor.workspace.folders();
    expect(folders.includes(workspaceFolder), `${workspaceFolder} among the folders ${folders.join(', ')}`);
    for (const folder of folders) expect(isAbsolutePath(folder), `an absolute path, but it is "${folder}"`);
    expectEqual(new Set(folders).size, folders.length, 'the number of different folders');
  }),

  check('reports the same trust in the workspace and in the context', async ({ editor }) => {
    expectEqual(
      editor.context.snapshot().isTrusted,
      editor.workspace.isTrusted(),
      'the trust in the snapshot',
    );
  }),

  checkWithUser('fires an event when trust is withdrawn and granted', ['setTrusted'], async (host, user) => {
    const { workspace, context } = host.editor;
    let events = 0;
    const listener = workspace.onDidChange(() => events++);
    for (const isTrusted of [false, true]) {
      await user.setTrusted(isTrusted);
      await eventually(
        host,
        () => workspace.isTrusted() === isTrusted && events > 0,
        `trust to be ${isTrusted}`,
      );
      expectEqual(context.snapshot().isTrusted, isTrusted, 'the trust in the snapshot');
      events = 0;
    }
    listener.dispose();
  }),

  checkWithUser('sends no events to a disposed listener', ['setTrusted'], async (host, user) => {
    const { workspace } = host.editor;
    let disposedEvents = 0;
    let events = 0;
    const disposed = workspace.onDidChange(() => disposedEvents++);
    workspace.onDidChange(() => events++);
    disposed.dispose();
    disposed.dispose();
    await user.setTrusted(!workspace.isTrusted());
    await eventually(host, () => events > 0, 'an event for the other listener');
    expectEqual(disposedEvents, 0, 'the number of events for the disposed listener');
  }),
];
