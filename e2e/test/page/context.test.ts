import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { pick } from '../../src/json.js';
import { filesOf, listen, listenAsClaude, nextSelection, waitForContext } from '../../src/listeningAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const secret = 'hunter2-4bd1c7';

describe('what the user looks at in the page', () => {
  it.each(['gemini', 'qwen'])('reaches %s: the file, the cursor, the selection', async (kind) => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.txt', 'first line\nsecond line\n');
    const agent = await listen(stage.tandem, kind);
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('src/a.txt');
    await text.getByText('second line').click();
    const keys = page.page.keyboard;
    await keys.press('Home');
    await waitForContext(agent, { path, line: 2, character: 1 });
    await keys.press('ArrowRight');
    await waitForContext(agent, { path, line: 2, character: 2 });
    await keys.press('Shift+Control+ArrowRight');
    await waitForContext(agent, { path, line: 2, character: 7, selectedText: 'econd' });
    await page.sharing.getByText('src/a.txt, 5 characters selected').waitFor();
    await keys.press('Home');
    await waitForContext(agent, { path, line: 2, character: 1 });
  });

  it('reaches Claude Code', async () => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.txt', 'first line\nsecond line\n');
    const agent = await listenAsClaude(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('src/a.txt');
    await text.getByText('second line').dblclick({ position: { x: 4, y: 4 } });
    const selected = await nextSelection(agent, (params) => pick(params, 'text') === 'second');
    expect(selected).toMatchObject({
      filePath: path,
      selection: { start: { line: 1, character: 0 }, end: { line: 1, character: 6 } },
    });
    await page.sharing.getByText('Shared with Claude Code').waitFor();
  });

  it('stays unchanged while a review is active', exhaustive, async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\n');
    const other = await stage.put('b.txt', 'two\n');
    const agent = await listen(stage.tandem, 'gemini');
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('a.txt');
    await waitForContext(agent, { path, line: 1, character: 1 });
    await agent.openDiff(other, 'three\n');
    await page.openReview('b.txt');
    await page.proposal('b.txt').press('End');
    await page.page.keyboard.type(' typed');
    await page.sharing.getByText('Agents see a.txt', { exact: true }).waitFor();
    expect(JSON.stringify(agent.notifications)).not.toContain('typed');
  });

  it('changes with the active tab, and ends with the last tab', exhaustive, async () => {
    const stage = await Stage.open();
    const first = await stage.put('a.txt', 'one\n');
    const second = await stage.put('b.txt', 'two\n');
    const agent = await listen(stage.tandem, 'gemini');
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('a.txt');
    await page.openFile('b.txt');
    await waitForContext(agent, { path: second, line: 1, character: 1 });
    await page.documentTab('a.txt').click();
    await waitForContext(agent, { path: first, line: 1, character: 1 });
    await page.page.keyboard.press('Alt+w');
    await waitForContext(agent, { path: second, line: 1, character: 1 });
    await page.page.keyboard.press('Alt+w');
    await agent.waitForLast('ide/contextUpdate', (params) => filesOf(params).length === 0, 'no open file');
    await page.sharing.getByText('Agents see no file').waitFor();
  });
});

describe('the pause switch', () => {
  it('withdraws the context from agents, by mouse and by key, and restores it', async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\n');
    const agent = await listen(stage.tandem, 'gemini');
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('a.txt');
    await waitForContext(agent, { path, line: 1, character: 1 });
    const receivesNothing = (): Promise<void> =>
      agent.waitForLast('ide/contextUpdate', (params) => filesOf(params).length === 0, 'no file');

    await page.page.getByRole('switch', { name: 'Share' }).click();
    await page.sharing.getByText('Sharing is paused').waitFor();
    await receivesNothing();
    expect(await page.page.getByRole('switch', { name: 'Share' }).isChecked()).toBe(false);
    await page.document('a.txt').press('ControlOrMeta+Home');
    await page.page.keyboard.type('unheard ');
    await page.page.keyboard.press('Alt+Shift+p');
    await page.waitForMessage('Sharing is resumed.');
    await waitForContext(agent, { path, line: 1, character: 9 });

    await page.page.keyboard.press('Alt+Shift+p');
    await page.waitForMessage('Sharing is paused');
    await receivesNothing();
    await page.sharing.getByText('Sharing is paused').waitFor();
    await page.page.keyboard.press('Alt+m');
    await page.waitForMessage(/Nothing was mentioned: .*sharing is paused/);
  });
});

describe('a file that is hidden from agents', () => {
  it('is named to no agent, and marked', async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\n');
    const held = await stage.put('.env', `TOKEN=${secret}\n`);
    const gemini = await listen(stage.tandem, 'gemini');
    const claude = await listenAsClaude(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('.env');
    await page.page.keyboard.press('ControlOrMeta+a');
    await page.sharing.getByText('Hidden from agents: .env').waitFor();
    await page.page
      .getByRole('toolbar', { name: '.env: tools' })
      .getByText(/Hidden from agents: it matches the deny list/)
      .waitFor();
    await page.page.getByRole('tab', { name: '.env, hidden from agents' }).waitFor();
    await page.page.keyboard.press('Alt+m');
    await page.waitForMessage(/Nothing was mentioned: .*\.env: it matches the deny list/);
    await page.openFile('a.txt');
    // Any earlier notification about the file would have arrived before this one.
    await waitForContext(gemini, { path, line: 1, character: 1 });
    await nextSelection(claude, (params) => pick(params, 'filePath') === path);
    const received = JSON.stringify(gemini.notifications) + claude.received;
    expect(received).not.toContain(held);
    expect(received).not.toContain(secret);
  });
});
