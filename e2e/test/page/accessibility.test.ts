import { writeFile } from 'node:fs/promises';
import { describe, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { openTab, pageAddress, useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { openQueue } from '../../src/reviewQueue.js';
import { Stage, serve } from '../../src/stage.js';

useBrowser();

describe('axe finds no fault in', () => {
  it('a page without its key, and an empty one', exhaustive, async () => {
    const stage = await Stage.open();
    const start = await openTab();
    await start.goto(new URL(pageAddress(stage.tandem)).origin);
    await start.getByRole('heading', { name: 'This page needs its key' }).waitFor();
    await expectAccessible(start);
    const page = await ReviewPage.open(stage.tandem);
    await page.page.getByText('No pending reviews').waitFor();
    await expectAccessible(page.page);
  });

  it('a document, its search, a conflict and its choices', async () => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.ts', 'const value = 1;\n');
    await stage.put('.env', 'A=b\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('.env');
    await page.openFile('src/a.ts');
    await page.page.keyboard.press('ControlOrMeta+f');
    await page.page.keyboard.type('value');
    await expectAccessible(page.page);
    await page.page.keyboard.press('Escape');
    await page.page.keyboard.type('typed ');
    await page.page.getByRole('tab', { name: 'src/a.ts, unsaved changes' }).waitFor();
    await writeFile(path, '// on disk\nconst value = 1;\n');
    await page.page.getByRole('button', { name: 'Compare and choose' }).waitFor();
    await expectAccessible(page.page);
    await page.page.getByRole('button', { name: 'Compare and choose' }).click();
    await page.page.getByRole('radio', { name: 'Merged' }).check();
    await page.page.getByRole('textbox', { name: 'Merged (editable)' }).waitFor();
    await expectAccessible(page.page);
  });

  it('dialogs, notices and the list of agents', async () => {
    const { page } = await openQueue();
    const keys = page.page.keyboard;
    await keys.press('ControlOrMeta+p');
    await page.page.getByRole('option').first().waitFor();
    await expectAccessible(page.page);
    await keys.press('Escape');
    await keys.press('F1');
    await page.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(page.page);
    await keys.press('Escape');
    await keys.press('Alt+a');
    await page.page.getByRole('region', { name: 'Agents' }).getByText('Pending:').first().waitFor();
    await keys.press('Alt+m');
    await page.page.getByRole('region', { name: 'Notices' }).waitFor();
    await expectAccessible(page.page);
    await page.openFile('d.txt');
    await keys.type('typed ');
    await keys.press('Alt+w');
    await page.page.getByRole('dialog', { name: 'Save d.txt?' }).waitFor();
    await expectAccessible(page.page);
  });

  it('a page without its companion, and one whose companion was restarted', exhaustive, async () => {
    const { page, stage } = await openQueue();
    const text = await page.openReview('src/a.ts');
    await text.press('Home');
    await page.page.keyboard.type('typed ');
    await page.page.getByText('Edited').first().waitFor();
    await stage.tandem.stop();
    await page.page.getByText('The companion cannot be reached.', { exact: true }).waitFor();
    await expectAccessible(page.page);
    await serve(stage.sandbox, stage.workspace);
    await page.page.getByText('The companion was restarted.').first().waitFor();
    await expectAccessible(page.page);
  });
});
