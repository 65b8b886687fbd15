import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCompanions, thisMachine } from '@tandem/companion/control';
import { type BenchBrowser, startBrowser } from '../browser.js';
import { HttpClient } from '../httpClient.js';
import { compare, describe, type Samples, takeTurns } from '../measure.js';
import { createScratch, type Scratch } from '../scratch.js';
import { makeText } from '../texts.js';
import { serve } from './page.js';

type ServedCommand = Awaited<ReturnType<typeof serve>>;

const viewport = { width: 1400, height: 900 };
const [many, few] = [500, 5];
/** The longest time until the page of many files is drawn, in milliseconds. */
const aimMs = 1_000;

/**
 * The changes of a session in the page: from the key until the list of all files and the first diff are drawn. Compared with
 * a session of a few files.
 */
export async function benchChanges(scratch: Scratch): Promise<void> {
  const other = createScratch();
  const browser = await startBrowser();
  const served: ServedCommand[] = [];
  try {
    const open = async (of: Scratch, count: number): Promise<() => Promise<number>> => {
      const command = await serve(of);
      served.push(command);
      await acceptChanges(of, command, count);
      return () => measureView(browser, command.page, count);
    };
    console.log('\nthe changes of a session in the page, until the first diff is drawn');
    const samples = await takeTurns(
      { [`${many} files`]: await open(scratch, many), [`${few} files`]: await open(other, few) },
      { rounds: 7, warmUp: 1 },
    );
    const [ours, theirs] = [`${many} files`, `${few} files`].map(
      (name): Samples => samples[name] ?? { name, values: [] },
    );
    if (ours === undefined || theirs === undefined) return;
    console.log(`${describe(ours)}  aim: at most ${aimMs}`);
    console.log(describe(theirs));
    console.log(compare(ours, theirs));
  } finally {
    await browser.close();
    for (const { stop } of served) await stop();
    other.remove();
  }
}

/** An agent changes this many files; the user accepts each change. */
async function acceptChanges(
  { workspace, env }: Scratch,
  { agent: at }: ServedCommand,
  count: number,
): Promise<void> {
  const companion = (await findCompanions({ ...thisMachine(), env })).find(({ workspaceFolders }) =>
    workspaceFolders.includes(workspace),
  );
  if (companion === undefined) throw new Error('The companion is not to be found.');
  const agent = await HttpClient.connect(at);
  const before = makeText(3_600);
  mkdirSync(join(workspace, 'src'));
  try {
    for (let number = 0; number < count; number += 1) {
      // A session may propose 200 changes in a second.
      if (number % 150 === 149) await new Promise((resolve) => setTimeout(resolve, 1_000));
      const path = join(workspace, 'src', `file-${number}.ts`);
      writeFileSync(path, before);
      const newContent = `// changed\n${before}// the end\n`;
      await agent.callTool('openDiff', { filePath: path, newContent });
      const [review] = (await companion.client.call('status', {})).reviews;
      await companion.client.call('review.accept', { id: review?.id ?? '' });
      writeFileSync(path, newContent);
    }
  } finally {
    agent.close();
  }
}

async function measureView(browser: BenchBrowser, url: string, count: number): Promise<number> {
  const page = await browser.newPage({ viewport });
  try {
    await page.goto(url);
    await page.getByRole('button', { name: /^Changes$/ }).waitFor();
    return Number(await page.evaluate(untilDrawn(count)));
  } finally {
    await page.close();
  }
}

/** A script that presses the button, and resolves to the milliseconds until all files and a diff are drawn. */
function untilDrawn(count: number): string {
  return `new Promise((resolve) => {
    const buttons = [...document.querySelectorAll('button')];
    const startedAt = performance.now();
    buttons.find(({ textContent }) => textContent === 'Changes').click();
    const look = () => {
      const isThere = document.querySelectorAll('[data-file]').length === ${count}
        && document.querySelector('[aria-label^="Now: "] .cm-line') !== null;
      if (!isThere) return requestAnimationFrame(look);
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve(performance.now() - startedAt);
      requestAnimationFrame(() => channel.port2.postMessage(undefined));
    };
    look();
  })`;
}
