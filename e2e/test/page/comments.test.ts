import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible, findUnreachable } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
import { takePicture, takePictures } from '../../src/takePicture.js';

useBrowser();

const lines = Array.from({ length: 12 }, (_, index) => `const line${index + 1} = "text";\n`);
const before = lines.join('');
const proposed = lines.with(4, 'const five = 5;\n').join('');

async function reviewing() {
  const stage = await Stage.open();
  const path = await stage.put('a.ts', before);
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const page = await ReviewPage.open(stage.tandem);
  const { answer } = await agent.propose(path, proposed);
  const text = await page.openReview('a.ts');
  const comment = (name: string) =>
    page.page.getByRole('article', { name: `Comment on ${name}`, exact: true });
  const focused = page.page.locator(':focus');
  return { stage, page, tab: page.page, answer, text, comment, focused, keyboard: page.page.keyboard };
}

describe('comments in a review', () => {
  it('are written by the keyboard alone, and reject the change with one text', async () => {
    const { page, tab, answer, text, comment, focused, keyboard } = await reviewing();
    await keyboard.press('Alt+Shift+C');
    const field = comment('line 5').getByRole('textbox');
    await field.and(focused).waitFor();
    await keyboard.type('Why five?');
    await expectAccessible(tab);
    await takePicture(tab, 'comment-draft');
    // The key that accepts a review adds the comment.
    await keyboard.press('ControlOrMeta+Enter');
    await comment('line 5').getByRole('paragraph').getByText('Why five?').waitFor();
    await text.and(focused).waitFor();
    expect(await page.waiting('a.ts').count()).toBe(1);

    // The comment follows its line.
    await keyboard.press('ControlOrMeta+Home');
    await keyboard.type('// first\n');
    await comment('line 6').waitFor();

    await tab.getByRole('button', { name: 'Comment on the whole proposal' }).click();
    await comment('the whole proposal').getByRole('textbox').and(focused).waitFor();
    await keyboard.type('Please add a test.');
    await keyboard.press('ControlOrMeta+Enter');
    await comment('the whole proposal').getByRole('paragraph').getByText('Please add a test.').waitFor();
    await expectAccessible(tab);
    await takePictures(tab, 'comments');
    await tab.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await takePicture(tab, 'comments-forced');
    await tab.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });

    await tab.getByRole('button', { name: /^Feedback/ }).press('Enter');
    const dialog = tab.getByRole('dialog', { name: 'Feedback to Gemini CLI' });
    await dialog.getByRole('region', { name: 'Preview' }).getByText('Why five?').waitFor();
    await expectAccessible(tab);
    await takePicture(tab, 'feedback');
    await dialog.getByRole('button', { name: 'Reject with feedback' }).press('Enter');
    expect(await answer).toEqual({ kind: 'rejected' });
    await tab.getByRole('region', { name: 'Notices' }).getByRole('button', { name: 'Copy feedback' }).click();
    await expect.poll(() => page.clipboard()).toContain('Why five?');
    expect(await page.clipboard()).toContain('Please add a test.');
  });

  it('on an unchanged line leave both sides beside each other, as high as they become', async () => {
    const { tab, comment, keyboard } = await reviewing();
    const topOf = async (side: 'a' | 'b', line: string): Promise<number | undefined> =>
      (await tab.locator(`.cm-merge-${side} .cm-line`).getByText(line).boundingBox())?.y;
    const isBeside = async (line: string): Promise<number> =>
      Math.abs(((await topOf('a', line)) ?? 0) - ((await topOf('b', line)) ?? Number.NaN));
    const first = await topOf('a', 'line10');
    await tab.locator('.cm-merge-b .cm-lineNumbers').getByText('9', { exact: true }).click();
    await comment('line 9').getByRole('textbox').waitFor();
    await expect.poll(() => isBeside('line10')).toBeLessThan(1);
    expect(await topOf('a', 'line10')).toBeGreaterThan((first ?? 0) + 50);
    await keyboard.type('One\nTwo\nThree\nFour\nFive');
    await expect.poll(() => isBeside('line10')).toBeLessThan(1);
    await comment('line 9').getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => topOf('a', 'line10')).toBe(first);
    expect(await isBeside('line10')).toBeLessThan(1);
  });

  it('are added by a click on a line number of either side, changed and deleted', exhaustive, async () => {
    const { tab, comment, focused, keyboard } = await reviewing();
    const numbers = (side: 'a' | 'b') => tab.locator(`.cm-merge-${side} .cm-lineNumbers`);
    await numbers('a').getByText('5', { exact: true }).click();
    await comment('line 5 of the file').getByRole('textbox').and(focused).waitFor();
    await keyboard.type('Keep this.');
    await comment('line 5 of the file').getByRole('button', { name: 'Add comment' }).click();
    await comment('line 5 of the file').getByRole('paragraph').getByText('Keep this.').waitFor();
    await numbers('b').getByText('2', { exact: true }).click();
    await comment('line 2').getByRole('textbox').and(focused).waitFor();
    await keyboard.press('Escape');
    await comment('line 2').waitFor({ state: 'detached' });

    await tab.getByRole('button', { name: 'Unified' }).click();
    await comment('line 5 of the file').getByRole('paragraph').getByText('Keep this.').waitFor();
    await tab.getByRole('button', { name: 'Edit the comment on line 5 of the file' }).click();
    await comment('line 5 of the file').getByRole('textbox').fill('Keep this line.');
    await comment('line 5 of the file').getByRole('button', { name: 'Save' }).click();
    await comment('line 5 of the file').getByRole('paragraph').getByText('Keep this line.').waitFor();
    await tab.getByRole('button', { name: 'Delete the comment on line 5 of the file' }).click();
    await comment('line 5 of the file').waitFor({ state: 'detached' });
  });

  it('are not lost by a reload, as drafts and when they are added', exhaustive, async () => {
    const { page, tab, comment, keyboard } = await reviewing();
    await keyboard.press('Alt+Shift+C');
    await keyboard.type('added');
    await keyboard.press('ControlOrMeta+Enter');
    await comment('line 5').getByRole('paragraph').getByText('added').waitFor();
    await page.proposal('a.ts').and(tab.locator(':focus')).waitFor();
    await keyboard.press('ControlOrMeta+Home');
    await keyboard.press('Alt+Shift+C');
    await keyboard.type('a draft');
    await tab.reload();
    await page.proposal('a.ts').waitFor();
    await comment('line 5').getByRole('paragraph').getByText('added').waitFor();
    expect(await comment('line 1').getByRole('textbox').inputValue()).toBe('a draft');
    await tab.setViewportSize({ width: 360, height: 740 });
    await comment('line 5').waitFor();
    expect(await findUnreachable(tab)).toEqual([]);
    await expectAccessible(tab);
    await takePicture(tab, 'comments-narrow');
  });
});
