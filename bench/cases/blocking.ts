import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpClient } from '../httpClient.js';
import { InstalledCommand } from '../installedCommand.js';
import { describe } from '../measure.js';
import { createScratch, type Scratch } from '../scratch.js';
import { makeText } from '../texts.js';

/** Every other agent waits while one task runs. */
const aimMs = 50;
/** The shortest of several runs: the longer ones also measure what else the machine does. */
const runs = 3;

type Control = Awaited<ReturnType<InstalledCommand['control']>>;
/** What is done, in this order, in a new command. */
type Steps = Readonly<Record<string, () => Promise<unknown>>>;

interface Stage {
  readonly command: InstalledCommand;
  readonly control: Control;
  readonly folder: string;
  connect(): Promise<HttpClient>;
}

/** The longest task of the installed command during each step of its most expensive work. */
export async function benchBlocking(_scratch: Scratch): Promise<void> {
  const line = (at: number): string => `const value${at} = "${(at * 7919) % 9973} some text here";`;
  const halfChanged = (hunks: number): readonly [string, string] => {
    const lines = Array.from({ length: 2 * hunks }, (_, at) => line(at));
    const changed = lines.map((each, at) => (at % 2 === 0 ? each : each.replace('some', 'other')));
    return [`${lines.join('\n')}\n`, `${changed.join('\n')}\n`];
  };
  const kinds = (step: number): string =>
    Array.from({ length: 60_000 }, (_, at) => `${((at * step + 7) % 1000).toString(36)}\n`).join('');
  const long = 'some text '.repeat(500_000);
  await measure('20,000 hunks', (stage) => reviewSteps(stage, ...halfChanged(20_000)));
  await measure('60,000 hunks', (stage) => reviewSteps(stage, ...halfChanged(60_000)));
  await measure('60,000 lines of 1,000 kinds', (stage) => reviewSteps(stage, kinds(7919), kinds(40_503)));
  await measure('a line of 5 MB', (stage) => reviewSteps(stage, `${long}\n`, `${long}changed\n`));
  await measure('5 MB in an encoding other than Unicode', encodedSteps);
  await measure('1,000 pending reviews', pendingSteps);
  await measure('1,000 decided reviews', decidedSteps);
  await measure('500 sessions', sessionSteps);
}

async function measure(what: string, stepsOf: (stage: Stage) => Steps | Promise<Steps>): Promise<void> {
  const longest = new Map<string, number[]>();
  for (let run = 0; run < runs; run += 1) {
    const scratch = createScratch();
    const command = await InstalledCommand.start(scratch);
    const clients: HttpClient[] = [];
    const connect = async (): Promise<HttpClient> => {
      const client = await HttpClient.connect(command.target('gemini'));
      clients.push(client);
      return client;
    };
    const stage = { command, control: await command.control(), folder: scratch.workspace, connect };
    const steps = await stepsOf(stage);
    await command.longestTask();
    for (const [name, step] of Object.entries(steps)) {
      await step();
      // What the step causes comes after its answer.
      await new Promise((resolve) => setTimeout(resolve, 200));
      longest.set(name, [...(longest.get(name) ?? []), await command.longestTask()]);
    }
    for (const client of clients) client.close();
    await command.stop();
    scratch.remove();
  }
  console.log(`\nthe longest task with ${what}: the shortest of ${runs} runs, aim: at most ${aimMs} ms`);
  for (const [name, values] of longest) console.log(describe({ name, values: [Math.min(...values)] }));
}

