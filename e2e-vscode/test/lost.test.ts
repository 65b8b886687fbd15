import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));
const site = useSite();

const missing = 'Claude Code has not reconnected since the restart. If it still runs, type /ide in it.';

describe('an agent that was connected before the extension host ended', () => {
  it('is shown in a notification with the command to type, until it is back', async () => {
    const settings = { 'workbench.colorTheme': 'Default Dark Modern' };
    const desk = await site.current.open({
      'a.txt': 'a\n',
      '.vscode/settings.json': JSON.stringify(settings),
    });
    await connectClaude(desk.companion);
    const gemini = await connectAgent(desk.companion, 'gemini');
    await desk.window.reload();
    const { companion, window } = await desk.reconnect();
    // This one reconnects by itself.
    await gemini.comeBack();
    await companion.waitForEvent('session.lost', { agent: 'claude' });
    const told = window.notification(missing);
    await told.waitFor();
    expect(await window.notification('has not reconnected').count()).toBe(1);
    await window.page.screenshot({ path: `${pictures}lost-dark.png` });
    const light = JSON.stringify({ 'workbench.colorTheme': 'Default Light Modern' });
    await desk.put('.vscode/settings.json', light);
    await window.page.locator('.monaco-workbench.vs').waitFor();
    await window.page.screenshot({ path: `${pictures}lost-light.png` });

    await told
      .getByRole('button', { name: 'Copy' })
      .or(told.getByText('Copy', { exact: true }))
      .click();
    await expect.poll(() => window.page.evaluate(() => navigator.clipboard.readText())).toBe('/ide');
    expect(await told.count()).toBe(1);
    await connectClaude(companion);
    await told.waitFor({ state: 'detached' });
  });

  it('is shown in the status only, after the user closes the notification', async () => {
    const desk = await site.current.open({ 'a.txt': 'a\n' });
    await connectClaude(desk.companion);
    await desk.window.reload();
    const { companion, window } = await desk.reconnect();
    await companion.waitForEvent('session.lost', { agent: 'claude' });
    const told = window.notification(missing);
    await told.getByRole('button', { name: 'Cancel' }).click();
    await told.waitFor({ state: 'detached' });
    await window.page.locator('.statusbar-item[id*="tandem"]').click();
    await window.row('has not reconnected since the restart').first().waitFor();
    await window.page.keyboard.press('Escape');
  });
});
