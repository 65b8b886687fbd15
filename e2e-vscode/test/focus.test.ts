import { expect, it, onTestFinished } from 'vitest';
import type { EditorWindow } from '../src/editorWindow.js';
import { connectAgent } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();

/** The ways in which the last review ends while the user is in it. */
const endings = {
  'a key': ({ diff }: EditorWindow) => diff.decideByKey('Control+S'),
  'the title bar': ({ diff }: EditorWindow) => diff.reject.click(),
  'the list': async (window: EditorWindow) => {
    await window.showReviews();
    await window.treeRow('b.txt').hover();
    await window.treeRow('b.txt').getByRole('button', { name: 'Reject' }).click();
  },
  'the whole session': async (window: EditorWindow) => {
    await window.command('Tandem: Accept All Proposals of a Session');
  },
  'the agent': undefined,
};

/** The part of the window that has the focus. */
function focused({ page }: EditorWindow): Promise<string> {
  return page.evaluate(() => {
    const active = document.activeElement;
    if (active?.closest('.terminal-wrapper')) return 'terminal';
    const group = active?.closest('.editor-group-container');
    return (
      group?.querySelector('.tab.active')?.getAttribute('aria-label')?.split(',')[0] ?? `${active?.tagName}`
    );
  });
}

it('after the last review, the user is where they were before it', async () => {
  const desk = await site.current.share({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const { window, companion } = desk;
  const { page } = window;
  const gemini = await connectAgent(companion, 'gemini');
  await desk.openFile('a.txt');
  const terminal = await window.openTerminal();
  await terminal.run('true');
  onTestFinished(() => page.keyboard.press('Escape'));
  for (const place of ['terminal', 'a.txt'] as const) {
    // How a review ends does not depend on the place before it.
    for (const [how, end] of Object.entries(endings).slice(0, place === 'terminal' ? undefined : 1)) {
      if (place === 'terminal') await terminal.show();
      else await page.locator('.editor-instance .view-line').first().click();
      await expect.poll(() => focused(window)).toMatch(place);
      const proposed = await gemini.propose(desk.path('b.txt'), 'two\n');
      await window.tab('b.txt (change').waitFor();
      await page.keyboard.press('Alt+]');
      await window.diff.focusedSide.waitFor();
      if (end === undefined) await proposed.withdraw();
      else await end(window);
      await window.tab('b.txt (change').waitFor({ state: 'detached' });
      await expect.poll(async () => `${how}: ${await focused(window)}`).toBe(`${how}: ${place}`);
    }
  }
});
