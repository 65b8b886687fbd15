import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { connectAgent } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const pictures = join(import.meta.dirname, '../../test-results/pictures');
const site = useSite();

/** Longer than a line of the diff. */
const folder = 'packages/a-package-with-a-long-name/templates/a-folder-with-a-long-name';
const lines = Array.from({ length: 200 }, (_, index) => `VALUE_${index}=1\n`);
const sentences = [
  'This file is hidden from the agent: it matches the deny list (.env*).',
  'The agent may not have seen it; accepting may overwrite your secrets.',
  'This file is a program that can be run.',
];

it('warnings are whole sentences above the first change, and short rows in a narrow list', async () => {
  const name = `${folder}/.env`;
  const settings = { 'workbench.colorTheme': 'Default Dark Modern' };
  const desk = await site.current.share({ [name]: lines.join('') }, settings);
  const { window, companion } = desk;
  const { page } = window;
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width: 1280, height: 800 });
  const terminal = await window.openTerminal();
  await terminal.run(`chmod +x ${desk.path(name)}`);
  const gemini = await connectAgent(companion, 'gemini');
  await gemini.propose(desk.path(name), lines.with(150, 'VALUE_150=2\n').join(''));
  // The first change is far below the first line.
  const thread = window.diff.warnings;
  await thread.waitFor();
  for (const text of sentences) expect(await thread.textContent()).toContain(text);
  expect((await thread.textContent())?.replaceAll('\u200b', '')).toContain(`${folder}/.env`);
  await expectWhole(thread.locator('.author'), thread);
  // VS Code shows comments in a view over the terminal, and counts them there.
  expect(await terminal.hasFocus()).toBe(true);

  await window.showReviews();
  const sash = page.locator('.monaco-sash.vertical:not(.disabled)');
  await narrow(sash, 300);
  for (const title of ['Program', 'Hidden from the agent']) {
    const row = window.treeRow(title);
    await row.waitFor();
    await expectWhole(row.locator('.monaco-icon-label-container'), row);
  }
  await window.hover(window.treeRow('Hidden from the agent'), sentences[0] ?? '');
  await mkdir(pictures, { recursive: true });
  await writeFile(join(pictures, 'warnings.png'), await page.screenshot());
  await narrow(sash, 350);
  await page.setViewportSize({ width, height });
});

/** Fails if a part of a text is outside of an element. */
async function expectWhole(text: Locator, within: Locator): Promise<void> {
  const [inner, outer] = [await text.boundingBox(), await within.boundingBox()];
  if (inner === null || outer === null) throw new Error('it is not drawn');
  expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
  expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height);
  const hidden = await text.evaluate(({ scrollWidth, clientWidth }) =>
    clientWidth === 0 ? 0 : scrollWidth - clientWidth,
  );
  expect(hidden).toBeLessThanOrEqual(0);
}

/** Drags the edge of the side bar there. */
async function narrow(sashes: Locator, to: number): Promise<void> {
  const page = sashes.page();
  for (const sash of await sashes.all()) {
    const box = await sash.boundingBox();
    if (box === null || box.x < 150 || box.x > 400) continue;
    await page.mouse.move(box.x + box.width / 2, 400);
    await page.mouse.down();
    await page.mouse.move(to, 400, { steps: 4 });
    await page.mouse.up();
    return;
  }
  throw new Error('the side bar has no edge');
}
