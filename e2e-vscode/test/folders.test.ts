import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { CompanionWatch } from '../src/companionWatch.js';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { Desk, useSite } from '../src/vscodeSite.js';

const site = useSite();
const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

describe('a window', () => {
  it('on a symlinked folder serves agents in the real one', async () => {
    const { sandbox } = site.current;
    const real = await site.current.folder('real');
    await sandbox.write(join(real, 'a.txt'), BEFORE);
    const link = join(sandbox.root, 'link to it');
    await symlink(real, link);
    const window = await site.current.openWindow(link);
    const companion = await CompanionWatch.find(sandbox, real);
    onTestFinished(() => companion.dispose());
    const claude = await connectClaude(companion);
    await window.openFile(join(link, 'a.txt'));
    const { params } = await claude.notification(
      'selection_changed',
      (message) => message.params.filePath !== '',
    );
    expect(params.filePath).toBe(join(real, 'a.txt'));
    // Both paths name one file: its unsaved changes are detected, and the diff compares with it.
    await window.goTo(3, 6);
    await window.page.keyboard.type('!');
    await window.dirtyTab.waitFor();
    const filePath = join(real, 'a.txt');
    // The page shows it before the extension host receives it.
    await expect.poll(() => claude.json('checkDocumentDirty', { filePath })).toMatchObject({ isDirty: true });
    await window.page.keyboard.press('Control+S');
    await window.dirtyTab.waitFor({ state: 'detached' });
    const proposed = await claude.propose(filePath, PROPOSED);
    // It opened behind the file that was just edited.
    await window.tab('change by').click();
    await window.diff.waitForLine('TWO');
    await window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
  });

  it('reports a folder that is added later to agents', exhaustive, async () => {
    const { sandbox } = site.current;
    const folder = await site.current.folder('several');
    const workspace = join(folder, 'mine.code-workspace');
    const folders = (...names: string[]) =>
      JSON.stringify({ folders: names.map((name) => ({ path: name })), settings: {} });
    await sandbox.write(join(folder, 'first/a.txt'), BEFORE);
    await sandbox.write(join(folder, 'second/b.txt'), BEFORE);
    await sandbox.write(workspace, folders('first'));
    const desk = await Desk.open(site.current, join(folder, 'first'), workspace);
    const gemini = await connectAgent(desk.companion, 'gemini');
    await sandbox.write(workspace, folders('first', 'second'));
    const both = [join(folder, 'first'), join(folder, 'second')];
    await expect.poll(async () => (await desk.companion.status()).workspaceFolders).toEqual(both);
    // Agents that start later look for it there, in a terminal of the window and elsewhere.
    const { env } = await desk.companion.endpoint('gemini');
    expect(env.GEMINI_CLI_IDE_WORKSPACE_PATH).toBe(both.join(':'));
    const terminal = await desk.window.openTerminal('second');
    expect(await terminal.run('echo "$GEMINI_CLI_IDE_WORKSPACE_PATH"')).toBe(both.join(':'));
    const proposed = await gemini.propose(join(folder, 'second/b.txt'), PROPOSED);
    await desk.window.diff.waitForLine('TWO');
    await desk.window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
  });
});
