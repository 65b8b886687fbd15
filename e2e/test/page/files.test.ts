import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

describe('the tree', () => {
  it('omits ignored files, lists folders first, and marks files that are hidden from agents', async () => {
    const stage = await Stage.open();
    await stage.put('.gitignore', 'build/\n*.log\n');
    await stage.put('.env', 'TOKEN=hunter2\n');
    await stage.put('build/out.js', '');
    await stage.put('debug.log', '');
    await stage.put('readme.md', '');
    await stage.put('src/a.ts', '');
    const page = await ReviewPage.open(stage.tandem);
    await page.treeItem('readme.md').waitFor();
    const names = await page.tree.getByRole('treeitem').allTextContents();
    expect(names).toEqual(['src', '.env', '.gitignore', 'readme.md']);
    const name = await page.treeItem('.env').getAttribute('aria-label');
    expect(name).toMatch(/^\.env, Hidden from agents: it matches the deny list/);
    expect(await page.treeItem('readme.md').getAttribute('aria-label')).toBe('readme.md');
  });

  it('follows created and deleted files', exhaustive, async () => {
    const stage = await Stage.open();
    const gone = await stage.put('gone.txt', '');
    const page = await ReviewPage.open(stage.tandem);
    await page.treeItem('gone.txt').waitFor();
    await stage.put('come.txt', '');
    await page.treeItem('come.txt').waitFor();
    await rm(gone);
    await page.treeItem('gone.txt').waitFor({ state: 'detached' });
  });

  it('can be used with the keyboard', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('alpha.txt', 'first\n');
    await stage.put('beta.txt', 'second\n');
    await stage.put('inner/deep/leaf.txt', 'third\n');
    const page = await ReviewPage.open(stage.tandem);
    await page.treeItem('inner').waitFor();
    const keys = page.page.keyboard;
    const current = (): Promise<string | null | undefined> =>
      page.tree.evaluate((tree) =>
        document.getElementById(tree.getAttribute('aria-activedescendant') ?? '')?.getAttribute('aria-label'),
      );

    await page.tree.focus();
    expect(await current()).toBe('inner');
    await keys.press('End');
    expect(await current()).toBe('beta.txt');
    await keys.press('Home');
    await keys.press('ArrowRight');
    await page.treeItem('deep').waitFor();
    expect(await page.treeItem('inner').getAttribute('aria-expanded')).toBe('true');
    await keys.press('ArrowRight');
    expect(await current()).toBe('deep');
    await keys.press('Enter');
    await page.treeItem('leaf.txt').waitFor();
    expect(await page.treeItem('leaf.txt').getAttribute('aria-level')).toBe('3');
    await keys.press('ArrowDown');
    expect(await current()).toBe('leaf.txt');
    await keys.press('ArrowLeft');
    await keys.press('ArrowLeft');
    expect(await current()).toBe('deep');
    await keys.press('ArrowLeft');
    await keys.press('ArrowLeft');
    await page.treeItem('deep').waitFor({ state: 'detached' });
    await keys.type('be');
    expect(await current()).toBe('beta.txt');
    await keys.press('Enter');
    const text = page.document('beta.txt');
    await text.getByText('second').waitFor();
    await keys.type('typed ');
    await text.getByText('typed second').waitFor();
    await page
      .treeItem('beta.txt')
      .and(page.page.getByRole('treeitem', { selected: true }))
      .waitFor();
    await expect
      .poll(() => page.treeItem('beta.txt').getAttribute('aria-label'))
      .toBe('beta.txt, unsaved changes, open');
  });
});

describe('quick open', () => {
  it('finds a file by parts of its name, and a line in it', async () => {
    const stage = await Stage.open();
    await stage.put('src/documents/pageEditor.ts', '// one\n// two\n// three\n');
    await stage.put('src/pages.ts', '');
    await stage.put('.gitignore', 'dist/\n');
    await stage.put('dist/pageEditor.js', '');
    const page = await ReviewPage.open(stage.tandem);
    const keys = page.page.keyboard;
    await keys.press('ControlOrMeta+p');
    const field = page.page.getByRole('combobox', { name: 'File or review' });
    await field.waitFor();
    await keys.type('docpaged:3');
    const found = page.page.getByRole('option', { name: 'src/documents/pageEditor.ts', selected: true });
    await found.waitFor();
    expect((await found.locator('mark').allTextContents()).join('').toLowerCase()).toBe('docpaged');
    expect(await page.page.getByRole('option').count()).toBe(1);
    await keys.press('Enter');
    await field.waitFor({ state: 'detached' });
    await page.document('src/documents/pageEditor.ts').getByText('// three').waitFor();
    await page.page.getByText('Ln 3, Col 1', { exact: true }).waitFor();
    await keys.type('here ');
    await page.document('src/documents/pageEditor.ts').getByText('here // three').waitFor();
  });

  it('changes nothing after Escape', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('a.txt', 'text\n');
    const page = await ReviewPage.open(stage.tandem);
    const text = await page.openFile('a.txt');
    const keys = page.page.keyboard;
    await keys.press('ControlOrMeta+p');
    const field = page.page.getByRole('combobox', { name: 'File or review' });
    await field.fill('nothing that is there');
    await page.page.getByText('No matches.').waitFor();
    await keys.press('Escape');
    await field.waitFor({ state: 'detached' });
    await text.and(page.page.locator(':focus')).waitFor();
    await keys.type('back in the ');
    await text.getByText('back in the text').waitFor();
  });
});
