import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { pickText } from '../../src/json.js';
import { listenAsClaude, nextSelection } from '../../src/listeningAgents.js';
import { connectClaudeAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

describe('mention to agent', () => {
  it('sends the selected lines to Claude Code, by button and by key', async () => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.txt', 'one\ntwo\nthree\nfour\n');
    const agent = await listenAsClaude(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('src/a.txt');
    await text.getByText('two').click();
    const keys = page.page.keyboard;
    await keys.press('Home');
    await keys.press('Shift+ArrowDown');
    await keys.press('Shift+ArrowDown');
    await page.page.getByRole('button', { name: 'Mention to agent' }).click();
    await page.waitForMessage('Mentioned to Claude Code: src/a.txt lines 2-3');
    expect((await agent.next('at_mentioned')).params).toEqual({ filePath: path, lineStart: 1, lineEnd: 2 });

    await text.getByText('four').click();
    await keys.press('Home');
    await keys.press('Shift+End');
    await keys.press('Alt+m');
    await page.waitForMessage('Mentioned to Claude Code: src/a.txt line 4');
    expect((await agent.next('at_mentioned')).params).toEqual({ filePath: path, lineStart: 3, lineEnd: 3 });

    await keys.press('End');
    await keys.press('Alt+m');
    await page.waitForMessage(/Mentioned to Claude Code: src\/a\.txt$/);
    expect((await agent.next('at_mentioned')).params).toEqual({ filePath: path });
  });

  it('says how to start an agent that supports it if none is connected', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'one\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('a.txt');
    await page.page.keyboard.press('Alt+m');
    await page.waitForMessage('No connected agent supports mentions. To start one: tandem run claude');
  });
});

describe('a file that an agent opens', () => {
  it('is shown with its selection', async () => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.txt', 'one\ntwo\nthree\n');
    const agent = await listenAsClaude(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    await agent.call('openFile', { filePath: path, startText: 'two', endText: 'three' });
    await page.document('src/a.txt').waitFor();
    await page.page.getByText('Ln 3, Col 6 (9 selected)').waitFor();
    const selected = await nextSelection(agent, (params) => pickText(params, 'text') !== '');
    expect(selected).toMatchObject({ filePath: path, text: 'two\nthree' });
  });

  it('takes no key from a user who types in a review', exhaustive, async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\n');
    const other = await stage.put('b.txt', 'two\n');
    const agent = await connectClaudeAgent(stage.tandem);
    const opener = await listenAsClaude(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const { answer } = await agent.propose(path, 'ONE\n');
    const text = await page.openReview('a.txt');
    await text.press('End');
    await page.page.keyboard.type(' typed');
    await opener.call('openFile', { filePath: other });
    const notice = page.page.getByRole('region', { name: 'Notices' }).getByText('An agent opened b.txt');
    await notice.waitFor();
    await page.documentTab('b.txt').waitFor();
    await page.page.keyboard.type(' on');
    await text.getByText('ONE typed on').waitFor();
    await page.page.keyboard.press('ControlOrMeta+Enter');
    expect(await answer).toEqual({ kind: 'accepted', content: 'ONE typed on\n' });
  });
});
