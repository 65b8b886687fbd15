import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { breakableLine } from '../../src/brokenLine.js';
import { useBrowser } from '../../src/browser.js';
import { busyPage, connectionBar, messageBar } from '../../src/busyPage.js';
import { holdCalls } from '../../src/heldCalls.js';
import { linesOf } from '../../src/reviewPage.js';
import { tandem } from '../../src/tandem.js';

useBrowser();

describe('a page', () => {
  it('whose connection breaks continues with the changes made elsewhere meanwhile', async () => {
    const { stage, page, id, answer, review } = await busyPage();
    const line = await breakableLine(page.page);
    await page.page.reload();
    await review.getByText('TWO of mine').click();
    await page.page.keyboard.press('End');
    await line.cut();
    await connectionBar(page).waitFor();
    await page.page.keyboard.type(', late');
    await review.press('ControlOrMeta+Enter');
    await page.review('src/a.txt').getByRole('alert').filter({ hasText: 'so nothing was sent' }).waitFor();
    const edit = ['review', 'edit', id];
    await tandem(stage.sandbox, stage.workspace, edit, { VISUAL: 'sed -i "s/one/one elsewhere/"' });
    // Pressed while the companion is unreachable; a moment later the page may reconnect by itself.
    await connectionBar(page).getByRole('button', { name: 'Retry' }).click();
    line.mend();
    await connectionBar(page).waitFor({ state: 'detached' });
    expect(await messageBar(page).count()).toBe(0);
    await expect.poll(() => linesOf(review)).toEqual(['one elsewhere', 'TWO of mine, late', '']);
    await review.press('ControlOrMeta+Enter');
    expect(await answer).toEqual({ kind: 'accepted', content: 'one elsewhere\nTWO of mine, late\n' });
  });

  it('retries a connection that opens and stays silent', exhaustive, async () => {
    const { page } = await busyPage();
    let attempts = 0;
    await page.page.routeWebSocket('**/live', (socket) => {
      attempts += 1;
      if (attempts > 1) socket.connectToServer();
    });
    await page.page.reload();
    await page.page.getByRole('banner').getByText('Connected', { exact: true }).waitFor();
    expect(attempts).toBe(2);
  });

  it('that is reloaded shows the same, to the last key', exhaustive, async () => {
    const { page, document, review } = await busyPage();
    await page.page.reload();
    await review.getByText('TWO of mine').waitFor();
    expect(new URL(page.page.url()).hash).toBe('');
    await page.documentTab('notes.txt').click();
    await expect.poll(() => linesOf(document)).toEqual(['first of mine', 'second', '']);
    await page.page.getByRole('tab', { name: 'notes.txt, unsaved changes' }).waitFor();
    await page.page.reload();
    // The same tab is active.
    await document.getByText('first of mine').waitFor();
  });

  it('asks before it is closed with text that only it has', async () => {
    const { stage, page, id, review } = await busyPage();
    const pushes = await holdCalls(page.page, 'text.push');
    await page.page.keyboard.type(', unsent');
    await pushes.held;
    const asked = page.page.waitForEvent('dialog');
    await page.page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await review.getByText('TWO of mine, unsent').waitFor();
    // Once the companion has everything, the page closes without a question.
    await pushes.release();
    const shown = async (): Promise<string> =>
      (await stage.tandem.run('review', 'show', id, '--content')).stdout;
    await expect.poll(shown, { timeout: 20_000 }).toBe('one\nTWO of mine, unsent\n');
    await page.page.reload();
    await review.getByText('TWO of mine, unsent').waitFor();
  });
});
