import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '../src/agents/agent.js';
import { agents } from '../src/agents/all.js';
import { pick, pickText } from '../src/json.js';
import { atOnce, call, say } from '../src/model/turn.js';
import type { RunningAgent } from '../src/runningAgent.js';
import { Stage } from '../src/stage.js';
import { missingTmux, Tmux } from '../src/tmux.js';
import { waitForHook, waitForNoHook } from '../src/waitingHook.js';

const BEFORE = 'one\ntwo\nthree\n';
const COMMENT = 'Keep /the word `two` here\nand $HOME too';
/** Not longer than what every CLI shows in full. */
const TEXT = `Review of a.txt, line 2: rejected.\n\n> TWO\n${COMMENT}`;

const kinds = (...names: string[]) => agents.filter(({ kind }) => names.includes(kind));

/** An agent that has proposed a change of `a.txt`, on which the user has commented. */
async function commented(agent: Agent, prepare: (stage: Stage) => Promise<object | undefined>) {
  const stage = await Stage.open();
  const how = await prepare(stage);
  const { running } = await stage.connect(agent, how);
  const path = await stage.put('a.txt', BEFORE);
  await running.propose(agent.replaceText(path, 'two', 'TWO'));
  const review = await stage.tandem.nextReview({ agent: agent.kind, path });
  await running.waitForApproval();
  await stage.tandem.run('review', 'comment', review, '2', '-m', COMMENT);
  const reject = async () => {
    const { json } = await stage.tandem.run('review', 'reject', review, '--feedback', '--json');
    return {
      delivery: pickText(json, 'delivery'),
      text: pickText(json, 'text'),
      note: pickText(json, 'note'),
    };
  };
  /** Presses Enter as the user does, and returns what the model then receives. */
  const send = async (): Promise<string> => {
    running.model.clearScript();
    running.model.script(say('It is kept.'));
    await running.terminal.press('enter');
    await running.terminal.waitFor('It is kept.');
    return running.model.conversation.at(-1)?.raw ?? '';
  };
  const requests = (): number => running.model.conversation.length;
  return { stage, running, terminal: running.terminal, review, reject, send, requests };
}

describe.each(kinds('claude'))('$name, when a change is rejected with feedback', (agent) => {
  it('has a reference to it in its prompt, and its model receives the text on Enter', async () => {
    const { stage, terminal, reject, send, requests } = await commented(agent, async () => undefined);
    const before = requests();
    const { delivery, text, note } = await reject();
    expect([delivery, text]).toEqual(['prompt', TEXT]);
    expect(note).toContain('Press Enter');
    await terminal.waitFor(/@\S*feedback-1\.md/);
    await terminal.waitUntilQuiet('nothing may be submitted');
    expect(requests()).toBe(before);
    const received = await send();
    for (const line of TEXT.split('\n')) expect(received).toContain(JSON.stringify(line).slice(1, -1));
    expect(await stage.read('a.txt')).toBe(BEFORE);
  });

  it('keeps the draft in its prompt alone when feedback is sent later', async () => {
    const { stage, running, terminal, review, requests } = await commented(agent, async () => undefined);
    await stage.tandem.run('review', 'reject', review);
    await running.waitUntilIdle();
    await terminal.type('my draft ');
    await terminal.waitFor('my draft');
    const before = requests();
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    expect(json).toMatchObject({ delivery: 'clipboard', note: expect.stringContaining('may ask something') });
    await terminal.waitUntilQuiet('nothing may be inserted');
    expect(terminal.screen()).toContain('my draft');
    expect(terminal.screen()).not.toContain('feedback-1.md');
    expect(requests()).toBe(before);
  });

  it('shows an open question alone when feedback is sent meanwhile', async () => {
    const { stage, running, terminal, review } = await commented(agent, async () => undefined);
    await stage.tandem.run('review', 'reject', review);
    await running.waitUntilIdle();
    const command = call('Bash', { command: 'touch ran.txt', description: 'Create a file' });
    await running.ask('run it', command, say('It ran.'));
    const question = /Do you want to proceed/;
    await terminal.waitFor(question);
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    expect(json).toMatchObject({ delivery: 'clipboard', note: expect.stringContaining('may ask something') });
    await terminal.waitUntilQuiet('a reference would cover the question');
    expect(terminal.screen()).not.toContain('feedback-1.md');
    expect(existsSync(stage.path('ran.txt'))).toBe(false);
    expect(terminal.screen()).toMatch(question);
  });
});

