import { describe, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { openQueue } from '../../src/reviewQueue.js';
import { Stage } from '../../src/stage.js';

useBrowser();

describe('axe finds no fault in', () => {
  it('a queue with three agents and a review side by side, unified and with a change dropped', async () => {
    const { page } = await openQueue();
    await page.openReview('src/a.ts');
    await page.page.getByRole('button', { name: 'Side by side', pressed: true }).waitFor();
    await page.page.keyboard.type('typed ');
    await expectAccessible(page.page);
    await page.page.getByRole('button', { name: 'Show whitespace' }).click();
    await page.page.getByRole('button', { name: 'Unified' }).click();
    await page.page.keyboard.press('F7');
    await page.page.keyboard.press('F8');
    await page.proposal('src/a.ts').getByText('Dropped change').waitFor();
    await expectAccessible(page.page);
  });

  it('a new file, an emptied one, and one that takes no empty answer', exhaustive, async () => {
    const stage = await Stage.open();
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    await agent.propose(stage.path('new.md'), '# New\n');
    await agent.propose(await stage.put('gone.txt', 'text\n'), '');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openReview('new.md');
    await text.press('ControlOrMeta+a');
    await page.page.keyboard.press('Delete');
    await page.page.keyboard.press('ControlOrMeta+Enter');
    await page.review('new.md').getByRole('alert').waitFor();
    await expectAccessible(page.page);
    await page.openReview('gone.txt');
    await expectAccessible(page.page);
  });

  it('a withdrawn review with an edited text, and a rejected one', exhaustive, async () => {
    const { page, claude, path } = await openQueue();
    const text = await page.openReview('src/a.ts');
    await text.press('Home');
    await page.page.keyboard.type('typed ');
    await page.page.getByText('Edited').first().waitFor();
    await claude.withdraw(path);
    await page.page.getByRole('button', { name: 'Save to the file' }).click();
    await page.page.getByRole('dialog').waitFor();
    await expectAccessible(page.page);
    await page.page.keyboard.press('Escape');
    await page.page.getByText(/^Decided \d$/).click();
    await expectAccessible(page.page);
    await page.openReview('b.py');
    await page.reject('b.py');
    await page.page.getByRole('list', { name: 'Decided reviews' }).getByText('Rejected').click();
    await page.waitForEnd('b.py', 'Rejected.');
    await expectAccessible(page.page);
  });
});
