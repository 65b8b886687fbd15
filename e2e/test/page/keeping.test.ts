import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { HookCaller } from '../../src/hookCaller.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
import { takePicture, takePictures } from '../../src/takePicture.js';

useBrowser();

const lines = Array.from({ length: 30 }, (_, index) => `export const value${index} = ${index};\n`);
const original = lines.join('');

/** A workspace in which Claude Code wrote three files without a review, in two turns. */
async function openKeeping() {
  const stage = await Stage.open();
  const hooks = await HookCaller.of(stage, 'claude', process.pid);
  const event = { session_id: 's1', cwd: stage.workspace, transcript_path: '/t' };
  const prompt = (text: string) =>
    hooks.call({ ...event, hook_event_name: 'UserPromptSubmit', prompt: text }, 'after');
  const edit = async (path: string, before: string, after: string): Promise<void> => {
    const call = {
      ...{ ...event, permission_mode: 'acceptEdits', tool_use_id: 't', tool_name: 'Edit' },
      tool_input: { file_path: path, old_string: before, new_string: after, replace_all: false },
    };
    await hooks.call({ ...call, hook_event_name: 'PreToolUse' }, 'after');
    await writeFile(path, (await readFile(path, 'utf8')).replace(before, after));
    await hooks.call({ ...call, hook_event_name: 'PostToolUse', tool_response: {} }, 'after');
  };
  const a = await stage.put('src/a.ts', original);
  const b = await stage.put('b.txt', 'one\ntwo\nthree\n');
  const c = await stage.put('c.txt', 'one\ntwo\nthree\n');
  await prompt('Rename the values of the parser');
  await edit(a, 'value4 = 4', 'five = "changed"');
  await edit(a, 'value20 = 20', 'twenty = "changed"');
  await edit(b, 'two', 'TWO');
  await prompt('Now the texts');
  await edit(c, 'two', 'TWO');
  const page = await ReviewPage.open(stage.tandem);
  const opens = page.page.getByRole('button', { name: /^Changes/ });
  await opens.click();
  const view = page.page.getByRole('region', { name: 'Changes', exact: true });
  const file = (name: string) => view.getByRole('region', { name, exact: true });
  await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).waitFor();
  return { stage, page, opens, view, file, paths: { a, b, c } };
}

const text = (path: string): Promise<string> => readFile(path, 'utf8');

describe('changes that agents wrote without a review', () => {
  it('wait below their prompts until they are kept or undone: a hunk, a file, a turn, a session', async () => {
    const { page, opens, view, file, paths } = await openKeeping();
    expect(await opens.textContent()).toContain('3 files to review');
    await view.getByText('3 files to review').waitFor();
    await view.getByRole('heading', { name: 'Turn 1: Rename the values of the parser' }).waitFor();
    await view.getByText('Changes are listed for 7 days, then kept.').waitFor();
    await expectAccessible(page.page);
    await takePictures(page.page, 'keeping');

    const written = await text(paths.a);
    await file('src/a.ts').getByTitle('Keep this change').first().click();
    await page.waitForMessage('src/a.ts is kept in these lines; its other changes wait.');
    await file('src/a.ts').first().getByText('1 line added, 1 line removed').waitFor();
    const decided = view.getByRole('button', { name: 'Kept and accepted' });
    expect(await decided.getAttribute('aria-expanded')).toBe('false');
    // At the cursor, by a key.
    await file('src/a.ts').getByRole('textbox', { name: 'Now: src/a.ts' }).focus();
    await page.page.keyboard.press('F7');
    await page.page.keyboard.press('Shift+F8');
    await file('src/a.ts').waitFor({ state: 'detached' });
    expect(await text(paths.a)).toBe(written);
    await view.getByText('2 files to review').waitFor();

    await file('b.txt').getByRole('button', { name: 'Keep b.txt' }).click();
    await file('b.txt').waitFor({ state: 'detached' });
    expect(await page.page.locator(':focus').textContent()).toBe('c.txt');
    await page.page.getByRole('button', { name: 'Review again', exact: true }).click();
    await file('b.txt').waitFor();

    await decided.click();
    await file('src/a.ts').getByText('2 lines added, 2 lines removed').waitFor();
    await page.page.setViewportSize({ width: 1200, height: 1400 });
    await takePictures(page.page, 'keeping-decided');
    await file('src/a.ts').getByRole('button', { name: 'Review again: src/a.ts' }).click();
    await view.getByText('3 files to review').waitFor();

    await view.getByRole('button', { name: 'Keep turn 1' }).click();
    const question = page.page.getByRole('dialog', { name: 'Keep the changes to 2 files?' });
    await question.getByText('Files: src/a.ts, b.txt.').waitFor();
    await expectAccessible(page.page);
    await question.getByRole('button', { name: 'Keep 2 files' }).click();
    await page.waitForMessage('Kept the changes to 2 files.');
    await view.getByText('1 file to review').waitFor();
    await view.getByRole('button', { name: 'Undo turn… 2' }).click();
    await page.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => text(paths.c)).toBe('one\ntwo\nthree\n');
    await expect.poll(() => opens.textContent()).toBe('Changes ');
    expect([await text(paths.a), await text(paths.b)]).toEqual([written, 'one\nTWO\nthree\n']);
  });

  it('are kept all at once after a question, and fit a narrow page', async () => {
    const { page, view, file, paths } = await openKeeping();
    await page.page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await takePicture(page.page, 'keeping-forced');
    await page.page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
    await page.page.setViewportSize({ width: 390, height: 800 });
    await file('src/a.ts').scrollIntoViewIfNeeded();
    await takePicture(page.page, 'keeping-narrow');
    expect(await view.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.page.setViewportSize({ width: 1200, height: 800 });
    await view.getByRole('button', { name: 'Undo all…' }).waitFor();
    await view.getByRole('button', { name: 'Keep all' }).click();
    const question = page.page.getByRole('dialog', { name: 'Keep the changes to 3 files?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await view.getByText('3 files to review').waitFor();
    await view.getByRole('button', { name: 'Keep all' }).click();
    await question.getByRole('button', { name: 'Keep 3 files' }).click();
    await view.getByText('3 files', { exact: true }).waitFor();
    // Nothing waits: what is kept is shown.
    await file(basename(paths.b)).getByRole('button', { name: 'Review again: b.txt' }).waitFor();
    expect(await text(paths.b)).toBe('one\nTWO\nthree\n');
  });
});
