import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));
const site = useSite();

const missing = (agent: string, command: string): string =>
  `${agent} has not reconnected since the restart. If it is still running, type ${command} in it.`;

describe('an agent that was connected before the extension host ended', () => {
  it('is shown in a notification with the command to type, until it is back or the user closes it', async () => {
    const desk = await site.current.share({}, { 'workbench.colorTheme': 'Default Dark Modern' });
    await connectClaude(desk.companion);
    await connectAgent(desk.companion, 'gemini');
    const qwen = await connectAgent(desk.companion, 'qwen');
    await desk.window.reload();
    const { companion, window } = await desk.reconnect();
    // This one reconnects by itself.
    await qwen.comeBack();
    await companion.waitForEvent('session.lost', { agent: 'claude' });
    const claude = window.notification(missing('Claude Code', '/ide'));
    const gemini = window.notification(missing('Gemini CLI', '/ide enable'));
    await claude.waitFor();
    await gemini.waitFor();
    expect(await window.notification('has not reconnected').count()).toBe(2);
    await window.page.screenshot({ path: `${pictures}lost-dark.png` });
    const light = JSON.stringify({ 'workbench.colorTheme': 'Default Light Modern' });
    await site.current.sandbox.write(join(desk.workspace, '.vscode/settings.json'), light);
    await window.page.locator('.monaco-workbench.vs').waitFor();
    await window.page.screenshot({ path: `${pictures}lost-light.png` });

    await claude
      .getByRole('button', { name: 'Copy' })
      .or(claude.getByText('Copy', { exact: true }))
      .click();
    await expect.poll(() => window.page.evaluate(() => navigator.clipboard.readText())).toBe('/ide');
    expect(await claude.count()).toBe(1);
    await connectClaude(companion);
    await claude.waitFor({ state: 'detached' });

    await gemini.getByRole('button', { name: 'Cancel' }).click();
    await gemini.waitFor({ state: 'detached' });
    await window.status.click();
    await window.row('has not reconnected since the restart').first().waitFor();
    await window.page.keyboard.press('Escape');
  });
});
