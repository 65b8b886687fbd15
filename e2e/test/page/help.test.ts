import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectClaudeAgent, connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const secret = 'const written = "by an agent";\n';

/** A page that shows the list of agents, opened with the keyboard. */
async function openAgents(stage: Stage): Promise<ReviewPage> {
  const page = await ReviewPage.open(stage.tandem);
  await page.page.keyboard.press('Alt+a');
  await page.page.getByRole('button', { name: 'Overview', pressed: true }).waitFor();
  return page;
}

describe("the time of an agent's last message", () => {
  it('is shown beside the time since it connected', exhaustive, async () => {
    const stage = await Stage.open();
    await connectHttpAgent(stage.tandem, 'gemini');
    const page = await openAgents(stage);
    await page.page.getByText('last message just now').waitFor();
  });
});

describe('the diagnosis in the page', () => {
  it('names the problem, with a command to copy', async () => {
    const stage = await Stage.open();
    await stage.put('.claude/settings.json', '{"permissions":{"defaultMode":"acceptEdits"}}');
    const page = await openAgents(stage);
    await page.page.getByRole('button', { name: 'Diagnose' }).click();
    const claude = page.page.getByRole('region', { name: 'Claude Code' });
    await claude.getByRole('heading', { name: 'Claude Code opens no diffs in its current mode' }).waitFor();
    await claude.getByText('Its settings set the mode "acceptEdits"').waitFor();
    await claude
      .getByRole('button', { name: 'Copy the command claude --permission-mode default' })
      .press('Enter');
    await page.waitForMessage('Copied claude --permission-mode default');
    expect(await page.clipboard()).toBe('claude --permission-mode default');
    await expectAccessible(page.page);
  });

  it('runs again on request', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('.claude/settings.json', '{"permissions":{"defaultMode":"acceptEdits"}}');
    const page = await openAgents(stage);
    await page.page.getByRole('button', { name: 'Diagnose' }).press('Enter');
    const mode = page.page.getByRole('heading', { name: 'Claude Code opens no diffs in its current mode' });
    await mode.waitFor();
    await stage.put('.claude/settings.json', '{"permissions":{"defaultMode":"default"}}');
    await page.page.getByRole('button', { name: 'Run again' }).press('Enter');
    await mode.waitFor({ state: 'detached' });
  });
});

describe('the messages in the page', () => {
  it('are listed as requests with their answers, and new ones appear', exhaustive, async () => {
    const stage = await Stage.open();
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    const page = await openAgents(stage);
    await page.page.getByRole('button', { name: 'Messages' }).click();
    const messages = page.page.getByRole('region', { name: 'Timeline of messages' });
    await messages
      .getByRole('listitem')
      .filter({ hasText: /Gemini CLI.*initialize.*\d+ ms/ })
      .waitFor();
    await agent.propose(await stage.put('src/a.ts', 'one\n'), secret);
    await messages
      .getByRole('listitem')
      .filter({ hasText: /tools\/call openDiff .*src\/a\.ts.*\d+ ms/ })
      .waitFor();
    await expectAccessible(page.page);
  });

  it('can be filtered by agent', exhaustive, async () => {
    const stage = await Stage.open();
    await connectHttpAgent(stage.tandem, 'gemini');
    await connectClaudeAgent(stage.tandem);
    const page = await openAgents(stage);
    await page.page.getByRole('button', { name: 'Messages' }).click();
    const rows = page.page.getByRole('region', { name: 'Timeline of messages' }).getByRole('listitem');
    await rows.filter({ hasText: 'Gemini CLI' }).first().waitFor();
    await page.page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Claude Code' });
    await rows.filter({ hasText: 'Gemini CLI' }).first().waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Claude Code' }).first().waitFor();
  });

  it('can be copied as a report without token, content and home folder', async () => {
    const stage = await Stage.open();
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    await agent.propose(await stage.put('src/a.ts', 'one\n'), secret);
    const page = await openAgents(stage);
    await page.page.getByRole('button', { name: 'Messages' }).click();
    await page.page.getByRole('button', { name: 'Copy redacted report' }).click();
    await page.waitForMessage('The report was copied.');
    const copied = await page.clipboard();
    const download = page.page.waitForEvent('download');
    await page.page.getByRole('button', { name: 'Save redacted report' }).click();
    const saved = await readFile(await (await download).path(), 'utf8');
    for (const report of [copied, saved]) {
      expect(report).toMatch(/gemini → tools\/call openDiff .*src\/a\.ts/);
      expect(report).not.toContain('by an agent');
      expect(report).not.toContain(stage.tandem.endpoint('gemini').token);
    }
  });

  it('are limited in the page, however many there are', exhaustive, async () => {
    const stage = await Stage.open();
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    const path = await stage.put('src/a.ts', 'one\n');
    for (let count = 0; count < 120; count++) await agent.propose(path, `${count}\n`);
    const page = await openAgents(stage);
    await page.page.getByRole('button', { name: 'Messages' }).click();
    const messages = page.page.getByRole('region', { name: 'Timeline of messages' });
    const rows = messages.getByRole('listitem');
    await rows.filter({ hasText: 'openDiff' }).first().waitFor();
    expect(Number(await rows.first().getAttribute('aria-setsize'))).toBeGreaterThan(120);
    expect(await rows.count()).toBeLessThan(80);
    await messages.focus();
    await page.page.keyboard.press('Home');
    await rows.filter({ hasText: 'initialize' }).first().waitFor();
  });
});
