import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectAgent } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const pictures = join(import.meta.dirname, '../../test-results/pictures');
const site = useSite();

it('comments on both sides of a diff are shown with its lines, and sent with the rejection', async () => {
  const desk = await site.current.share({ 'a.txt': 'one\ntwo\nthree\n' });
  const gemini = await connectAgent(desk.companion, 'gemini');
  const { window } = desk;
  const { page } = window;
  const proposed = await gemini.propose(desk.path('a.txt'), 'one\nTWO\nthree\n');
  await window.diff.focusLine('TWO');
  const write = async (text: string): Promise<void> => {
    await window.command('Add Comment on Current Selection');
    const input = page.locator('.review-widget .comment-form .monaco-editor.focused');
    await input.waitFor();
    await page.keyboard.type(text);
    await page.locator('.review-widget .form-actions').getByRole('button', { name: 'Comment' }).click();
    await page.locator('.review-widget .comment-body').filter({ hasText: text }).waitFor();
  };
  await write('why in capitals?');
  await window.diff.waitForNote('1 comment');
  await window.diff.original.locator('.view-line').filter({ hasText: 'two' }).click();
  await write('keep this line');
  await window.diff.waitForNote('2 comments');
  await mkdir(pictures, { recursive: true });
  await writeFile(join(pictures, 'comments.png'), await page.screenshot());
  await window.diff.focusLine('TWO');
  await window.command('Tandem: Reject with Feedback');
  await window.quickInput.filter({ hasText: '2 comments will be sent' }).waitFor();
  await page.keyboard.type('lower case, please');
  await page.keyboard.press('Enter');
  expect(await proposed.answer()).toEqual({ kind: 'rejected' });
  await window.notification('The feedback is on the clipboard.').waitFor();
  await writeFile(join(pictures, 'feedback.png'), await page.screenshot());
  await page.locator('.review-widget').waitFor({ state: 'detached' });
});
