import { describe, expect, it } from 'vitest';
import { describeMatrix } from '../../../test/describeMatrix.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { holdCalls } from '../../src/heldCalls.js';
import { connectClaudeAgent, connectHttpAgent, mcpAgents } from '../../src/mcpAgents.js';
import { linesOf, ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

/** Unusual details of a file that must be preserved. */
const before = '\uFEFFone\r\ntwo\r\nthree\r\n';
const proposed = '\uFEFFone\r\nTWO\r\nthree\r\n';

describeMatrix(mcpAgents, mcpAgents.slice(0, 1), 'a review that $kind withdraws', ({ connect }) => {
  /** An active review that the user has edited. */
  async function typedIn() {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', before);
    const agent = await connect(stage.tandem);
    const page = await ReviewPage.open(stage.tandem);
    const { id } = await agent.propose(path, proposed);
    const text = await page.openReview('a.txt');
    await text.getByText('TWO').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type(' of mine 文');
    const press = (name: string): Promise<void> => page.review('a.txt').getByRole('button', { name }).click();
    return { stage, agent, page, path, id, text, press };
  }

  it('leaves the typed text, to copy and save', async () => {
    const { stage, agent, page, path, id, text, press } = await typedIn();
    // The last input is still being sent when the review ends.
    const pushes = await holdCalls(page.page, 'text.push');
    await page.page.keyboard.type(', last');
    await pushes.held;
    await page.page.keyboard.type(' keys');
    await agent.withdraw(path);
    expect(await stage.tandem.outcomeOf(id)).toBe('withdrawn');
    await page.waitForEnd('a.txt', 'withdrew this');
    await pushes.release();
    await page.waitForEnd('a.txt', 'Your text is kept below.');
    expect(await linesOf(text)).toEqual(['one', 'TWO of mine 文, last keys', 'three', '']);
    // It can be read and copied; typing changes nothing.
    await page.page.keyboard.type('no');
    await press('Copy my text');
    await page.review('a.txt').getByText('Copied your text.').waitFor();
    expect(await page.clipboard()).toBe('one\nTWO of mine 文, last keys\nthree\n');

    await press('Save to the file');
    expect(await stage.read('a.txt')).toBe(before);
    const dialog = page.page.getByRole('dialog', { name: 'Save your text to a.txt?' });
    await dialog.getByRole('button', { name: 'Save my text' }).click();
    await page.review('a.txt').getByText('Saved your text to a.txt.').waitFor();
    expect(await stage.read('a.txt')).toBe('\uFEFFone\r\nTWO of mine 文, last keys\r\nthree\r\n');
  });

  it('by disconnecting leaves the typed text', exhaustive, async () => {
    const { stage, agent, page, id, text, press } = await typedIn();
    await agent.close();
    expect(await stage.tandem.outcomeOf(id)).toBe('withdrawn');
    await page.waitForEnd('a.txt', 'disconnected before this was decided. Your text is kept below.');
    expect(await linesOf(text)).toEqual(['one', 'TWO of mine 文', 'three', '']);
    await press('Save to the file');
    await page.review('a.txt').getByText('Saved your text to a.txt.').waitFor();
    expect(await stage.read('a.txt')).toBe('\uFEFFone\r\nTWO of mine 文\r\nthree\r\n');
  });
});

describe('a review that ended without a decision', () => {
  it('is not saved over a newer version of the file', async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', before);
    const agent = await connectHttpAgent(stage.tandem, 'qwen');
    const page = await ReviewPage.open(stage.tandem);
    await agent.propose(path, proposed);
    const text = await page.openReview('a.txt');
    await text.getByText('TWO').click();
    await page.page.keyboard.type('x');
    await stage.put('a.txt', 'another one\n');
    await agent.close();
    await page.waitForEnd('a.txt', 'Your text is kept below.');
    const review = page.review('a.txt');
    await review.getByRole('button', { name: 'Save to the file' }).click();
    await review.getByRole('alert').filter({ hasText: 'has changed since the proposal' }).waitFor();
    expect(await stage.read('a.txt')).toBe('another one\n');
  });

  it('links to the newer proposal that replaced it', exhaustive, async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\ntwo\n');
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    const page = await ReviewPage.open(stage.tandem);
    const first = await agent.propose(path, 'one\nTWO\n');
    const text = await page.openReview('a.txt');
    await text.getByText('TWO').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type(' of mine');
    const second = await agent.propose(path, 'one\nsecond\n');
    expect(await stage.tandem.outcomeOf(first.id)).toBe('withdrawn');
    await page.waitForEnd('a.txt', 'replaced this with a newer proposal. Your text is kept below.');
    expect(await linesOf(text)).toEqual(['one', 'TWO of mine', '']);
    await page.review('a.txt').getByRole('button', { name: 'Show the newer one' }).click();
    await page.proposal('a.txt').getByText('second').waitFor();
    await page.accept('a.txt');
    expect(await second.answer).toEqual({ kind: 'accepted', content: 'one\nsecond\n' });
  });
});

describe('two agents that propose a change to one file', () => {
  it('have a review each and receive their own decision', exhaustive, async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', 'one\ntwo\n');
    const claude = await connectClaudeAgent(stage.tandem);
    const qwen = await connectHttpAgent(stage.tandem, 'qwen');
    const page = await ReviewPage.open(stage.tandem);
    const { answer: forClaude } = await claude.propose(path, 'one\nby Claude\n');
    const { answer: forQwen } = await qwen.propose(path, 'one\nby Qwen\n');

    await page.queue.filter({ hasText: 'Qwen Code' }).click();
    const byQwen = page.page.getByRole('region', { name: 'Review of a.txt by Qwen Code' });
    const text = byQwen.getByRole('textbox', { name: 'Proposal: a.txt' });
    await text.getByText('by Qwen').click();
    await page.page.keyboard.press('End');
    await page.page.keyboard.type(' and me');
    await page.queue.filter({ hasText: 'Claude Code' }).click();
    const byClaude = page.page.getByRole('region', { name: 'Review of a.txt by Claude Code' });
    await byClaude.getByText('by Claude', { exact: true }).waitFor();
    await byClaude.getByRole('button', { name: 'Reject' }).click();
    expect(await forClaude).toEqual({ kind: 'rejected' });

    // The other review becomes active, with the text that was typed in it.
    await text.getByText('by Qwen and me').waitFor();
    await byQwen.getByRole('button', { name: 'Accept' }).click();
    expect(await forQwen).toEqual({ kind: 'accepted', content: 'one\nby Qwen and me\n' });
  });
});
