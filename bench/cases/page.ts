import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  type BenchBrowser,
  type BenchPage,
  measureTyping,
  startBrowser,
  type TypingCost,
} from '../browser.js';
import { HttpClient } from '../httpClient.js';
import { compare, describe, type Samples } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { makeText } from '../texts.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const viewport = { width: 1400, height: 900 };
const keys = 'abcdefghij klmno'.repeat(4);
/** The limit of each task of the page while the user types. */
const taskLimitMs = 100;

/**
 * Typing in the page: from a key to the frame that shows it, compared with a bare CodeMirror with the same text in the
 * same browser, and the longest task of the page.
 */
export async function benchPage(scratch: Scratch): Promise<void> {
  const sizes = fillWorkspace(scratch.workspace);
  const served = await serve(scratch);
  const bare = await serveBareEditor();
  const browser = await startBrowser();
  const agent = await HttpClient.connect(served.agent);
  try {
    const open = async (): Promise<BenchPage> => {
      const page = await browser.newPage({ viewport });
      await page.goto(served.page);
      await page.getByRole('treeitem', { name: /^many/ }).waitFor();
      return page;
    };
    for (const name of ['large.diff.ts', ...Array.from({ length: 49 }, (_, at) => `pending-${at}.ts`)]) {
      const newContent = name === 'large.diff.ts' ? sizes.proposed : `${makeText(3_600)}// more\n`;
      await agent.callTool('openDiff', { filePath: join(scratch.workspace, name), newContent });
    }

    console.log('\ntyping in the page, with 2,000 files in the tree and 50 pending reviews');
    const review = await open();
    await review.getByRole('button', { name: /^large\.diff\.ts/ }).click();
    const proposal = review.getByRole('textbox', { name: 'Proposal: large.diff.ts' });
    await proposal.waitFor();
    await proposal.locator('.cm-line').nth(3).click();
    report('in a diff of 20,000 lines', await measureTyping(review, keys), {
      floor: 'in a bare MergeView',
      cost: await measureBare(browser, bare.url, { original: sizes.original, text: sizes.proposed }),
    });
    await review.close();

    const file = await open();
    await file.getByRole('treeitem', { name: /^many/ }).click();
    await file.getByRole('treeitem', { name: /^file-0\.ts/ }).waitFor();
    await file.getByRole('treeitem', { name: /^many/ }).click();
    await file.getByRole('treeitem', { name: /^five\.ts/ }).click();
    const text = file.getByRole('textbox', { name: /five\.ts$/ });
    await text.waitFor();
    await text.locator('.cm-line').nth(3).click();
    report('in a file of 5 MB', await measureTyping(file, keys), {
      floor: 'in a bare editor',
      cost: await measureBare(browser, bare.url, { text: sizes.five }),
    });
    await file.close();
  } finally {
    agent.close();
    await browser.close();
    bare.close();
    await served.stop();
  }
}

interface BareTexts {
  readonly original?: string;
  readonly text: string;
}

async function measureBare(browser: BenchBrowser, url: string, texts: BareTexts): Promise<TypingCost> {
  const page = await browser.newPage({ viewport });
  await page.addInitScript({ content: `window.bareEditorTexts = ${JSON.stringify(texts)}` });
  await page.goto(url);
  const editor = page.locator('.cm-content').last();
  await editor.waitFor();
  await editor.locator('.cm-line').nth(3).click();
  const cost = await measureTyping(page, keys);
  await page.close();
  return cost;
}

function report(name: string, ours: TypingCost, { floor, cost }: { floor: string; cost: TypingCost }): void {
  const samples: Samples = { name, values: ours.frames };
  const bare: Samples = { name: floor, values: cost.frames };
  console.log(describe(samples));
  console.log(describe(bare));
  console.log(compare(samples, bare));
  for (const [label, { longestTask }] of [
    [name, ours],
    [floor, cost],
  ] as const) {
    const said = longestTask === 0 ? 'under 50' : longestTask.toFixed(0);
    console.log(
      `  ${`longest task ${label}`.padEnd(44)} ${said.padStart(8)} ms   aim: at most ${taskLimitMs}`,
    );
  }
}

/** 2,000 files in one folder, the files with proposals, and a file of 5 MB. */
function fillWorkspace(workspace: string): { original: string; proposed: string; five: string } {
  mkdirSync(join(workspace, 'many'));
  for (let at = 0; at < 2_000; at += 1) writeFileSync(join(workspace, 'many', `file-${at}.ts`), '\n');
  for (let at = 0; at < 49; at += 1) writeFileSync(join(workspace, `pending-${at}.ts`), makeText(3_600));
  const five = makeText(5_000_000);
  writeFileSync(join(workspace, 'five.ts'), five);
  const lines = Array.from({ length: 40_000 }, (_, at) => `export const value${at} = compute(${at});`);
  const original = `${lines.join('\n')}\n`;
  // Every second line, so that there are 20,000 separate changes.
  const proposed = `${lines.map((line, at) => (at % 2 === 0 ? `${line} // changed` : line)).join('\n')}\n`;
  writeFileSync(join(workspace, 'large.diff.ts'), original);
  return { original, proposed, five };
}

export interface Served {
  readonly page: string;
  readonly agent: { readonly port: number; readonly token: string };
  stop(): Promise<void>;
}

/** The real command on the workspace, until `stop`. */
export async function serve({ workspace, env }: Scratch): Promise<Served> {
  const command = `${root}hosts/standalone/bin/tandem.js`;
  const child = spawn(process.execPath, [command, 'serve', workspace, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const first = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`tandem serve ended with code ${code}.`)));
  });
  // The command belongs to this checkout; its first line is `ready`.
  const ready = JSON.parse(first) as {
    page: { url: string };
    agents: { gemini: { url: string; token: string } };
  };
  const { url, token } = ready.agents.gemini;
  return {
    page: ready.page.url,
    agent: { port: Number(new URL(url).port), token },
    stop: () => {
      child.kill();
      return ended;
    },
  };
}

/** A bare CodeMirror on its own page. */
async function serveBareEditor(): Promise<{ readonly url: string; close(): void }> {
  const { outputFiles } = await build({
    entryPoints: [`${root}packages/page/bench/bareEditor.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
  });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer((request, response) => {
    const isScript = request.url === '/bareEditor.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? script : '<!doctype html><body><script src="/bareEditor.js"></script></body>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
