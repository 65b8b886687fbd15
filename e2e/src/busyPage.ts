import type { Locator } from 'playwright-core';
import { connectClaudeAgent, connectHttpAgent } from './mcpAgents.js';
import { ReviewPage } from './reviewPage.js';
import { Stage } from './stage.js';

/** The content of `notes.txt` on disk, with unusual whitespace and line endings. */
export const notes = '\uFEFFfirst\r\nsecond\r\n';

/**
 * A page with unsaved input: ` of mine` is typed after the first line of `notes.txt`, and after the proposed line of
 * the active review of `src/a.txt`. A proposal of Claude Code does not survive its companion; a session of Gemini CLI
 * does.
 */
export async function busyPage(kind: 'claude' | 'gemini' = 'claude') {
  const stage = await Stage.open();
  await stage.put('notes.txt', notes);
  const path = await stage.put('src/a.txt', 'one\ntwo\n');
  const agent =
    kind === 'claude' ? await connectClaudeAgent(stage.tandem) : await connectHttpAgent(stage.tandem, kind);
  const page = await ReviewPage.open(stage.tandem);
  const document = await page.openFile('notes.txt');
  await document.getByText('first').click();
  await page.page.keyboard.press('End');
  await page.page.keyboard.type(' of mine');
  await page.page.getByRole('tab', { name: 'notes.txt, unsaved changes' }).waitFor();
  const { id, answer } = await agent.propose(path, 'one\nTWO\n');
  const review = await page.openReview('src/a.txt');
  await review.getByText('TWO').click();
  await page.page.keyboard.press('End');
  await page.page.keyboard.type(' of mine');
  await page.waiting('src/a.txt').filter({ hasText: 'Edited' }).waitFor();
  return { stage, page, id, answer, document, review };
}

/** The texts of interrupted reviews. */
export function keptTexts({ page }: ReviewPage): Locator {
  return page.getByRole('region', { name: 'Interrupted reviews' }).getByRole('listitem');
}

/** The notice that reports what a restart did. */
export function messageBar({ page }: ReviewPage): Locator {
  return page.getByRole('region', { name: 'Message', exact: true });
}

/** The notice that the companion is gone. */
export function connectionBar({ page }: ReviewPage): Locator {
  return page.getByRole('region', { name: 'Connection' });
}
