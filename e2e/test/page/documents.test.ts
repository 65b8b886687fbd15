import { readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const edits = [
  { name: 'LF', before: 'one\ntwo\n', after: 'one!\nnew\ntwo\n' },
  { name: 'CRLF', before: 'one\r\ntwo\r\n', after: 'one!\r\nnew\r\ntwo\r\n' },
  {
    name: 'a byte order mark and CRLF',
    before: '\ufeffone\r\ntwo\r\n',
    after: '\ufeffone!\r\nnew\r\ntwo\r\n',
  },
  { name: 'no final newline', before: 'one\ntwo', after: 'one!\nnew\ntwo' },
];

describe('a document', () => {
  it.each(edits)('is edited and saved to the last byte: $name', async ({ before, after }) => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.txt', before);
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('src/a.txt');
    await text.getByText('one').click();
    const keys = page.page.keyboard;
    await keys.press('End');
    await keys.type('!');
    await keys.press('Enter');
    await keys.type('new');
    await page.page.getByRole('tab', { name: 'src/a.txt, unsaved changes' }).waitFor();
    expect(await readFile(path, 'utf8')).toBe(before);
    await keys.press('ControlOrMeta+s');
    await page.waitForMessage('Saved src/a.txt');
    expect(await readFile(path)).toEqual(Buffer.from(after));
    await page.page.getByRole('tab', { name: 'src/a.txt', exact: true }).waitFor();
  });

  it('undoes and redoes, also after a save', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'one\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('a.txt');
    const keys = page.page.keyboard;
    await keys.type('typed ');
    await keys.press('ControlOrMeta+s');
    await page.waitForMessage('Saved a.txt');
    await keys.press('ControlOrMeta+z');
    await text.getByText('one', { exact: true }).waitFor();
    await page.page.getByRole('tab', { name: 'a.txt, unsaved changes' }).waitFor();
    await keys.press('ControlOrMeta+Shift+z');
    await text.getByText('typed one').waitFor();
    await page.page.getByRole('tab', { name: 'a.txt', exact: true }).waitFor();
  });

  it('is reloaded when an agent wrote it, and the cursor stays with its line', exhaustive, async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\ntwo\nthree\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('a.txt');
    await text.getByText('three').click();
    await page.page.keyboard.press('End');
    await page.page.getByText('Ln 3, Col 6', { exact: true }).waitFor();
    await writeFile(path, 'zero\none\nTWO\nthree\n');
    await text.getByText('TWO').waitFor();
    await page.page.getByText('Ln 4, Col 6', { exact: true }).waitFor();
    await page.waitForMessage('Reloaded a.txt');
    await page.page.keyboard.type('!');
    await text.getByText('three!').waitFor();
    expect(await text.locator('.cm-line').allTextContents()).toEqual(['zero', 'one', 'TWO', 'three!', '']);
  });

  it('asks about unsaved changes before it is closed', async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'text\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('a.txt');
    const keys = page.page.keyboard;
    const dialog = page.page.getByRole('dialog', { name: 'Save a.txt?' });
    await keys.type('my ');

    await keys.press('Alt+w');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await keys.type('own ');
    await text.getByText('my own text').waitFor();

    await keys.press('Alt+w');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.documentTab('a.txt').waitFor({ state: 'detached' });
    expect(await readFile(path, 'utf8')).toBe('text\n');

    await page.openFile('a.txt');
    await keys.type('kept ');
    await keys.press('Alt+w');
    await dialog.waitFor();
    await keys.press('Enter');
    await page.documentTab('a.txt').waitFor({ state: 'detached' });
    expect(await readFile(path, 'utf8')).toBe('kept text\n');
  });

  it('regains selection and focus before the next key when a dialog closes', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'text\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('a.txt');
    await page.page.keyboard.type('my ');
    await page.page.keyboard.press('Alt+w');
    const cancel = page.page.getByRole('dialog').getByRole('button', { name: 'Cancel' });
    await cancel.evaluate((button) => {
      // The same as a mouse press does.
      document.getSelection()?.selectAllChildren(button);
      new MutationObserver(() => {
        const node = document.getSelection()?.anchorNode;
        document.body.dataset.selected = node?.parentElement?.textContent ?? '';
      }).observe(document.querySelector('dialog')?.parentElement ?? document.body, { childList: true });
    });
    await cancel.click();
    await page.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.page.locator('body').getAttribute('data-selected')).toBe('my text');
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('closes without a question if nothing would be lost', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'text\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.openFile('a.txt');
    await page.page.keyboard.press('Alt+w');
    await page.documentTab('a.txt').waitFor({ state: 'detached' });
    expect(await page.page.getByRole('dialog').count()).toBe(0);
  });

  it('that is not text is reported as open and not shown', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('image.bin', Buffer.from([0, 159, 146, 150, 0, 255]));
    const page = await ReviewPage.open(stage.tandem);
    await page.treeItem('image.bin').click();
    await page.page.getByText('This file is binary, so it is not shown here.').waitFor();
    expect(await page.page.getByRole('textbox').count()).toBe(0);
  });

  it('that was deleted says so, keeps its text and can be created again', async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'precious\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('a.txt');
    await rm(path);
    const notice = page.page.getByRole('region', { name: 'Not on disk' });
    await notice.getByText('This file was deleted from disk.').waitFor();
    await text.getByText('precious').waitFor();
    await notice.getByRole('button', { name: 'Save' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(await readFile(path, 'utf8')).toBe('precious\n');
  });
});