describe.each(kinds('claude'))('$name with the hook', (agent) => {
  let stage: Stage;
  let running: RunningAgent;
  beforeAll(async () => {
    stage = await Stage.create();
    await stage.tandem.run('hook', 'install', 'claude', '--yes');
    ({ running } = await stage.connect(agent));
  });
  afterAll(() => stage.dispose());

  /** Proposes a change, for which the hook waits. */
  async function propose(name: string, answer = 'It is done.') {
    const path = await stage.put(name, BEFORE);
    await running.ask(`please edit ${name}`, ...agent.replaceText(path, 'two', 'TWO'), say(answer));
    const review = await stage.tandem.nextReview({ path });
    await running.waitForApproval();
    await waitForHook(stage);
    return { review, path };
  }

  it('continues its turn with the text when a change is rejected with feedback', async () => {
    const { review } = await propose('a.txt', 'I keep it.');
    await stage.tandem.run('review', 'comment', review, '2', '-m', COMMENT);
    const { json } = await stage.tandem.run('review', 'reject', review, '--feedback', '--json');
    expect(json).toMatchObject({
      delivery: 'prompt',
      text: TEXT,
      note: expect.stringContaining('has received the feedback'),
    });
    await running.terminal.waitFor('I keep it.');
    expect(running.model.toolResults.at(-1)).toBe(TEXT);
    expect(await stage.tandem.outcomeOf(review)).toBe('rejected');
    expect(await stage.read('a.txt')).toBe(BEFORE);
    expect(running.terminal.screen()).not.toContain('feedback-1.md');
    await waitForNoHook(stage);
  });

  it('writes an accepted change as without the hook', async () => {
    const { review } = await propose('b.txt', 'It is written.');
    await stage.tandem.run('review', 'accept', review);
    await running.terminal.waitFor('It is written.');
    expect(await stage.read('b.txt')).toBe(BEFORE.replace('two', 'TWO'));
    await waitForNoHook(stage);
  });

  it('ends its turn when a change is rejected without feedback', async () => {
    const { review } = await propose('c.txt', 'Never said.');
    const requests = running.model.conversation.length;
    await stage.tandem.run('review', 'reject', review);
    await running.waitUntilIdle();
    expect(running.model.conversation).toHaveLength(requests);
    expect(await stage.read('c.txt')).toBe(BEFORE);
    await waitForNoHook(stage);
  });

  it('takes the decision in the terminal', async () => {
    await propose('d.txt', 'It is accepted here.');
    await running.decideInTerminal('accept');
    await running.terminal.waitFor('It is accepted here.');
    expect(await stage.read('d.txt')).toBe(BEFORE.replace('two', 'TWO'));
    await waitForNoHook(stage);
  });

  it('still asks in the terminal when the companion is killed', async () => {
    await propose('e.txt', 'It is accepted alone.');
    await stage.tandem.kill();
    await waitForNoHook(stage);
    await running.decideInTerminal('accept');
    await running.terminal.waitFor('It is accepted alone.');
    expect(await stage.read('e.txt')).toBe(BEFORE.replace('two', 'TWO'));
  });
});

const missing = missingTmux();

