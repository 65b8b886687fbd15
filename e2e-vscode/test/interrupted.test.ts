import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { connectAgent } from '../src/mcpAgent.js';
import { type Desk, useSite } from '../src/vscodeSite.js';

const site = useSite();
const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const MINE = 'one\nTWO and mine\nthree\n';

/** A user edits a proposal, and its agent disconnects. */
async function interrupt(desk: Desk): Promise<void> {
  const gemini = await connectAgent(desk.companion, 'gemini');
  await gemini.propose(desk.path('a.txt'), PROPOSED);
  await desk.window.diff.appendToLine('TWO', ' and mine');
  await desk.window.pause();
  await gemini.close();
  await desk.window.tab('change by').waitFor({ state: 'detached' });
}

describe('an interrupted review', () => {
  it("is listed with the user's edits, shown beside its file, and applied to it", async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const { window } = desk;
    await interrupt(desk);
    await window.page.getByRole('button', { name: 'Show Your Text' }).click();
    await window.tab('interrupted change by Gemini CLI').waitFor();
    await window.command('View: Close All Editors');
    await window.showReviews();
    await window.treeRow('a.txt').filter({ hasText: 'edited' }).click();
    await window.tab('interrupted change by Gemini CLI').waitFor();
    await window.diff.waitForLine('TWO and mine');
    const picture = join(import.meta.dirname, '../../test-results/pictures');
    await mkdir(picture, { recursive: true });
    await writeFile(join(picture, 'interrupted.png'), await window.page.screenshot());
    // Meanwhile the file changed, on other lines.
    await desk.put('a.txt', `${BEFORE}four\n`);
    await window.page.getByRole('button', { name: 'Apply Interrupted Review' }).first().click();
    await expect.poll(() => desk.read('a.txt')).toBe(`${MINE}four\n`);
    await window.notification(/Written to (\d+\/)?a\.txt/).waitFor();
    // Texts that agents of other tests did not write are listed, too.
    await window.treeRow('a.txt').waitFor({ state: 'detached' });
    await window.tab('interrupted change by').waitFor({ state: 'detached' });
  });

  it('is left of a correction that its agent did not write [COP-20]', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const { window } = desk;
    const copilot = await connectAgent(desk.companion, 'copilot');
    const proposed = await copilot.propose(desk.path('a.txt'), PROPOSED);
    await window.diff.appendToLine('TWO', ' and mine');
    await window.diff.accept.click();
    await window.notification('ignores your edits to a.txt').waitFor();
    await proposed.answer();
    await desk.put('a.txt', PROPOSED);
    await window.showReviews();
    await window.treeRow('a.txt').filter({ hasText: 'written without your edits' }).click();
    await window.diff.waitForLine('TWO and mine');
    await window.page.getByRole('button', { name: 'Apply Interrupted Review' }).first().click();
    await expect.poll(() => desk.read('a.txt')).toBe(MINE);
    await window.notification(/Written to (\d+\/)?a\.txt/).waitFor();
  });

  it(
    'is kept when its agent replaces or withdraws the proposal, also what was being typed',
    exhaustive,
    async () => {
      const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE });
      const { window } = desk;
      const claude = await connectAgent(desk.companion, 'claude');
      const gemini = await connectAgent(desk.companion, 'gemini');
      const first = await gemini.propose(desk.path('a.txt'), PROPOSED);
      await window.diff.appendToLine('TWO', ' and mine');
      // No pause: the user is still typing.
      const second = await gemini.propose(desk.path('a.txt'), 'one\ntwo\nTHREE\n');
      expect(await desk.companion.outcomeOf(first.id)).toBe('withdrawn');
      await window.notification('Gemini CLI withdrew its proposal for a.txt').waitFor();
      await second.withdraw();
      await expect.poll(() => window.tab('change by').count()).toBe(0);

      const third = await claude.propose(desk.path('b.txt'), PROPOSED);
      await window.diff.appendToLine('TWO', ' as well');
      await third.withdraw();
      await window.notification('Claude Code withdrew its proposal for b.txt').waitFor();
      await window.showReviews();
      for (const [name, line] of [
        ['a.txt', 'TWO and mine'],
        ['b.txt', 'TWO as well'],
      ] as const) {
        const row = window.treeRow(name).filter({ hasText: 'edited' });
        await row.click();
        await window.diff.waitForLine(line);
        await window.askInRow(
          row,
          'Discard Interrupted Review',
          window.dialog('Discard the interrupted review of'),
        );
        await window
          .dialog('Discard the interrupted review of')
          .getByRole('button', { name: 'Discard' })
          .click();
        await row.waitFor({ state: 'detached' });
      }
    },
  );

  it('is restored after a kill, and discarded after a question', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    await interrupt(desk);
    await expect.poll(() => site.current.server.kept(desk.companion.pid)).toContain('TWO and mine');
    desk.killExtensionHost();
    const again = await desk.reconnect();
    const { window } = again;
    await window.showReviews();
    const row = window.treeRow('a.txt').filter({ hasText: 'edited' });
    await window.askInRow(
      row,
      'Discard Interrupted Review',
      window.dialog('Discard the interrupted review of'),
    );
    await window.dialog('Discard the interrupted review of').getByRole('button', { name: 'Discard' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await again.read('a.txt')).toBe(BEFORE);
  });
});
