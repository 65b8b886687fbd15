import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible, findUnreachable } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
import { takePicture } from '../../src/takePicture.js';

useBrowser();

async function reviewing(file: string, before: string, proposed: string) {
  const stage = await Stage.open();
  const path = await stage.put(file, before);
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const page = await ReviewPage.open(stage.tandem);
  const { answer } = await agent.propose(path, proposed);
  const text = await page.openReview(file);
  const press = (name: string) => page.page.getByRole('button', { name, exact: true }).click();
  return { page, tab: page.page, answer, text, press, keyboard: page.page.keyboard };
}

const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
const textOf = (of: readonly string[]): string => `${of.join('\n')}\n`;

describe('a review is searched', () => {
  it.each(['Side by side', 'Unified'])(
    'on both sides by the keyboard alone: %s',
    exhaustive,
    async (layout) => {
      const before = textOf(lines.with(3, 'apple gone').with(30, 'apple stays'));
      const proposed = textOf(lines.with(3, 'pear').with(30, 'apple stays').with(50, 'Apple new'));
      const { tab, text, press, keyboard } = await reviewing('a.txt', before, proposed);
      await press(layout);
      await text.focus();
      await keyboard.press('ControlOrMeta+f');
      await keyboard.type('apple');
      const count = tab.getByRole('status').filter({ hasText: /^\d of \d|results?$/ });
      await expect.poll(() => count.first().textContent()).toBe('3 results');
      await keyboard.press('Enter');
      await expect.poll(() => count.first().textContent()).toBe('1 of 3, in removed lines');
      await keyboard.press('Enter');
      await text.getByText('apple stays').waitFor();
      await keyboard.press('Enter');
      await expect.poll(() => count.first().textContent()).toBe('3 of 3');
      await keyboard.press('Shift+Enter');
      await expect.poll(() => count.first().textContent()).toBe('2 of 3');
      await expectAccessible(tab);
      await takePicture(tab, `search-${layout === 'Unified' ? 'unified' : 'split'}`);
      await tab.getByRole('checkbox', { name: 'Match case' }).check();
      await expect.poll(() => count.first().textContent()).toMatch('2');
      await keyboard.press('Escape');
      await text.and(tab.locator(':focus')).waitFor();
    },
  );
});

describe('changes of white space', () => {
  it('are hidden on request, and accepted all the same', exhaustive, async () => {
    const proposed = textOf(lines.with(3, '  line 4').with(30, 'other'));
    const { page, tab, answer, text, press } = await reviewing('a.txt', textOf(lines), proposed);
    const changed = () => text.locator('.cm-changedLine:not(.cm-spaceChange)').allTextContents();
    await expect.poll(changed).toEqual(['  line 4', 'other']);
    await press('Hide whitespace changes');
    await expect.poll(changed).toEqual(['other']);
    await tab
      .getByRole('toolbar', { name: 'Review tools' })
      .getByText(/1 change$|of 1$/)
      .waitFor();
    await takePicture(tab, 'space-hidden-split');
    await press('Unified');
    await expect.poll(changed).toEqual(['other']);
    expect(await tab.getByText('line 4', { exact: true }).filter({ visible: true }).count()).toBe(1);
    await expectAccessible(tab);
    await takePicture(tab, 'space-hidden-unified');
    expect(await linesOf(text)).toContain('  line 4');
    await page.accept('a.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: proposed });
  });
});

describe('Markdown', () => {
  it('is rendered beside the file, and fetches nothing', async () => {
    const before = '# Old title\n\nText.\n';
    const proposed =
      '# New title\n\n- a ![picture](https://example.invalid/a.png)\n\n```js\nlet a;\n```\n\n<b>html</b>\n';
    const { tab, text, press } = await reviewing('a.md', before, proposed);
    await press('Rendered Markdown');
    const old = tab.getByRole('region', { name: 'Current file, rendered' });
    const now = tab.getByRole('region', { name: 'Proposal, rendered' });
    await old.getByRole('heading', { name: 'Old title' }).waitFor();
    await now.getByRole('heading', { name: 'New title' }).waitFor();
    await now.getByText('<b>html</b>').waitFor();
    expect(await now.locator('img').count()).toBe(0);
    await expectAccessible(tab);
    await takePicture(tab, 'rendered');
    await tab.setViewportSize({ width: 360, height: 740 });
    await now.waitFor();
    expect(await findUnreachable(tab)).toEqual([]);
    await takePicture(tab, 'rendered-narrow');
    await press('Rendered Markdown');
    await text.waitFor();
  });
});
