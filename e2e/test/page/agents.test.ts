import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { HookCaller } from '../../src/hookCaller.js';
import { connectClaudeAgent, connectCopilotAgent, connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

describe('the list of agents', () => {
  it('shows which agents are connected, with version and process, and which are not', async () => {
    const stage = await Stage.open();
    await connectHttpAgent(stage.tandem, 'gemini');
    await connectClaudeAgent(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    await page.page.getByRole('button', { name: 'Agents, 2 connected' }).click();
    const gemini = agentCard(page, 'Gemini CLI');
    await gemini.getByText('Connected', { exact: true }).waitFor();
    await gemini.getByText('sdk-agent 1.0.0').waitFor();
    await gemini.getByText(/^connected since \d/).waitFor();
    await gemini.getByText('No pending reviews.').waitFor();
    const claude = agentCard(page, 'Claude Code');
    await claude.getByText('claude-code 2.1.332').waitFor();
    await claude.getByText('process ID 54321').waitFor();
    await agentCard(page, 'Qwen Code').getByText('Not connected').waitFor();
  });

  it('shows which edits of an agent with hooks wait, and changes that [HOK-11]', async () => {
    const stage = await Stage.open();
    await connectClaudeAgent(stage.tandem);
    await connectHttpAgent(stage.tandem, 'gemini');
    const hooks = await HookCaller.of(stage, 'claude', 54321);
    const page = await ReviewPage.open(stage.tandem);
    await page.page.keyboard.press('Alt+a');
    await agentCard(page, 'Gemini CLI').getByText('To review each edit, start it with').waitFor();
    const claude = agentCard(page, 'Claude Code');
    await claude.getByText('Not hooked.').waitFor();
    await hooks.call({ session_id: 'x', hook_event_name: 'SessionStart' });
    const modes = claude.getByRole('group', { name: 'Which edits wait for you' });
    await modes.getByRole('button', { name: 'Each edit waits', pressed: true }).waitFor();
    await modes.getByRole('button', { name: 'Hooks off' }).click();
    await claude.getByText('Only edits that the agent shows by itself wait for you.').waitFor();
    const edit = { file_path: stage.path('a.txt'), content: 'x' };
    const call = { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: edit };
    expect(await hooks.call({ session_id: 'x', ...call })).toEqual({});
    const { stdout } = await stage.tandem.run('status');
    expect(stdout).toMatch(/Claude Code .*process 54321\); hooks off$/m);
    expect((await stage.tandem.run('hook', 'mode', 'before')).stdout).toContain('Each edit waits');
    await modes.getByRole('button', { name: 'Each edit waits', pressed: true }).waitFor();
  });

  it('distinguishes several sessions of one agent by a stable name', exhaustive, async () => {
    const stage = await Stage.open();
    const one = await connectHttpAgent(stage.tandem, 'gemini');
    const two = await connectHttpAgent(stage.tandem, 'gemini');
    await one.propose(await stage.put('one.txt', 'one\n'), 'ONE\n');
    await two.propose(await stage.put('two.txt', 'two\n'), 'TWO\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.waiting('one.txt').getByText('Gemini CLI', { exact: true }).waitFor();
    await page.waiting('two.txt').getByText('Gemini CLI 2', { exact: true }).waitFor();
    await page.page.keyboard.press('Alt+a');
    const card = agentCard(page, 'Gemini CLI');
    await card.getByText('Gemini CLI 2', { exact: true }).waitFor();
    await one.close();
    await card.getByText('Gemini CLI 2', { exact: true }).waitFor({ state: 'detached' });
    await page.waiting('two.txt').getByText('Gemini CLI 2', { exact: true }).waitFor();
    await page.openReview('two.txt');
    await page.review('two.txt').getByText('Gemini CLI 2', { exact: true }).first().waitFor();
  });

  it('shows what an agent calls its conversation', exhaustive, async () => {
    const stage = await Stage.open();
    const { client } = await connectCopilotAgent(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    await page.page.keyboard.press('Alt+a');
    await client.call('update_session_name', { name: 'Fix the\u202e login' });
    const card = agentCard(page, 'Copilot CLI');
    await card.getByText('Fix the⟨202E⟩ login', { exact: true }).waitFor();
    await card.getByText('copilot-cli 1.0.102').waitFor();
    await card.getByText('process ID 54321').waitFor();
  });

  it('shows what each agent is waiting for, and links to it', async () => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.txt', 'one\n');
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    await connectHttpAgent(stage.tandem, 'qwen');
    const page = await ReviewPage.open(stage.tandem);
    await page.page.keyboard.press('Alt+a');
    const card = agentCard(page, 'Gemini CLI');
    await card.getByText('No pending reviews.').waitFor();
    await agent.propose(path, 'two\n');
    await card.getByText('Pending:').waitFor();
    await agentCard(page, 'Qwen Code').getByText('No pending reviews.').waitFor();
    await card.getByRole('button', { name: 'src/a.txt' }).click();
    await page.proposal('src/a.txt').getByText('two').waitFor();
    await page.page.keyboard.press('ControlOrMeta+Enter');
    await page.waitForEnd('src/a.txt', 'Accepted. Gemini CLI now writes the file.');
    await page.page.keyboard.press('Alt+a');
    await card.getByText('No pending reviews.').waitFor();
  });

  it('offers the command that starts an agent to copy', exhaustive, async () => {
    const stage = await Stage.open();
    const page = await ReviewPage.open(stage.tandem);
    await page.page.keyboard.press('Alt+a');
    const card = agentCard(page, 'Qwen Code');
    await card.getByRole('button', { name: 'Copy the command tandem run qwen' }).click();
    await page.waitForMessage('Copied tandem run qwen');
    expect(await page.clipboard()).toBe('tandem run qwen');
    await card
      .getByText('Or start it yourself in this folder: qwen --approval-mode default, then type /ide enable')
      .waitFor();
  });

  it('updates when agents connect and disconnect', exhaustive, async () => {
    const stage = await Stage.open();
    const page = await ReviewPage.open(stage.tandem);
    await page.sharing.getByText('No agent is connected').waitFor();
    await page.page.keyboard.press('Alt+a');
    const card = agentCard(page, 'Claude Code');
    await card.getByRole('button', { name: /^Copy the command/ }).waitFor();
    const agent = await connectClaudeAgent(stage.tandem);
    await card.getByText('claude-code 2.1.332').waitFor();
    await page.page.getByRole('button', { name: 'Agents, 1 connected' }).waitFor();
    await page.sharing.getByText('Connected: Claude Code').waitFor();
    await agent.close();
    await card.getByText('Not connected').waitFor();
    await card.getByRole('button', { name: /^Copy the command/ }).waitFor();
    await page.sharing.getByText('No agent is connected').waitFor();
  });
});

function agentCard(page: ReviewPage, name: string): Locator {
  return page.page
    .getByRole('region', { name: 'Agents' })
    .getByRole('listitem')
    .filter({ has: page.page.getByRole('heading', { name }) });
}
