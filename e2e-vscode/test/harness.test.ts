import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();

/** Tests the harness itself. `agents` shows that each window has its own state. */
describe('the editor under test', () => {
  it('opens a file, takes typing and saves', async () => {
    const desk = await site.current.share({ 'größe 文.txt': 'one\ntwo\n' });
    const { window } = desk;
    await desk.openFile('größe 文.txt');
    await expect.poll(() => window.text).toBe('one\ntwo\n');
    await window.goTo(2, 4);
    await window.page.keyboard.type(' and more');
    await window.dirtyTab.waitFor();
    await window.page.keyboard.press('Control+S');
    await window.dirtyTab.waitFor({ state: 'detached' });
    expect(await desk.read('größe 文.txt')).toBe('one\ntwo and more\n');
  });

  it('runs commands and shows their output', exhaustive, async () => {
    const { window } = await site.current.share();
    await window.command('Help: About');
    await window.dialog('code-server').waitFor();
    await window.page.keyboard.press('Escape');
    await window.dialog().waitFor({ state: 'hidden' });
  });

  it('runs a program in a terminal, with nothing of the machine in its environment', exhaustive, async () => {
    const { window, workspace } = await site.current.share();
    const terminal = await window.openTerminal();
    expect(await terminal.run('pwd; echo "$TERM_PROGRAM $HOME"')).toBe(
      `${workspace}\nvscode ${site.current.sandbox.home}`,
    );
    await expect.poll(() => terminal.hasFocus()).toBe(true);
  });
});
