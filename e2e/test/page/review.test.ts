import type { Locator } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { describeMatrix } from '../../../test/describeMatrix.js';
import { useBrowser } from '../../src/browser.js';
import { mcpAgents } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { useStage } from '../../src/stageGroup.js';

useBrowser();

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`);
const before = lines.join('');
const proposed = lines.with(4, 'changed five\n').with(30, 'changed thirty-one\n').join('');

const spellings: readonly { readonly name: string; spell(text: string): string }[] = [
  { name: 'lf', spell: (text) => text },
  { name: 'crlf', spell: (text) => text.replaceAll('\n', '\r\n') },
  { name: 'bom', spell: (text) => `\uFEFF${text.replaceAll('\n', '\r\n')}` },
  { name: 'no-final-newline', spell: (text) => text.replace(/\n$/, '') },
];

describeMatrix(mcpAgents, mcpAgents.slice(0, 1), 'a review of $kind in the page', ({ kind, connect }) => {
  const group = useStage();
  // The corrections that it does not write are kept for the user.
  if (kind === 'copilot') afterEach(() => group.discard());

  it('is edited, loses a hunk, and is answered to the agent to the last byte', async () => {
    const stage = group.current;
    const agent = await connect(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const { keyboard } = page.page;
    for (const { name, spell } of spellings) {
      const file = `src/${name}.txt`;
      const path = await stage.put(file, spell(before));
      const { answer } = await agent.propose(path, spell(proposed));
      const text = await page.openReview(file);
      await text.getByText('changed five').click();
      await keyboard.press('End');
      await keyboard.type(' by hand 文 🦋');
      await keyboard.press('F7');
      await keyboard.press('F8');
      await text.getByText('line 31').waitFor();
      await page.accept(file);
      expect(await answer, name).toEqual({
        kind: 'accepted',
        content: spell(
          agent.writesOwnText ? proposed : lines.with(4, 'changed five by hand 文 🦋\n').join(''),
        ),
      });
      // Only the agent writes the file.
      expect(await stage.read(file)).toBe(spell(before));
    }
  });

  it('is rejected by the button and by the key', async () => {
    const stage = group.current;
    const path = await stage.put('a.txt', before);
    const agent = await connect(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const byButton = await agent.propose(path, proposed);
    await page.openReview('a.txt');
    await page.reject('a.txt');
    expect(await byButton.answer).toEqual({ kind: 'rejected' });
    await page.waitForEnd('a.txt', 'Rejected.');

    const byKey = await agent.propose(path, proposed);
    const text = await page.openReview('a.txt');
    await text.press('Control+Shift+Backspace');
    expect(await byKey.answer).toEqual({ kind: 'rejected' });
    expect(await stage.read('a.txt')).toBe(before);
  });

  it('that empties a file says what will happen to it', async () => {
    const stage = group.current;
    const path = await stage.put('a.txt', before);
    const agent = await connect(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const { answer } = await agent.propose(path, '');
    await page.openReview('a.txt');
    const review = page.review('a.txt');
    await review.getByText('Empties the file', { exact: true }).waitFor();
    const note = review.getByText('This agent cannot receive an empty text');
    expect(await note.count()).toBe(takesEmpty(kind) ? 0 : 1);
    await page.accept('a.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: '' });
  });

  it('that the user empties is accepted only if the agent supports it', async () => {
    const stage = group.current;
    const path = await stage.put('a.txt', 'one\ntwo\n');
    const agent = await connect(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const { answer } = await agent.propose(path, 'one\nTWO\n');
    const text = await page.openReview('a.txt');
    await empty(text);
    if (!takesEmpty(kind)) {
      await text.press('Control+Enter');
      await page
        .review('a.txt')
        .getByRole('alert')
        .filter({ hasText: 'cannot receive an empty text' })
        .waitFor();
      expect(await page.waiting('a.txt').count()).toBe(1);
      await text.press('Control+z');
      await expect.poll(() => linesOf(text)).toEqual(['one', 'TWO', '']);
    }
    await text.press('Control+Enter');
    const content = takesEmpty(kind) && !agent.writesOwnText ? '' : 'one\nTWO\n';
    expect(await answer).toEqual({ kind: 'accepted', content });
  });
});

function takesEmpty(kind: string): boolean {
  return kind === 'claude' || kind === 'copilot';
}

async function empty(text: Locator): Promise<void> {
  await text.press('ControlOrMeta+a');
  await text.press('Delete');
  await expect.poll(() => linesOf(text)).toEqual(['']);
}
