import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
import { takePicture, takePictures } from '../../src/takePicture.js';

useBrowser();

const lines = Array.from({ length: 40 }, (_, index) => `const line${index + 1} = "text";\n`);
const before = lines.join('');
const proposed = lines.with(4, 'const five = 5;\n').with(30, 'const thirtyOne = 31;\n').join('');

async function reviewing(original: string, content: string) {
  const stage = await Stage.open();
  const path = await stage.put('a.ts', original);
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const page = await ReviewPage.open(stage.tandem);
  const { answer } = await agent.propose(path, content);
  const text = await page.openReview('a.ts');
  return { page, path, answer, text, keyboard: page.page.keyboard };
}

describe('what the user changed in a proposal', () => {
  it('is marked, counted, announced and found by a key, side by side and unified', async () => {
    const { page, text, keyboard } = await reviewing(before, proposed);
    expect(await text.locator('.cm-ownLine').count()).toBe(0);
    await text.getByText('five').click();
    await keyboard.press('End');
    await keyboard.type(' // mine');
    await text.locator('.cm-ownLine', { hasText: '// mine' }).waitFor();
    await text.getByText('line7').click();
    await keyboard.press('Home');
    await keyboard.type('// also mine\n');
    await text.locator('.cm-ownLine', { hasText: '// also mine' }).waitFor();
    expect(await text.locator('.cm-ownLine').count()).toBe(2);
    await page.page.getByRole('button', { name: 'Your edits: 2' }).waitFor();
    await keyboard.press('Shift+F8');
    await page.page.getByText('Your edit 1 of 2, line 5.').waitFor();
    await keyboard.press('Shift+F8');
    await page.page.getByText('Your edit 2 of 2, line 7.').waitFor();
    await expectAccessible(page.page);
    await takePictures(page.page, 'own-edits');
    await page.page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await takePicture(page.page, 'own-edits-forced');
    await page.page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
    await page.page.getByRole('button', { name: 'Unified' }).click();
    await expect.poll(() => text.locator('.cm-ownLine').count()).toBe(2);
    await expectAccessible(page.page);
    await takePicture(page.page, 'own-edits-unified');
    await page.page.getByRole('button', { name: 'Reset to the proposal' }).click();
    await expect.poll(() => text.locator('.cm-ownLine').count()).toBe(0);
    await page.page.getByRole('button', { name: /by you/ }).waitFor({ state: 'detached' });
  });
});

describe('a conflict in a review', () => {
  it('is resolved by the keyboard, undone, and resolved otherwise', exhaustive, async () => {
    const { page, path, answer, text, keyboard } = await reviewing('one\nend\n', 'proposed\nend\n');
    await writeFile(path, 'theirs\nend\n');
    await page.page.getByRole('button', { name: 'Show both versions' }).click();
    const conflict = text.getByRole('group', { name: 'Conflict' });
    await conflict.waitFor();
    await expectAccessible(page.page);
    await takePictures(page.page, 'conflict-choices');
    await text.focus();
    await keyboard.press('Escape');
    await keyboard.press('Tab');
    await conflict
      .getByRole('button', { name: 'Use the proposal' })
      .and(page.page.locator(':focus'))
      .waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await expect.poll(() => linesOf(text)).toEqual(['theirs', 'end', '']);
    await text.and(page.page.locator(':focus')).waitFor();
    await keyboard.press('ControlOrMeta+z');
    await conflict.getByRole('button', { name: 'Use both' }).click();
    await expect.poll(() => linesOf(text)).toEqual(['proposed', 'theirs', 'end', '']);
    await page.waiting('a.ts').getByText('Conflict').waitFor({ state: 'detached' });
    await page.accept('a.ts');
    expect(await answer).toEqual({ kind: 'accepted', content: 'proposed\ntheirs\nend\n' });
  });
});
