import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type BenchPage, startBrowser } from '../browser.js';
import { compare, describe, type Samples, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { StreamedDaemon } from '../streamedDaemon.js';

const command = fileURLToPath(new URL('../../hosts/standalone/bin/tandem.js', import.meta.url));
const rounds = 60;

/**
 * A chat in the page: from an event on the daemon's wire to the frame that shows its text, in a conversation of ten
 * messages and in one of a thousand. That includes the companion, the page's socket and the drawing.
 */
export async function benchChat(scratch: Scratch): Promise<void> {
  const daemon = await StreamedDaemon.start(scratch.workspace);
  const served = await serve(scratch, daemon.url);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(served.url);
    await page.getByRole('button', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Alt+c');
    await page.getByRole('textbox', { name: 'Message to Qwen' }).waitFor();
    console.log('\na chat in the page');
    const answer = (turn: number): string => `Answer **${turn}**, with a list:\n\n- one\n- two\n`;
    daemon.turns(5, answer);
    const tenth = { name: 'an event to its text, message 10', values: await measure(daemon, page) };
    daemon.turns(495, answer);
    const thousandth = { name: 'an event to its text, message 1,000', values: await measure(daemon, page) };
    for (const samples of [tenth, thousandth]) console.log(describe(samples));
    console.log(compare(thousandth, tenth, 1.5));
  } finally {
    await browser.close();
    await served.stop();
    await daemon.close();
  }
}

/** One turn whose answer arrives in parts, each after the frame that showed the previous part. */
async function measure(daemon: StreamedDaemon, page: BenchPage): Promise<Samples['values']> {
  const values: number[] = [];
  daemon.beginTurn('Measure');
  for (let round = -10; round < rounds; round += 1) {
    const mark = `mark-${values.length}-${round}.`;
    // The page waits before the event is sent, so only the delivery of the event is measured.
    const isShown = page.evaluate(shown(mark));
    await page.evaluate('0');
    const took = await timed(async () => {
      daemon.chunk(` ${mark}`);
      await isShown;
    });
    if (round >= 0) values.push(took);
  }
  daemon.endTurn();
  return values;
}

/** Resolves when the text is in the conversation and a frame with it was drawn. */
function shown(text: string): string {
  return `new Promise((resolve) => {
    const list = document.querySelector('[data-chat-scroller]') ?? document.body;
    const look = () => {
      if (!list.textContent.includes(${JSON.stringify(text)})) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(resolve, 0));
    };
    const observer = new MutationObserver(look);
    observer.observe(list, { subtree: true, childList: true, characterData: true });
    look();
  })`;
}

async function serve({ workspace, env }: Scratch, daemon: string) {
  const child = spawn(process.execPath, [command, 'serve', workspace, '--json', '--daemon', daemon], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const first = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', (code) => reject(new Error(`tandem serve ended with code ${code}.`)));
  });
  // The command belongs to this checkout; its first line is `ready`.
  const ready = JSON.parse(first) as { page: { url: string } };
  return {
    url: ready.page.url,
    stop: () => {
      child.kill();
      return ended;
    },
  };
}
