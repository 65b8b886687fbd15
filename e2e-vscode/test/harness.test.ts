import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSite } from '../src/vscodeSite.js';

/** Tests the harness itself, without an extension of ours. */
describe('the editor without Tandem', () => {
  const site = useSite({ hasTandem: false });

  it('opens a file, takes typing and saves', async () => {
    const { sandbox } = site.current;
    const folder = await site.current.folder();
    const path = await sandbox.write(join(folder, 'größe 文.txt'), 'one\ntwo\n');
    const window = await site.current.openWindow(folder);
    await window.openFile(path);
    await expect.poll(() => window.text).toBe('one\ntwo\n');
    await window.goTo(2, 4);
    await window.page.keyboard.type(' and more');
    await window.dirtyTab.waitFor();
    await window.page.keyboard.press('Control+S');
    await window.dirtyTab.waitFor({ state: 'detached' });
    expect(await readFile(path, 'utf8')).toBe('one\ntwo and more\n');
  });

  it('runs commands and shows their output', async () => {
    const window = await site.current.openWindow();
    await window.command('Help: About');
    await window.dialog('code-server').waitFor();
    await window.page.keyboard.press('Escape');
    await window.dialog().waitFor({ state: 'hidden' });
  });

  it('runs a program in a terminal, with nothing of the machine in its environment', async () => {
    const folder = await site.current.folder();
    const window = await site.current.openWindow(folder);
    const terminal = await window.openTerminal();
    expect(await terminal.run('pwd; echo "$TERM_PROGRAM $HOME"')).toBe(
      `${folder}\nvscode ${site.current.sandbox.home}`,
    );
    await expect.poll(() => terminal.hasFocus()).toBe(true);
  });

  it('gives each window of a test its own state', async () => {
    const folder = await site.current.folder();
    const path = await site.current.sandbox.write(join(folder, 'a.txt'), 'one\n');
    const first = await site.current.openWindow(folder);
    const second = await site.current.openWindow(folder);
    await second.openFile(path);
    await second.tab('a.txt').waitFor();
    await first.bringToFront();
    expect(await first.tab('a.txt').count()).toBe(0);
  });
});
