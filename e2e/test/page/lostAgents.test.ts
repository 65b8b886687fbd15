import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectClaudeAgent, connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage, serve } from '../../src/stage.js';
import { takePicture, takePictures } from '../../src/takePicture.js';

useBrowser();

const missing = 'Claude Code has not reconnected since the restart. If it is still running, type this in it:';

describe('an agent that a restart disconnected', () => {
  it('is reported until it reconnects, with the command to type; once dismissed, only in the list of agents', async () => {
    const stage = await Stage.open();
    await stage.put('src/a.txt', 'one\ntwo\n');
    await connectClaudeAgent(stage.tandem);
    await connectHttpAgent(stage.tandem, 'gemini');
    const page = await ReviewPage.open(stage.tandem);
    const other = await ReviewPage.open(stage.tandem);
    await expect.poll(() => stage.journal()).toContain('claude');
    await stage.tandem.kill();
    const tandem = await serve(stage.sandbox, stage.workspace);
    await tandem.waitForEvent('session.lost', { agent: 'claude' });
    const barOf = ({ page: tab }: ReviewPage) =>
      tab.getByRole('region', { name: 'Claude Code has not reconnected' });
    const bar = barOf(page);
    await page.waitForMessage(`${missing} /ide`);
    await bar.filter({ hasText: missing }).waitFor();
    // Gemini CLI reconnected by itself.
    expect(await page.page.getByRole('region', { name: /has not reconnected$/ }).count()).toBe(1);
    await takePictures(page.page, 'lost');
    await expectAccessible(page.page);
    await page.page.setViewportSize({ width: 360, height: 640 });
    expect(await page.page.evaluate(() => document.scrollingElement?.scrollWidth)).toBe(360);
    await takePicture(page.page, 'lost-narrow');
    await page.page.setViewportSize({ width: 1280, height: 800 });

    // With the keyboard alone.
    await bar.getByRole('button', { name: 'Copy the command /ide' }).press('Enter');
    await page.waitForMessage('Copied /ide');
    expect(await page.clipboard()).toBe('/ide');

    const otherBar = barOf(other);
    await otherBar.getByRole('button', { name: 'Dismiss: Claude Code has not reconnected' }).press('Enter');
    await otherBar.waitFor({ state: 'detached' });
    await other.page.keyboard.press('Alt+a');
    const agents = other.page.getByRole('region', { name: 'Agents' });
    const card = agents.getByRole('listitem').filter({ hasText: 'Claude Code' });
    await card.filter({ hasText: missing }).waitFor();
    await takePictures(other.page, 'lost-agents');
    await expectAccessible(other.page);

    await connectClaudeAgent(tandem);
    await bar.waitFor({ state: 'detached' });
    await card.filter({ hasText: 'since' }).waitFor();
    expect(await card.getByText(missing).count()).toBe(0);
    expect(await otherBar.count()).toBe(0);
  });
});