describe.each(kinds('gemini', 'qwen'))('$name in tmux, when a change is rejected with feedback', (agent) => {
  const inTmux = async () => {
    if (missing !== undefined) throw new Error(missing);
    let tmux: Tmux | undefined;
    const used = await commented(agent, async (stage) => {
      tmux = new Tmux(stage.sandbox);
      onTestFinished(() => tmux?.dispose());
      return { commandLine: tmux.commandLine(agent), mayRelaunch: true };
    });
    return { ...used, tmux: tmux as Tmux };
  };

  it('has it in its prompt, and its model receives it on Enter', async () => {
    const { stage, terminal, reject, send, requests } = await inTmux();
    const before = requests();
    expect(await reject()).toMatchObject({ delivery: 'prompt', text: TEXT });
    await terminal.waitUntilQuiet('nothing may be submitted');
    expect(requests()).toBe(before);
    expect(await send()).toContain(JSON.stringify(TEXT).slice(1, -1));
    expect(await stage.read('a.txt')).toBe(BEFORE);
  });

  it('has it in its prompt in copy mode too', async () => {
    const { terminal, tmux, reject, send, requests } = await inTmux();
    const before = requests();
    await tmux.run('copy-mode');
    expect(await reject()).toMatchObject({ delivery: 'prompt' });
    await tmux.run('send-keys', '-X', 'cancel');
    await terminal.waitFor('Review of a.txt');
    await terminal.waitUntilQuiet('nothing may be submitted');
    expect(requests()).toBe(before);
    expect(await send()).toContain(JSON.stringify(TEXT).slice(1, -1));
  });

  it('has nothing in its prompt while it asks about another change', async () => {
    const { stage, running, tmux } = await inTmux();
    await stage.tandem.run('review', 'reject', '1');
    await running.waitUntilIdle();
    await stage.put('b.txt', BEFORE);
    const edits = ['a.txt', 'b.txt'].flatMap((name) => agent.createFile(stage.path(`new-${name}`), 'x\n'));
    await running.propose([atOnce(edits)]);
    const first = await stage.tandem.nextReview({ path: stage.path('new-a.txt') });
    await running.waitForApproval();
    await stage.tandem.run('review', 'comment', first, '-m', 'No.');
    const { json } = await stage.tandem.run('review', 'feedback', first, '--json');
    expect(pick(json, 'delivery')).toBe('clipboard');
    expect(await tmux.run('capture-pane', '-p')).not.toContain('Review of');
    expect(await tmux.run('list-buffers')).toBe('');
  });

  it('has nothing in its prompt in vim mode, whose prompt looks different', async () => {
    const { stage, running, terminal, review, requests } = await inTmux();
    await stage.tandem.run('review', 'reject', review);
    await running.waitUntilIdle();
    await terminal.submit('/vim');
    await terminal.waitUntilQuiet('the mode is shown');
    const before = requests();
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    await terminal.waitUntilQuiet('nothing may be typed');
    expect(pick(json, 'delivery')).toBe('clipboard');
    expect([requests(), terminal.screen().includes('Review of')]).toEqual([before, false]);
  });

  it('has nothing in its prompt but the draft that was there', async () => {
    const { stage, running, terminal, review, tmux } = await inTmux();
    await stage.tandem.run('review', 'reject', review);
    await running.waitUntilIdle();
    await terminal.type('a draft');
    await terminal.waitFor('a draft');
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    expect(json).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('prompt is not empty'),
    });
    await terminal.waitUntilQuiet('nothing may be typed');
    expect(terminal.screen()).not.toContain('Review of');
    expect(await tmux.run('list-buffers')).toBe('');
  });

  it('has nothing in its prompt while it is suspended behind a shell', async () => {
    if (missing !== undefined) throw new Error(missing);
    let tmux: Tmux | undefined;
    const { stage, running, terminal, review } = await commented(agent, async (opened) => {
      tmux = new Tmux(opened.sandbox);
      onTestFinished(() => tmux?.dispose());
      return tmux.inShell(agent);
    });
    await stage.tandem.run('review', 'reject', review);
    await running.waitUntilIdle();
    await tmux?.suspend();
    await terminal.waitFor('Stopped');
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    expect(json).toMatchObject({ delivery: 'clipboard', note: expect.stringContaining('in the foreground') });
    await terminal.waitUntilQuiet('nothing may be typed');
    expect(terminal.screen()).not.toContain('Review of');
  });
});
