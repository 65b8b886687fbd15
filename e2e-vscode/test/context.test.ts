import { rename, rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { connectClaude } from '../src/mcpAgent.js';
import { type Desk, useSite } from '../src/vscodeSite.js';

const site = useSite();

/** The open files as Claude Code's tool reports them, the active one first. */
async function openFiles(desk: Desk, claude: Awaited<ReturnType<typeof connectClaude>>): Promise<string[]> {
  const { tabs } = await claude.json('getOpenEditors');
  return tabs.map(({ uri }: { uri: string }) => uri.replace(`file://${desk.folder}/`, ''));
}

describe('the context that an agent gets', () => {
  it('is the active file and exactly the selection', async () => {
    const desk = await site.current.share({ 'größe 文#1.txt': 'first\nsecond line\n' });
    const claude = await connectClaude(desk.companion);
    await desk.openFile('größe 文#1.txt');
    await desk.window.select(2, 1, 'second'.length);
    const { params } = await claude.notification(
      'selection_changed',
      (message) => message.params.text === 'second',
    );
    expect(params.filePath).toBe(desk.path('größe 文#1.txt'));
    expect(params.selection).toMatchObject({
      start: { line: 1, character: 0 },
      end: { line: 1, character: 6 },
    });
  });

  it('has all open files in the order of their focus, also those that a reload restored', async () => {
    const desk = await site.current.share({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const { window } = desk;
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'a.txt']) {
      await desk.openFile(name);
      // The next preview replaces a preview tab.
      await window.command('View: Keep Editor');
    }
    const claude = await connectClaude(desk.companion);
    await expect.poll(() => openFiles(desk, claude)).toEqual(['a.txt', 'c.txt', 'b.txt']);
    await window.reload();
    const again = await desk.reconnect();
    const reconnected = await connectClaude(again.companion);
    await expect
      .poll(() => openFiles(desk, reconnected).then((names) => names.sort()))
      .toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it('follows files that are renamed, deleted and closed', async () => {
    const desk = await site.current.share({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const claude = await connectClaude(desk.companion);
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      await desk.openFile(name);
      await desk.window.command('View: Keep Editor');
    }
    await expect.poll(() => openFiles(desk, claude)).toEqual(['c.txt', 'b.txt', 'a.txt']);
    await desk.window.closeTab('c.txt');
    await expect.poll(() => openFiles(desk, claude)).toEqual(['b.txt', 'a.txt']);
    await rm(desk.path('a.txt'));
    await rename(desk.path('b.txt'), desk.path('d.txt'));
    await expect.poll(() => openFiles(desk, claude)).toEqual([]);
  });

  it(
    'loses the active file when its folder is moved away, and has it again when the folder is back',
    exhaustive,
    async () => {
      const desk = await site.current.share({ 'src/deep/a.txt': 'marker-5f1\n' });
      const claude = await connectClaude(desk.companion);
      await desk.openFile('src/deep/a.txt');
      await desk.window.select(1, 1, 6);
      await claude.notification('selection_changed', (message) => message.params.text === 'marker');
      await rename(desk.path('src'), desk.path('lib'));
      // Agents do not poll: without a notification, an agent would keep the deleted file.
      await claude.notification('selection_changed', (message) => message.params.filePath === '');
      await rename(desk.path('lib'), desk.path('src'));
      await claude.notification(
        'selection_changed',
        (message) => message.params.filePath === desk.path('src/deep/a.txt'),
      );
    },
  );

  it('omits what is not a file: settings, output, untitled, diffs', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': 'a\n' });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await window.command('File: New Untitled Text File');
    await window.page.keyboard.type('secret of an untitled file');
    await window.command('Preferences: Open Settings (UI)');
    await claude.propose(desk.path('a.txt'), 'b\n');
    await window.tab('change by').click();
    await window.diff.waitForLine('b');
    await expect.poll(() => openFiles(desk, claude)).toEqual([]);
    await desk.openFile('a.txt');
    await expect.poll(() => openFiles(desk, claude)).toEqual(['a.txt']);
    expect(claude.client.received).not.toContain('secret of an untitled file');
  });

  it('names notebooks by their file', exhaustive, async () => {
    const notebook = JSON.stringify({
      cells: [{ cell_type: 'markdown', metadata: {}, source: ['text'] }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    });
    const desk = await site.current.share({ 'a.ipynb': notebook });
    const claude = await connectClaude(desk.companion);
    await desk.window.openByName(desk.path('a.ipynb'), relative(desk.workspace, desk.folder));
    await expect.poll(() => openFiles(desk, claude)).toEqual(['a.ipynb']);
  });

  it('omits secrets, and everything while sharing is paused', async () => {
    const desk = await site.current.share({ '.env': 'TOKEN=hunter2-4bd1c7\n', 'a.txt': 'marker-91cc\n' });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('.env');
    await window.select(1, 1, 20);
    await desk.openFile('a.txt');
    await window.select(1, 1, 6);
    await claude.notification('selection_changed', (message) => message.params.text === 'marker');
    await window.command('Tandem: Pause Sharing');
    await claude.notification('selection_changed', (message) => message.params.filePath === '');
    expect(await openFiles(desk, claude)).toEqual([]);
    await window.command('Tandem: Resume Sharing');
    await claude.notification(
      'selection_changed',
      (message) => message.params.filePath === desk.path('a.txt'),
    );
    expect(claude.client.received).not.toContain('.env');
    expect(claude.client.received).not.toContain('hunter2');
  });
});
