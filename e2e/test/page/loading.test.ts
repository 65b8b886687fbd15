import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { openTab, pageAddress, useBrowser } from '../../src/browser.js';
import { connectHttpAgent } from '../../src/mcpAgents.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

const limit = 400_000;

describe('loading the page', () => {
  it('takes less than 400 KB of JavaScript until the text of a first review is shown', async () => {
    const stage = await Stage.open();
    const path = await stage.put('src/a.ts', 'const a = 1;\n');
    const agent = await connectHttpAgent(stage.tandem, 'gemini');
    await agent.propose(path, 'const a = 2;\n');
    const page = await openTab({ isAlone: true });
    const scripts = watchScripts(page);
    await page.goto(pageAddress(stage.tandem));
    const text = page.getByRole('textbox', { name: 'Proposal: src/a.ts' });
    // A word in its own element is highlighted, so the size includes its language.
    await text.getByText('const', { exact: true }).waitFor();
    const bodies = await Promise.all(scripts.map((script) => script.body()));
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(limit);
  });

  it('fetches a language once, when a file needs it', exhaustive, async () => {
    const stage = await Stage.open();
    await stage.put('plain.txt', 'class Zero: pass\n');
    await stage.put('one.py', 'class One: pass\n');
    await stage.put('two.py', 'class Two: pass\n');
    const page = await openTab({ isAlone: true });
    const scripts = watchScripts(page);
    await page.goto(pageAddress(stage.tandem));
    /** Opens a file and waits until a word of its text is highlighted, that is, in its own element. */
    const open = async (name: string, part: string): Promise<void> => {
      await page.getByRole('treeitem', { name }).click();
      await page
        .getByRole('textbox', { name: `Text of ${name}` })
        .getByText(part, { exact: true })
        .waitFor();
    };
    await open('plain.txt', 'class Zero: pass');
    const plain = scripts.length;
    await open('one.py', 'class');
    const python = scripts.length;
    expect(python).toBeGreaterThan(plain);
    await open('two.py', 'class');
    expect(scripts.length).toBe(python);
  });
});

describe('a page with a lot of content', () => {
  it('renders few rows of a tree of 2,000 files, and reaches all of them', exhaustive, async () => {
    const stage = await Stage.open();
    const names = Array.from({ length: 2_000 }, (_, index) => `file ${String(index).padStart(4, '0')}.txt`);
    await Promise.all(names.map((name) => stage.put(name, `${name}\n`)));
    const page = await ReviewPage.open(stage.tandem);
    await page.treeItem('file 0000.txt').waitFor();
    const rows = page.tree.getByRole('treeitem');
    expect(await rows.count()).toBeLessThan(100);
    expect(await page.treeItem('file 0000.txt').getAttribute('aria-setsize')).toBe('2000');
    await page.tree.focus();
    await page.page.keyboard.press('End');
    await page.treeItem('file 1999.txt').waitFor();
    await page.page.keyboard.press('Enter');
    await page.document('file 1999.txt').getByText('file 1999.txt').waitFor();
    expect(await rows.count()).toBeLessThan(100);
    await page.openFile('file 1234.txt');
  });

  it('shows 50 pending reviews, and decides one after the other', exhaustive, async () => {
    const stage = await Stage.open();
    const agent = await connectHttpAgent(stage.tandem, 'qwen');
    const names = Array.from({ length: 50 }, (_, index) => `file ${String(index).padStart(2, '0')}.txt`);
    const answers: Promise<unknown>[] = [];
    for (const name of names) {
      const { answer } = await agent.propose(await stage.put(name, 'before\n'), `after ${name}\n`);
      answers.push(answer);
    }
    const page = await ReviewPage.open(stage.tandem);
    await page.queue.nth(49).waitFor();
    expect(await page.page.title()).toBe('(50) Tandem - workspace');
    for (const [index, name] of names.slice(0, 3).entries()) {
      await page.proposal(name).getByText(`after ${name}`).waitFor();
      await page.accept(name);
      expect(await answers[index]).toEqual({ kind: 'accepted', content: `after ${name}\n` });
    }
    await page.proposal('file 03.txt').waitFor();
    await page.page.waitForFunction(() => document.title.startsWith('(47)'));
  });
});

/** Every script that the page requests from now on. */
function watchScripts(page: Page): Response[] {
  const scripts: Response[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) scripts.push(response);
  });
  return scripts;
}
