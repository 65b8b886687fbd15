import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useBrowser } from '../../src/browser.js';
import { messageBar } from '../../src/busyPage.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage, serve } from '../../src/stage.js';

useBrowser();

const before = 'one\r\ntwo\r\nthree\r\n';
const proposed = 'one\r\nTWO\r\nthree\r\n';
const names = Array.from({ length: 14 }, (_, index) => `file-${String(index + 1).padStart(2, '0')}.txt`);
const rejected = [3, 8, 12];
const isEdited = (number: number): boolean => number % 2 === 0;

it('a session of 14 files is reviewed by keyboard alone, over a kill, and every file is as decided', async () => {
  const stage = await Stage.open();
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const answers: ReturnType<typeof agent.propose>[] = [];
  for (const name of names) {
    const proposal = agent.propose(await stage.put(name, before), proposed);
    await proposal;
    answers.push(proposal);
  }
  const { page, ...review } = await open(stage);
  await page.queue.first().press('Enter');

  for (const [index, name] of names.entries()) {
    const number = index + 1;
    const text = page.proposal(name);
    await page.review(name).and(review.focused).waitFor();
    if (isEdited(number)) {
      await review.keyboard.press('Enter');
      await text.and(review.focused).waitFor();
      await review.keyboard.press('ControlOrMeta+End');
      await review.keyboard.type(`mine ${number}`);
    }
    if (number === 8) {
      // What was typed is safe after a second at the latest, in the journal or in the page.
      await stage.tandem.kill();
      await serve(stage.sandbox, stage.workspace);
      await messageBar(page).filter({ hasText: 'were restored as you left them' }).waitFor();
      await page.proposal(name).getByText(`mine ${number}`).waitFor();
      await page.waiting(name).press('Enter');
      await page.review(name).and(review.focused).waitFor();
    }
    if (rejected.includes(number)) await review.rejectWithComment(`not so ${number}`);
    else await review.accept(name);
    const { answer } = await (answers[index] ?? Promise.reject(new Error(name)));
    const decision = await answer;
    expect(decision.kind).toBe(rejected.includes(number) ? 'rejected' : 'accepted');
    if (decision.kind === 'accepted') await writeFile(stage.path(name), decision.content);
  }

  await review.keyboard.press('Alt+g');
  await page.page.getByRole('button', { name: 'Undo file-02.txt' }).press('Enter');
  await page.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).press('Enter');
  await page.page.getByRole('region', { name: 'file-02.txt' }).getByText('No net change').waitFor();

  for (const [index, name] of names.entries()) {
    const number = index + 1;
    // The final newline of the proposal is kept.
    const accepted = isEdited(number) ? `${proposed}mine ${number}\r\n` : proposed;
    const isBefore = rejected.includes(number) || number === 2;
    expect([name, await readFile(stage.path(name), 'utf8')]).toEqual([name, isBefore ? before : accepted]);
  }
});

async function open(stage: Stage) {
  const page = await ReviewPage.open(stage.tandem);
  const { keyboard } = page.page;
  const focused = page.page.locator(':focus');
  return {
    page,
    keyboard,
    focused,
    /** Until it is taken: just after a review has opened by itself, the key is ignored. */
    accept: (name: string) =>
      expect
        .poll(async () => {
          await keyboard.press('ControlOrMeta+Enter');
          return page.waiting(name).count();
        })
        .toBe(0),
    async rejectWithComment(comment: string): Promise<void> {
      await keyboard.press('Alt+Shift+C');
      await page.page.getByRole('article').getByRole('textbox').and(focused).waitFor();
      await keyboard.type(comment);
      await page.page.getByRole('button', { name: 'Add comment' }).press('Enter');
      await page.page.getByRole('article').getByRole('paragraph').getByText(comment).waitFor();
      await page.page.getByRole('button', { name: /^Feedback/ }).press('Enter');
      const dialog = page.page.getByRole('dialog', { name: 'Feedback to Gemini CLI' });
      await dialog.getByText(comment).waitFor();
      await dialog.getByRole('button', { name: 'Reject with feedback' }).press('Enter');
      await dialog.waitFor({ state: 'detached' });
    },
  };
}
