import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { connectClaudeAgent, connectHttpAgent, type McpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
import { takePicture, takePictures } from '../../src/takePicture.js';

useBrowser();

const lines = Array.from({ length: 30 }, (_, index) => `export const value${index} = ${index};\n`);
const original = lines.join('');
const changed = lines.with(4, 'export const five = "changed";\n').toSpliced(20, 2).join('');
const crlf = '\ufeffone\r\ntwo\r\nthree\r\n';

/** Proposes a change, accepts it, and writes it as the agent does. */
async function accept(stage: Stage, agent: McpAgent, path: string, content: string): Promise<void> {
  const { id, answer } = await agent.propose(path, content);
  await stage.tandem.accept(id);
  const given = await answer;
  if (given.kind === 'accepted') await writeFile(path, given.content);
}

/** A workspace in which two agents changed four files. */
async function openChanges() {
  const stage = await Stage.open();
  const claude = await connectClaudeAgent(stage.tandem);
  const gemini = await connectHttpAgent(stage.tandem, 'gemini');
  const [a, b] = [await stage.put('src/a.ts', original), await stage.put('b.txt', crlf)];
  const c = await stage.put('c.txt', 'one\ntwo\nthree\n');
  const created = stage.path('src/new.ts');
  await accept(stage, claude, a, changed);
  await accept(stage, claude, b, crlf.replace('two', 'TWO'));
  await accept(stage, gemini, created, 'export {};\n');
  await accept(stage, gemini, c, 'one\nTWO\nthree\n');
  await accept(stage, claude, a, `${changed}// the end\n`);
  const page = await ReviewPage.open(stage.tandem);
  await page.page.getByRole('button', { name: 'Changes', exact: true }).click();
  const view = page.page.getByRole('region', { name: 'Changes', exact: true });
  const file = (name: string) => view.getByRole('region', { name, exact: true });
  await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).waitFor();
  return { stage, page, view, file, paths: { a, b, c, created } };
}

const bytes = (path: string): Promise<Buffer> => readFile(path);

