import { join } from 'node:path';
import * as z from 'zod';
import { startBrowser } from '../browser.js';
import { HttpClient } from '../httpClient.js';
import { describe, describeValue, median, type Samples } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { serve } from './page.js';

const listed = 500;
/** The limit for showing the list of all pending reviews, in milliseconds. */
const listLimitMs = 200;

/** The pending reviews of a session in the page: from the click that shows them to the frame. */
export async function benchList(scratch: Scratch): Promise<void> {
  const browser = await startBrowser();
  const served = await serve(scratch);
  const agent = await HttpClient.connect(served.agent);
  try {
    for (let at = 0; at < listed; at += 1) {
      const filePath = join(scratch.workspace, `file-${at}.ts`);
      // A session may propose 200 changes in a second.
      if (at % 150 === 149) await new Promise((resolve) => setTimeout(resolve, 1_000));
      await agent.callTool('openDiff', { filePath, newContent: `// ${at}\n` });
    }
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(served.page);
    await page.getByRole('button', { name: /file-499\.ts/ }).waitFor();
    // The first ones include compilation.
    const values = z
      .array(z.number())
      .parse(await page.evaluate(measureList))
      .slice(2);
    console.log(`\nthe queue of the page, with ${listed} pending reviews`);
    const samples: Samples = { name: `list of ${listed} reviews of a session`, values };
    console.log(describe(samples));
    console.log(describeValue(samples.name, median(samples), 'ms', listLimitMs));
    await page.close();
  } finally {
    agent.close();
    await browser.close();
    await served.stop();
  }
}

/** Hides and shows the largest session of the queue. A message posted during a frame is handled after that frame is drawn. */
const measureList = `(async () => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(undefined);
  }));
  const lists = [...document.querySelectorAll('ul[aria-label^="Pending reviews"]')];
  const list = lists.sort((one, other) => other.children.length - one.children.length)[0];
  const toggle = document.querySelector('[aria-controls="' + list.id + '"]');
  const taken = [];
  for (let round = 0; round < 12; round += 1) {
    toggle.click();
    await drawn();
    const startedAt = performance.now();
    toggle.click();
    await drawn();
    taken.push(performance.now() - startedAt);
    if (list.children.length === 0) throw new Error('The list is empty.');
    // The rows below the visible ones follow.
    while (list.children.length < ${listed}) await drawn();
  }
  return taken;
})()`;
