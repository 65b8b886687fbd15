import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectAgent } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();
const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\nfour\n';

it('a file leads to its review, edits are marked, and the status bar decides', async () => {
  const desk = await site.current.share({ 'a.txt': BEFORE });
  const { window } = desk;
  await desk.openFile('a.txt');
  await window.goTo(1, 1);
  const gemini = await connectAgent(desk.companion, 'gemini');
  const proposal = await gemini.propose(desk.path('a.txt'), PROPOSED);
  const note = '[aria-label*="Pending review of a change by Gemini CLI"]';
  const marked = window.tab('a.txt').filter({ has: window.page.locator(note) });
  await marked.waitFor();
  await window.titleButton('Show Pending Review').click();
  await window.diff.waitForLine('four');
  await window.diff.appendToLine('TWO', ' and mine');
  await window.diff.waitForNote('1 line differs from the proposal');
  const picture = join(import.meta.dirname, '../../test-results/pictures');
  await mkdir(picture, { recursive: true });
  await window.showReviews();
  await writeFile(join(picture, 'whileReviewing.png'), await window.page.screenshot());
  await window.statusItem('1 of 1').waitFor();
  await window.statusItem('Accept').click();
  expect(await desk.companion.outcomeOf(proposal.id)).toBe('accepted');
  await marked.waitFor({ state: 'detached' });
  await window.statusItem('Accept').waitFor({ state: 'detached' });
});
