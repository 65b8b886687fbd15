import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { compare, describe, describeValue, median, type Samples, takeTurns, timed } from '../measure.js';
import { editorPrograms, processesBelow, RealEditor } from '../realEditor.js';
import type { Scratch } from '../scratch.js';
import { ScriptedEditor } from '../scriptedEditor.js';
import { changeText, makeText } from '../texts.js';
import { WebSocketClient } from '../webSocketClient.js';

/** How long the companion waits for further changes of the context. */
const debounceMs = 50;
/** Longer than the debounce and an answer. */
const quietMs = 150;
const tabName = 'bench';
const ownDiff = 'a diff of its own';
const fileCount = 101;
const keys = 50;

/** What is measured, and the aim in milliseconds. */
const aims = {
  'a snapshot of 101 files': 10,
  'a key, until the agent has the selection': debounceMs + 60,
  'openDiff, until the diff is shown': 100,
  'an acceptance, until the agent has the answer': 50,
  'a withdrawal, until the view is closed': 50,
} as const;

/** An editor and what its user does. */
interface Subject {
  readonly name: string;
  readonly port: number;
  /** How long the editor takes for a snapshot. */
  readonly snapshot: () => Promise<number>;
  /** Selects nothing. */
  readonly begin: () => Promise<unknown>;
  /** Moves the cursor and selects. */
  readonly press: () => void;
  /** The view is on the screen, and with it the end of a review that it shows. */
  readonly shown: () => Promise<unknown>;
  readonly closed: () => Promise<unknown>;
  readonly accept: () => void;
  readonly stop: () => Promise<void>;
  /** How long the editor takes to show a diff by itself. */
  readonly native?: () => Promise<number>;
  /** Differs once it has started a process. */
  readonly processes?: () => string;
}

interface Agent {
  /** The text of a call, prepared before the measurement. */
  readonly prepare: (tool: string, args: object) => string;
  readonly exchange: (text: string) => Promise<string>;
  /** Resolves when it receives the next selection. */
  readonly selected: () => Promise<void>;
  /** Resolves when it has received what is on the way. */
  readonly quiet: () => Promise<void>;
  readonly close: () => void;
}

