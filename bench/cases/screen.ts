import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchTerminal } from '../benchTerminal.js';
import { commandFile } from '../commandFile.js';
import { HttpClient } from '../httpClient.js';
import { InstalledCommand } from '../installedCommand.js';
import { compare, describe, describeValue, median, type Samples, takeTurns } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { changeText, makeText } from '../texts.js';

/** What the last line of the full-screen review always ends with. */
const footer = /Quit/;
const firstPaintLimitMs = 300;
const keyLimitMs = 30;
const memoryLimitMb = 60;
const changedLines = 20_000;
const keys = [
  ['a line down', 'j'],
  ['the next change', 'n'],
  ['a page down', '\u001b[6~'],
  ['the other layout', 'v'],
] as const;

/** `tandem review` in a terminal: its first picture, a key in a large diff, and its memory. */
export async function benchScreen(scratch: Scratch): Promise<void> {
  const command = await InstalledCommand.start(scratch);
  const agent = await HttpClient.connect(command.target('gemini'));
  const propose = async (name: string, before: string, newContent: string): Promise<void> => {
    const filePath = join(scratch.workspace, name);
    writeFileSync(filePath, before);
    await agent.callTool('openDiff', { filePath, newContent });
  };
  try {
    const text = makeText(3_600);
    await propose('small.ts', text, changeText(text, 1));
    const samples = await takeTurns(
      {
        'tandem review, to its first picture': () => firstPicture(scratch),
        'tandem --version': () => version(scratch),
      },
      { rounds: 20, warmUp: 2 },
    );
    const [review, bare] = Object.values(samples);
    if (review === undefined || bare === undefined) return;
    console.log('\na full-screen review in a terminal of 120 x 40');
    for (const each of [review, bare]) console.log(describe(each));
    console.log(compare(review, bare, 1.5));
    console.log(describeValue('the first picture', median(review), 'ms', firstPaintLimitMs));
    const bareMemory = await mostMemory(scratch, ['--version']);
    const openAndLeave = async (terminal: BenchTerminal): Promise<void> => {
      await terminal.until(footer);
      terminal.type('q');
    };
    const memory = await mostMemory(scratch, ['review'], openAndLeave);
    console.log(describeValue('memory beyond tandem --version', memory - bareMemory, 'MiB', memoryLimitMb));

    const lines = Array.from({ length: 2 * changedLines }, (_, at) => `export const value${at} = f(${at});`);
    const changed = lines.map((line, at) => (at % 2 === 0 ? `${line} // changed` : line));
    await (await command.control()).call('review.reject', { id: '1' });
    await propose('large.ts', `${lines.join('\n')}\n`, `${changed.join('\n')}\n`);
    console.log(`a key in a diff with ${changedLines} changed lines, until it is on the screen`);
    const terminal = new BenchTerminal([commandFile(), 'review'], cwdOf(scratch));
    await terminal.until(footer);
    await terminal.until(/value0/);
    for (const [name, key] of keys) {
      const taken = { ...(await timeKeys(terminal, key)), name };
      console.log(describe(taken));
      console.log(describeValue(`${name}, median`, median(taken), 'ms', keyLimitMs));
    }
    await leave(terminal);
  } finally {
    agent.close();
    await command.stop();
  }
}

const cwdOf = ({ workspace, env }: Scratch) => ({ cwd: workspace, env });

async function firstPicture(scratch: Scratch): Promise<number> {
  const terminal = new BenchTerminal([commandFile(), 'review'], cwdOf(scratch));
  const { at } = await terminal.until(footer);
  await leave(terminal);
  return at - terminal.startedAt;
}

async function version(scratch: Scratch): Promise<number> {
  const terminal = new BenchTerminal([commandFile(), '--version'], cwdOf(scratch));
  const { at } = await terminal.until(/\d\.\d/);
  await terminal.ended;
  return at - terminal.startedAt;
}

function leave(terminal: BenchTerminal): Promise<void> {
  terminal.type('q');
  return terminal.ended;
}

/** Prints the most memory that the process had, in KiB, when it ends. */
const reportMemory =
  'data:text/javascript,process.on("exit",()=>console.log("KiB:"+process.resourceUsage().maxRSS+";"))';

/** The most memory that a command has until it ends, in MiB. `run`: what a user does meanwhile. */
async function mostMemory(
  scratch: Scratch,
  args: readonly string[],
  run: (terminal: BenchTerminal) => Promise<unknown> = async () => {},
): Promise<number> {
  const terminal = new BenchTerminal(['--import', reportMemory, commandFile(), ...args], cwdOf(scratch));
  await run(terminal);
  const { found } = await terminal.until(/KiB:\d+;/);
  await terminal.ended;
  return Number(found.replace(/\D/g, '')) / 1024;
}

/** From a key to what it writes to the terminal, in milliseconds. Each key waits for the picture of the one before. */
async function timeKeys(terminal: BenchTerminal, key: string): Promise<Samples> {
  const values: number[] = [];
  for (let count = -5; count < 40; count += 1) {
    const startedAt = performance.now();
    terminal.type(key);
    // The end of a picture.
    const { at } = await terminal.until(/\[\?2026l/);
    if (count >= 0) values.push(at - startedAt);
  }
  return { name: key, values };
}