/** A review of one large text. */
async function reviewSteps(
  { control, folder, connect }: Stage,
  original: string,
  proposed: string,
): Promise<Steps> {
  const path = join(folder, 'large.ts');
  writeFileSync(path, original);
  const agent = await connect();
  const id = '1';
  const interrupted = async (): Promise<string> =>
    (await control.call('review.list', {})).find(({ state }) => state === 'interrupted')?.id ?? '';
  return {
    'the proposal': () => agent.callTool('openDiff', { filePath: path, newContent: proposed }),
    'the list': () => control.call('review.list', {}),
    'the review': () => control.call('review.show', { id }),
    'a hunk is dropped': () => control.call('review.hunk', { id, hunk: 0, isKept: false }),
    'an edit': () => control.call('review.edit', { id, content: `${proposed}typed\n` }),
    'the list after the edit': () => control.call('review.list', {}),
    // Refused if the edit is in the same lines.
    'a hunk of the edit is dropped': () =>
      control.call('review.hunk', { id, hunk: 1, isKept: false }).catch(() => undefined),
    'the file changes': async () => {
      appendFileSync(path, 'appended\n');
      // Refused, because of the change, or because the same lines changed.
      await control.call('review.accept', { id }).catch(() => undefined);
    },
    'it changes elsewhere': async () => {
      writeFileSync(path, `first\n${original}`);
      await control.call('review.accept', { id }).catch(() => undefined);
    },
    'the review is interrupted': () => agent.callTool('closeDiff', { filePath: path }),
    'it is shown': async () => control.call('review.show', { id: await interrupted() }),
    'it is applied': async () => {
      writeFileSync(path, `zero\nfirst\n${original}`);
      await control.call('review.apply', { id: await interrupted(), marksConflicts: true });
    },
    'its changes': async () => {
      writeFileSync(path, `zero\n${readFileSync(path, 'utf8')}`);
      await control.call('changes.list', {});
    },
    'that is undone': async () => {
      await control.call('changes.restore', { all: true, marksConflicts: true });
    },
    'another proposal': () => agent.callTool('openDiff', { filePath: path, newContent: proposed }),
    'a rejection': () => control.call('review.reject', { id: '2' }),
  };
}

/** A review of a file in an encoding other than Unicode. */
async function encodedSteps({ control, folder, connect }: Stage): Promise<Steps> {
  const path = join(folder, 'encoded.txt');
  const text = 'Größe, Straße und Übermut\n'.repeat(200_000);
  writeFileSync(path, text, 'latin1');
  const agent = await connect();
  const id = '1';
  return {
    'the proposal': () => agent.callTool('openDiff', { filePath: path, newContent: `${text}mehr\n` }),
    'the list': () => control.call('review.list', {}),
    'the review': () => control.call('review.show', { id }),
    'a rejection': () => control.call('review.reject', { id }),
  };
}

/** Returns the last of the agents. */
async function propose({ folder, connect }: Stage, count: number): Promise<HttpClient | undefined> {
  let agent: HttpClient | undefined;
  for (let at = 0; at < count; at += 1) {
    // A session may have 500 pending reviews and propose 200 changes a second.
    if (at % 200 === 0) agent = await connect();
    const filePath = join(folder, `${at}.ts`);
    const text = makeText(3_600);
    writeFileSync(filePath, text);
    await agent?.callTool('openDiff', { filePath, newContent: `${text}// ${at}\n` });
  }
  return agent;
}

/** Decides all reviews of all sessions. */
async function decideAll({ control }: Stage, decision: 'accept' | 'reject'): Promise<void> {
  for (const { id: session } of await control.call('session.list', {})) {
    await control.call('session.decide', { session, decision, answer: {} });
  }
}

async function pendingSteps(stage: Stage): Promise<Steps> {
  const { control } = stage;
  const agent = await propose(stage, 1_000);
  return {
    'the status': () => control.call('status', {}),
    'the list': () => control.call('review.list', {}),
    'the sessions': () => control.call('session.list', {}),
    'one more proposal': () => propose(stage, 1),
    'an agent with 200 of them ends': async () => agent?.end(),
    'all rejected': () => decideAll(stage, 'reject'),
  };
}

async function decidedSteps(stage: Stage): Promise<Steps> {
  const { control } = stage;
  await propose(stage, 1_000);
  await decideAll(stage, 'accept');
  return {
    'the list of all': () => control.call('review.list', { all: true }),
    'the sessions': () => control.call('session.list', {}),
    'the changes': () => control.call('changes.list', {}),
    'one more proposal': () => propose(stage, 1),
    'it is accepted': () => decideAll(stage, 'accept'),
    'all forgotten': () => control.call('changes.forget', {}),
  };
}

async function sessionSteps(stage: Stage): Promise<Steps> {
  const { control, folder, connect } = stage;
  const path = join(folder, 'open.ts');
  writeFileSync(path, 'one\ntwo\n');
  const position = { line: 1, character: 0 };
  // It loads what all connections need.
  await connect();
  return {
    '500 connections': async () => {
      for (let at = 0; at < 500; at += 1) await connect();
    },
    'the status': () => control.call('status', {}),
    'an event of the editor': () =>
      control.call('focus', { path, range: { start: position, end: position } }),
    'a proposal': () => propose(stage, 1),
    'the sessions': () => control.call('session.list', {}),
  };
}