describe('the changes', () => {
  it('are shown on one page of diffs, reached with j and k, and marked as viewed', async () => {
    const { page, view, file, stage, paths } = await openChanges();
    await view.getByText('4 files').waitFor();
    expect(await view.getByRole('region').count()).toBe(4);
    await file('src/a.ts').getByText('1 line added').first().waitFor({ state: 'detached' });
    await file('src/a.ts').getByText('2 lines added, 3 lines removed').waitFor();
    await file('src/new.ts').getByText('New file').waitFor();
    expect(await file('src/a.ts').getByRole('list', { name: /^What/ }).getByRole('listitem').count()).toBe(2);
    const focused = page.page.locator(':focus');
    const keys = page.page.keyboard;
    expect(await focused.textContent()).toBe('src/a.ts');
    await keys.press('j');
    expect(await focused.textContent()).toBe('b.txt');
    await keys.press('j');
    await keys.press('j');
    await keys.press('j');
    expect(await focused.textContent()).toBe('c.txt');
    await keys.press('k');
    expect(await focused.textContent()).toBe('src/new.ts');
    // Also from a diff, which is a text field that cannot be edited.
    await file('b.txt').getByRole('textbox', { name: 'Now: b.txt' }).focus();
    await keys.press('k');
    expect(await focused.textContent()).toBe('src/a.ts');
    await keys.press('Enter');
    await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).waitFor({ state: 'detached' });
    await keys.press('Enter');
    await file('src/a.ts').getByRole('checkbox').check();
    await view.getByText('1 of 4 viewed').waitFor();
    await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).waitFor({ state: 'detached' });
    // Another text was not viewed.
    await writeFile(paths.a, changed);
    await view.getByText('0 of 4 viewed').waitFor();
    await view.getByRole('combobox', { name: 'Session' }).selectOption({ label: 'Gemini CLI: src/new.ts' });
    await view.getByText('2 files').waitFor();
    expect(await stage.read('b.txt')).toBe(crlf.replace('two', 'TWO'));
  });

  it('are undone by file and by review, byte by byte, and redone', async () => {
    const { page, view, file, paths } = await openChanges();
    const written = await bytes(paths.b);
    await file('b.txt').getByRole('button', { name: 'Undo b.txt' }).click();
    const dialog = page.page.getByRole('dialog', { name: 'Undo b.txt?' });
    await dialog.getByText('returns to its earlier text').waitFor();
    expect(await bytes(paths.b)).toEqual(written);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await file('b.txt').getByText('No net change').waitFor();
    expect(await bytes(paths.b)).toEqual(Buffer.from(crlf));
    await file('b.txt')
      .getByRole('button', { name: /^Redo undone \(r1\)/ })
      .click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Redo' }).click();
    await file('b.txt').getByText('1 line added, 1 line removed').waitFor();
    expect(await bytes(paths.b)).toEqual(written);

    // The first of two reviews; the second stays.
    await file('src/a.ts').getByRole('button', { name: 'Undo review 1, accepted of src/a.ts' }).click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await file('src/a.ts').getByText('1 line added').waitFor();
    expect(await bytes(paths.a)).toEqual(Buffer.from(`${original}// the end\n`));

    await view.getByRole('button', { name: 'Undo all…' }).click();
    const all = page.page.getByRole('dialog', { name: 'Undo 4 files?' });
    await all.getByText('src/new.ts is deleted').waitFor();
    await all.getByRole('button', { name: 'Undo' }).click();
    await page.waitForMessage('Undone: 4 files.');
    expect(existsSync(paths.created)).toBe(false);
    expect(await bytes(paths.a)).toEqual(Buffer.from(original));
    expect(await bytes(paths.b)).toEqual(Buffer.from(crlf));
    await page.page.getByRole('button', { name: 'Redo', exact: true }).click();
    await expect.poll(() => existsSync(paths.created)).toBe(true);
    await expect.poll(() => bytes(paths.a)).toEqual(Buffer.from(`${original}// the end\n`));
    expect(await bytes(paths.created)).toEqual(Buffer.from('export {};\n'));
  });

  it('are undone by hunk, with the mouse and by keys, and redone', async () => {
    const { page, file, paths } = await openChanges();
    const written = await readFile(paths.a, 'utf8');
    await file('src/a.ts').getByTitle('Undo this change').first().click();
    await page.waitForMessage('Undone: a.ts.');
    const withoutFirst = written.replace('export const five = "changed"', 'export const value4 = 4');
    expect(await readFile(paths.a, 'utf8')).toBe(withoutFirst);
    await page.page.getByRole('button', { name: 'Redo', exact: true }).click();
    await expect.poll(() => readFile(paths.a, 'utf8')).toBe(written);
    await file('src/a.ts')
      .getByRole('button', { name: 'Undo change 3 of 3 in src/a.ts, line 29' })
      .press('Enter');
    await expect.poll(() => readFile(paths.a, 'utf8')).toBe(changed);
    await file('src/a.ts').getByText('1 line added, 3 lines removed').waitFor();
    expect(await page.page.locator(':focus').textContent()).toBe('src/a.ts');
    await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).focus();
    await page.page.keyboard.press('F7');
    await page.page.keyboard.press('F8');
    await expect
      .poll(() => readFile(paths.a, 'utf8'))
      .toBe(changed.replace('export const five = "changed"', 'export const value4 = 4'));
  });

  it('undone together are redone from the list, also after the message is gone', exhaustive, async () => {
    const { page, view, file, paths } = await openChanges();
    const [a, b] = [await bytes(paths.a), await bytes(paths.b)];
    await view.getByRole('button', { name: 'Undo all…' }).click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await file('b.txt').getByText('No net change').waitFor();
    await page.page.reload();
    await file('b.txt').getByRole('button', { name: 'Redo b.txt' }).click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => bytes(paths.b)).toEqual(b);
    await view.getByRole('button', { name: 'Redo all…' }).click();
    const dialog = page.page.getByRole('dialog', { name: 'Redo 3 files?' });
    await dialog.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => bytes(paths.a)).toEqual(a);
    await expect.poll(() => existsSync(paths.created)).toBe(true);
  });

  it('with a conflict open both versions unsaved, and are resolved there', exhaustive, async () => {
    const { page, file, paths } = await openChanges();
    await writeFile(paths.c, 'one\nmine\nthree\n');
    await file('c.txt').getByText('Lines of these changes were changed again later').waitFor();
    await file('c.txt').getByText('no lines changed').waitFor();
    await file('c.txt').scrollIntoViewIfNeeded();
    await file('c.txt').getByRole('textbox', { name: 'Now: c.txt' }).getByText('mine').waitFor();
    await file('c.txt').scrollIntoViewIfNeeded();
    await takePicture(page.page, 'changes-notes');
    await file('c.txt').getByRole('button', { name: 'Undo c.txt' }).click();
    const dialog = page.page.getByRole('dialog', { name: 'Undo c.txt?' });
    await dialog.getByText('has later changes on the same lines, in one place').waitFor();
    await expectAccessible(page.page);
    await dialog.getByRole('button', { name: 'Open the conflict' }).click();
    const text = page.document('c.txt');
    await text.getByText('<<<<<<< the earlier text').waitFor();
    expect(await bytes(paths.c)).toEqual(Buffer.from('one\nmine\nthree\n'));
    await page.page.getByRole('tab', { name: 'c.txt, unsaved changes' }).waitFor();
    const conflict = text.getByRole('group', { name: 'Conflict' });
    await conflict.getByRole('button', { name: 'Use the file' }).waitFor();
    await expectAccessible(page.page);
    await takePictures(page.page, 'changes-conflict');
    await conflict.getByRole('button', { name: 'Use the earlier text' }).click();
    await page.page.keyboard.press('ControlOrMeta+s');
    await page.waitForMessage('Saved c.txt');
    expect(await bytes(paths.c)).toEqual(Buffer.from('one\ntwo\nthree\n'));
    await page.page.keyboard.press('Alt+g');
    await file('c.txt')
      .getByRole('button', { name: /^Redo undone \(r1\)/ })
      .click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => bytes(paths.c)).toEqual(Buffer.from('one\nmine\nthree\n'));
  });

  it('are accessible, and fit a narrow page', exhaustive, async () => {
    const { page, view, file } = await openChanges();
    await file('c.txt').scrollIntoViewIfNeeded();
    await file('c.txt').getByRole('textbox', { name: 'Now: c.txt' }).waitFor();
    await expectAccessible(page.page);
    // Each file has room for its diff.
    const cut = await view
      .getByRole('region')
      .evaluateAll((files) => files.filter((file) => file.scrollHeight > file.clientHeight).length);
    expect(cut).toBe(0);
    await takePictures(page.page, 'changes');
    await view.getByRole('button', { name: 'Unified' }).click();
    await file('src/a.ts').scrollIntoViewIfNeeded();
    await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).waitFor();
    await takePicture(page.page, 'changes-unified');
    await view.getByRole('button', { name: 'Undo all…' }).click();
    await page.page.getByRole('dialog').waitFor();
    await expectAccessible(page.page);
    await takePicture(page.page, 'changes-question');
    await page.page.keyboard.press('Escape');
    await page.page.setViewportSize({ width: 390, height: 800 });
    await file('src/a.ts').scrollIntoViewIfNeeded();
    await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).waitFor();
    await takePicture(page.page, 'changes-narrow');
    const width = await view.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(width).toBe(0);
  });
});