/** A program that reads the messages of an editor and does nothing else. */
const echo = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: null }) + '\\n');
});`;

/** `tandem editor` with a scripted editor, Neovim and Emacs: from an action in the one program to what the other receives. */
export async function benchEditor(scratch: Scratch): Promise<void> {
  const original = makeText(36_000);
  const names = Array.from({ length: fileCount }, (_, at) => (at === 0 ? 'a.ts' : `${at}.ts`));
  for (const name of names) writeFileSync(join(scratch.workspace, name), original);
  const bare = await ScriptedEditor.start(scratch, ['--eval', echo]);
  const subjects = [await scriptedSubject(scratch, names, original)];
  for (const program of editorPrograms) {
    try {
      subjects.push(await realSubject(program, scratch));
    } catch (error) {
      console.log(`\n${program.name} is not measured: ${error instanceof Error ? error.message : error}`);
    }
  }
  const contenders: Record<string, () => Promise<number>> = {};
  const agents = await Promise.all(subjects.map((subject) => connectAgent(subject.port, scratch)));
  for (const [index, subject] of subjects.entries()) {
    const agent = agents[index] as Agent;
    if (subject.native) contenders[`${subject.name}: ${ownDiff}`] = subject.native;
    for (const [what, measure] of Object.entries(
      measuresOf(subject, agent, join(scratch.workspace, 'a.ts'), original),
    ))
      contenders[`${subject.name}: ${what}`] = measure;
  }
  const snapshot = {
    openFiles: names.map((name) => ({ path: join(scratch.workspace, name), isDirty: true })),
  };
  contenders['a bare program: a snapshot of 101 files'] = () =>
    timed(() => bare.call('context/changed', snapshot));
  try {
    const samples = await takeTurns(contenders, { rounds: 12, warmUp: 3 });
    console.log('\ntandem editor with Claude Code; ratios to a scripted editor beside it');
    for (const each of Object.values(samples)) console.log(describe(each));
    const scripted = (what: string): Samples => samples[`scripted: ${what}`] as Samples;
    for (const { name } of subjects)
      for (const [what, aim] of Object.entries(aims)) {
        const found = samples[`${name}: ${what}`] as Samples;
        console.log(describeValue(found.name, median(found), 'ms', aim));
        if (name !== 'scripted') console.log(compare(found, scripted(what)));
        const own = samples[`${name}: ${ownDiff}`];
        if (own && what.startsWith('openDiff')) console.log(compare(found, own));
      }
    const [first] = Object.keys(aims);
    console.log(
      compare(scripted(first ?? ''), samples['a bare program: a snapshot of 101 files'] as Samples),
    );
    for (const [index, subject] of subjects.entries())
      if (subject.processes !== undefined) await countProcesses(subject, agents[index] as Agent);
  } finally {
    for (const agent of agents) agent.close();
    for (const subject of [...subjects, bare]) await subject.stop();
  }
}

/** The same measures for each editor. */
function measuresOf(
  subject: Subject,
  agent: Agent,
  path: string,
  original: string,
): Record<keyof typeof aims, () => Promise<number>> {
  let turn = 0;
  const openDiff = (): string => {
    turn += 1;
    const paths = { old_file_path: path, new_file_path: path };
    return agent.prepare('openDiff', {
      ...paths,
      new_file_contents: changeText(original, turn),
      tab_name: tabName,
    });
  };
  /** Returns the answer, which has not arrived yet. */
  const propose = async (): Promise<{ readonly answer: Promise<string> }> => {
    const [request, shown] = [openDiff(), subject.shown()];
    const answer = agent.exchange(request);
    await shown;
    return { answer };
  };
  const withdrawn = async (): Promise<number> => {
    const [request, closed] = [agent.prepare('close_tab', { tab_name: tabName }), subject.closed()];
    const taken = await timed(() => {
      void agent.exchange(request);
      return closed;
    });
    // Both calls have their answers.
    await agent.quiet();
    return taken;
  };
  return {
    'a snapshot of 101 files': () => subject.snapshot(),
    'a key, until the agent has the selection': async () => {
      await subject.begin();
      await agent.quiet();
      const selected = agent.selected();
      const taken = await timed(() => {
        subject.press();
        return selected;
      });
      await subject.begin();
      await agent.quiet();
      return taken;
    },
    'openDiff, until the diff is shown': async () => {
      const taken = await timed(propose);
      await withdrawn();
      return taken;
    },
    'an acceptance, until the agent has the answer': async () => {
      const { answer } = await propose();
      const closed = subject.closed();
      const taken = await timed(() => {
        subject.accept();
        return answer;
      });
      await closed;
      return taken;
    },
    'a withdrawal, until the view is closed': async () => {
      await propose();
      return withdrawn();
    },
  };
}

async function scriptedSubject(
  scratch: Scratch,
  names: readonly string[],
  original: string,
): Promise<Subject> {
  const editor = await ScriptedEditor.start(scratch);
  const path = join(scratch.workspace, 'a.ts');
  let turn = 0;
  let id = '';
  const select = (): object => {
    turn += 1;
    const range = { start: { line: 0, character: 0 }, end: { line: 300, character: turn % 20 } };
    const selection = { range, text: changeText(original, turn).slice(0, 9_000) };
    return {
      openFiles: names.map((name, at) => ({
        path: join(scratch.workspace, name),
        isDirty: at % 2 === 0,
        languageId: 'typescript',
        ...(at === 0 && { selection }),
      })),
      activePath: path,
    };
  };
  return {
    name: 'scripted',
    port: editor.port,
    snapshot: () => timed(() => editor.call('context/changed', select())),
    begin: async () => {},
    press: () => void editor.call('context/changed', select()),
    async shown() {
      id = (await editor.next('review/show')).review?.id ?? '';
    },
    closed: () => editor.next('review/close'),
    accept: () => void editor.call('review/accept', { id }),
    stop: () => editor.stop(),
  };
}

async function realSubject(program: (typeof editorPrograms)[number], scratch: Scratch): Promise<Subject> {
  const editor = await RealEditor.start(program, scratch);
  const opened = editor.next('opened');
  editor.do('open');
  await opened;
  const done = (action: string, event: string): Promise<unknown> => {
    const reported = editor.next(event);
    editor.do(action);
    return reported;
  };
  return {
    name: program.name,
    port: editor.port,
    snapshot: async () => Number(await done('snapshot', 'snapshot')),
    native: async () => Number(await done('native', 'native')),
    begin: () => done('begin', 'began'),
    press: () => editor.press(program.key),
    shown: () => editor.next('shown'),
    closed: () => editor.next('closed'),
    accept: () => editor.do('accept'),
    stop: () => editor.stop(),
    processes: () => processesBelow(editor.pid),
  };
}

/** Presses many keys, and prints whether that started a process. */
async function countProcesses(subject: Subject, agent: Agent): Promise<void> {
  await subject.begin();
  await agent.quiet();
  const before = subject.processes?.();
  for (let count = 0; count < keys; count += 1) {
    const selected = agent.selected();
    subject.press();
    await selected;
  }
  const after = subject.processes?.();
  const found = after === before ? 'started no process' : `STARTED A PROCESS: ${before} became ${after}`;
  console.log(`  ${subject.name}: ${keys} keys with their selections ${found}`);
}

/** Claude Code's side of a companion. */
async function connectAgent(port: number, { env }: Scratch): Promise<Agent> {
  let onSelection = (): void => {};
  const lock = JSON.parse(readFileSync(join(env.HOME ?? '', '.claude/ide', `${port}.lock`), 'utf8'));
  const client = await WebSocketClient.connect(
    port,
    lock.authToken,
    (text) => text.includes('selection_changed') && onSelection(),
  );
  await client.initialize();
  return {
    prepare: (name, args) => client.prepare('tools/call', { name, arguments: args }),
    exchange: (text) => client.exchange(text),
    selected: () =>
      new Promise((resolve) => {
        onSelection = resolve;
      }),
    quiet: () => setTimeout(quietMs),
    close: () => client.close(),
  };
}
