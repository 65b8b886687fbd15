import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));
const site = useSite();

describe('the person sees', () => {
  it('agents, reviews and a paused sharing in the status bar, and does all that from there', async () => {
    const desk = await site.current.open({ 'a.txt': 'one\n' });
    const { window } = desk;
    const claude = await connectClaude(desk.companion);
    await connectAgent(desk.companion, 'gemini');
    const status = window.page.locator('.statusbar-item[id*="tandem"]');
    await status.filter({ hasText: '2' }).waitFor();
    await claude.propose(desk.path('a.txt'), 'two\n');
    await status.filter({ hasText: /2\s*1/ }).waitFor();
    await status.click();
    await window
      .row(/Claude Code/)
      .first()
      .waitFor();
    await window.page.screenshot({ path: `${pictures}status.png` });
    await window.row(/Pause/).first().click();
    await desk.companion.waitForEvent('sharing.paused');
    await window.showReviews();
    await window.treeRow('a.txt').waitFor();
    await window.page.screenshot({ path: `${pictures}reviews.png` });
  });

  it('a walkthrough, a log and a protocol', async () => {
    const desk = await site.current.open({ 'a.txt': 'one\n' });
    const { window } = desk;
    await window.command('Tandem: Get Started');
    await window.page.locator('.gettingStartedContainer').filter({ hasText: 'Start an agent' }).waitFor();
    await window.page.screenshot({ path: `${pictures}walkthrough.png` });
    const claude = await connectClaude(desk.companion);
    const { token } = await desk.companion.endpoint('claude');
    await claude.propose(desk.path('a.txt'), 'content-of-the-proposal\n');
    await window.command('Tandem: Show Protocol');
    const output = window.page.locator('.output-view-content, .panel .monaco-editor').first();
    await output.filter({ hasText: 'openDiff' }).waitFor();
    const shown = (await output.textContent()) ?? '';
    expect(shown).not.toContain(token);
    expect(shown).not.toContain('content-of-the-proposal');
    await window.command('Tandem: Show Log');
  });
});
