import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`);
const before = lines.join('');
const proposed = lines.with(4, 'changed five\n').with(30, 'changed thirty-one\n').join('');

/** A page with one active review, and the answer to its agent. */
async function reviewing(file: string, original: string | undefined, content: string) {
  // Its own: edits of a text that no agent wrote are carried into the same proposal.
  const stage = await Stage.open();
  const path = original === undefined ? stage.path(file) : await stage.put(file, original);
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const page = await ReviewPage.open(stage.tandem);
  const { id, answer } = await agent.propose(path, content);
  const text = await page.openReview(file);
  const review = page.review(file);
  const press = (name: string): Promise<void> => review.getByRole('button', { name }).click();
  return { stage, page, id, answer, text, review, press, keyboard: page.page.keyboard };
}

describe('the text of a review', () => {
  it('restores a dropped hunk and drops it again, by buttons and by undo', async () => {
    const { page, answer, text, press, keyboard } = await reviewing('a.txt', before, proposed);
    await text.getByText('changed five').click();
    await press('Drop change');
    await text.getByText('Dropped change: +1 −1').waitFor();
    await text.getByText('line 5', { exact: true }).waitFor();
    await text.getByRole('button', { name: 'Keep it' }).click();
    await text.getByText('changed five').waitFor();

    await text.getByText('changed five').click();
    await keyboard.press('End');
    await keyboard.type(' here');
    await keyboard.press('F7');
    await keyboard.press('F8');
    await text.getByText('line 31', { exact: true }).waitFor();
    // Undo reverts edits and hunk decisions in reverse order.
    await text.press('ControlOrMeta+z');
    await text.getByText('changed thirty-one').waitFor();
    await text.getByText('changed five here').waitFor();
    await text.press('ControlOrMeta+z');
    await text.getByText('changed five', { exact: true }).waitFor();
    await text.press('ControlOrMeta+Shift+z');
    await text.getByText('changed five here').waitFor();
    await text.press('ControlOrMeta+Shift+z');
    await text.getByText('line 31', { exact: true }).waitFor();
    await page.accept('a.txt');
    expect(await answer).toEqual({
      kind: 'accepted',
      content: lines.with(4, 'changed five here\n').join(''),
    });
  });

  it('and its undo history are the same side by side and unified', exhaustive, async () => {
    const { page, answer, text, press, keyboard } = await reviewing('a.txt', before, proposed);
    const file = page.page.getByRole('textbox', { name: 'File: a.txt' });
    await file.getByText('line 31').waitFor();
    await text.getByText('changed five').click();
    await keyboard.press('End');
    await keyboard.type(' once');
    await press('Unified');
    await file.waitFor({ state: 'detached' });
    await text.getByText('changed five once').click();
    await keyboard.press('End');
    await keyboard.type(' twice');
    await press('Side by side');
    await file.waitFor();
    await text.getByText('changed five once twice').click();
    await keyboard.press('ControlOrMeta+z');
    await text.getByText('changed five once', { exact: true }).waitFor();
    await keyboard.press('ControlOrMeta+z');
    await text.getByText('changed five', { exact: true }).waitFor();
    await keyboard.press('ControlOrMeta+Shift+z');
    await text.getByText('changed five once', { exact: true }).waitFor();
    await page.accept('a.txt');
    const content = proposed.replace('changed five', 'changed five once');
    expect(await answer).toEqual({ kind: 'accepted', content });
  });

  it('is reset to the proposal on request', exhaustive, async () => {
    const { page, answer, text, press, keyboard } = await reviewing('a.txt', before, proposed);
    await text.getByText('changed five').click();
    await keyboard.press('F8');
    await text.getByText('Dropped change').waitFor();
    await text.getByText('changed thirty-one').click();
    await keyboard.type('mine ');
    await press('Reset to the proposal');
    await text.getByText('changed five', { exact: true }).waitFor();
    await text.getByText('changed thirty-one', { exact: true }).waitFor();
    await page.accept('a.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: proposed });
  });

  it('drops a change with its corrections, and undo restores both', exhaustive, async () => {
    const { page, answer, text, review, press } = await reviewing('a.txt', before, proposed);
    await text.getByText('changed five').click();
    await page.page.keyboard.type('x');
    await press('Drop change');
    await review.getByRole('status').filter({ hasText: 'Dropped the change and your edit.' }).waitFor();
    expect((await linesOf(text)).filter((line) => line.includes('x'))).toEqual([]);
    await text.press('ControlOrMeta+z');
    await expect.poll(() => linesOf(text)).toContainEqual(expect.stringContaining('x'));
    const mine = (await linesOf(text)).find((line) => line.includes('x'));
    expect(mine?.replace('x', '')).toBe('changed five');
    await page.accept('a.txt');
    expect(await answer).toMatchObject({ content: proposed.replace('changed five', String(mine)) });
  });

  it('shows that its file is in a .git folder and hidden from the agent, and asks before it is accepted', async () => {
    const { page, review, answer } = await reviewing('.git/config', undefined, '[core]\n');
    await review.getByText('In a .git folder', { exact: true }).waitFor();
    await review.getByText('Hidden from the agent', { exact: true }).waitFor();
    await page.accept('.git/config');
    const dialog = page.page.getByRole('dialog', { name: 'Accept the proposal for .git/config?' });
    await dialog.getByText('This file is in a .git folder. Git may run commands that it contains.').waitFor();
    await dialog.getByRole('button', { name: 'Accept anyway' }).click();
    expect(await answer).toMatchObject({ content: '[core]\n' });
  });

  it('is marked while the journal cannot save it', exhaustive, async () => {
    const { stage, review, text, keyboard } = await reviewing('a.txt', before, proposed);
    const journal = join(stage.sandbox.state, 'tandem/journal');
    await rm(journal, { recursive: true });
    await stage.sandbox.write(journal, 'a file in its place');
    await text.getByText('changed five').click();
    await keyboard.type('x');
    await review.getByText('Not saved', { exact: true }).waitFor();
    await review.getByText('Not saved: a crash would lose your edits').waitFor();
    await rm(journal);
    await keyboard.type('y');
    await review.getByText('Not saved', { exact: true }).waitFor({ state: 'detached' });
  });

  it('is the whole of a new file, which is created as corrected', async () => {
    const name = 'new folder/new.txt';
    const { answer, text, review, keyboard } = await reviewing(name, undefined, 'first\nsecond\n');
    await review.getByText('New file', { exact: true }).waitFor();
    await text.getByText('second').click();
    await keyboard.press('End');
    await keyboard.type('!');
    await keyboard.press('ControlOrMeta+Enter');
    expect(await answer).toEqual({ kind: 'accepted', content: 'first\nsecond!\n' });
  });

  it('is reported to differ where only line endings do', exhaustive, async () => {
    const { page, answer, review } = await reviewing('a.txt', 'one\ntwo\n', 'one\r\ntwo\r\n');
    await review.getByText(/line end.*LF.*CRLF/i).waitFor();
    await review.getByText('No changes').waitFor();
    await page.accept('a.txt');
    expect(await answer).toEqual({ kind: 'accepted', content: 'one\r\ntwo\r\n' });
  });
});

describe('a review shows', () => {
  it('unchanged lines on request', exhaustive, async () => {
    const { text, page, press } = await reviewing('a.txt', before, proposed);
    await text.getByText('changed five').waitFor();
    expect(await text.getByText('line 18', { exact: true }).count()).toBe(0);
    const hidden = text.getByText(/^Show \d+ unchanged lines$/);
    expect(await hidden.count()).toBe(2);
    await hidden.first().click();
    await text.getByText('line 18', { exact: true }).waitFor();
    // The file beside it shows the same lines.
    await page.page
      .getByRole('textbox', { name: 'File: a.txt' })
      .getByText('line 18', { exact: true })
      .waitFor();
    await press('Hide unchanged lines');
    await text.getByText('line 40', { exact: true }).waitFor();
    await expect.poll(() => linesOf(text)).toEqual(proposed.split('\n'));
  });

  it('whitespace on request', exhaustive, async () => {
    const { text, press } = await reviewing('a.txt', 'one\n', 'one\n\ttwo words  \n');
    await text.getByText('two words').waitFor();
    const marks = text.locator('.cm-highlightTab, .cm-highlightSpace, .cm-trailingSpace');
    expect(await marks.count()).toBe(0);
    await press('Show whitespace');
    await marks.first().waitFor();
    await press('Show whitespace');
    await marks.first().waitFor({ state: 'detached' });
  });

  it('search results, also in hidden lines', exhaustive, async () => {
    const { page, text, keyboard } = await reviewing('a.txt', before, proposed);
    await text.getByText('changed five').click();
    await keyboard.press('ControlOrMeta+f');
    const field = page.page.getByRole('textbox', { name: 'Find', exact: true });
    await field.pressSequentially('line 18');
    await field.press('Enter');
    await text.getByText('line 18', { exact: true }).waitFor();
    await keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    // Input goes to the position of the search result.
    await keyboard.type('found');
    await text.getByText('found', { exact: true }).waitFor();
  });
});
