import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { exhaustive } from '../../test/exhaustive.js';
import { type AgentGroup, useAgentGroup } from '../src/agentGroup.js';
import { agents } from '../src/agents/all.js';
import { typeLine } from '../src/agentTerminal.js';
import { pickText } from '../src/json.js';
import { call, say } from '../src/model/turn.js';
import type { RunningAgent } from '../src/runningAgent.js';
import { Stage } from '../src/stage.js';
import { waitForHook, waitForNoHook } from '../src/waitingHook.js';

const BEFORE = 'one\ntwo\nthree\n';
const COMMENT = 'Keep /the word `two` here\nand $HOME too';
/** Not longer than what every CLI shows in full. */
const feedbackOn = (name: string): string => `Review of ${name}, line 2: rejected.\n\n│ TWO\n${COMMENT}`;

const kinds = (...names: string[]) => agents.filter(({ kind }) => names.includes(kind));

/** Lets an agent propose a change of a file of its own, on which the user has commented. */
async function comment({ stage, running }: AgentGroup, name: string) {
  const { agent, model, terminal } = running;
  const path = await stage.put(name, BEFORE);
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
  /** Rejects without feedback, and waits until the agent is idle. */
  const rejectAlone = async () => {
    await stage.tandem.reject(review);
    await running.waitUntilIdle();
  };
  /** Presses Enter as the user does, and returns what the model then receives. */
  const send = async (): Promise<string> => {
    const answer = `${name} is kept.`;
    model.clearScript();
    model.script(say(answer));
    await terminal.press('enter');
    await terminal.waitFor(answer);
    return model.conversation.at(-1)?.raw ?? '';
  };
  const requests = (): number => model.conversation.length;
  return { review, reject, rejectAlone, send, requests };
}

/** Deletes the line in the prompt. */
const clearLine = '\x15';

// The tests in which nothing appears in the prompt come first: what a CLI has shown once stays on its screen.
describe.each(kinds('claude'))('$name, when a change is rejected with feedback', (agent) => {
  const group = useAgentGroup(agent);

  it('keeps the draft in its prompt alone when feedback is sent later', async () => {
    const { stage, running } = group.current;
    const { terminal } = running;
    const { review, rejectAlone, requests } = await comment(group.current, 'draft.txt');
    await rejectAlone();
    await terminal.type('my draft ');
    await terminal.waitFor('my draft');
    const before = requests();
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    expect(json).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('may be showing a question'),
    });
    await terminal.waitUntilQuiet('nothing may be inserted');
    expect(terminal.screen()).toContain('my draft');
    expect(terminal.screen()).not.toMatch(/feedback-\d+\.md/);
    expect(requests()).toBe(before);
    await terminal.type(clearLine);
  });

  it('shows an open question alone when feedback is sent meanwhile', exhaustive, async () => {
    const { stage, running } = group.current;
    const { terminal } = running;
    const { review, rejectAlone } = await comment(group.current, 'question.txt');
    await rejectAlone();
    const command = call('Bash', { command: 'touch ran.txt', description: 'Create a file' });
    await running.ask('run it', command, say('It ran.'));
    const question = /Do you want to proceed/;
    await terminal.waitFor(question);
    const { json } = await stage.tandem.run('review', 'feedback', review, '--json');
    expect(json).toMatchObject({
      delivery: 'clipboard',
      note: expect.stringContaining('may be showing a question'),
    });
    await terminal.waitUntilQuiet('a reference would cover the question');
    expect(terminal.screen()).not.toMatch(/feedback-\d+\.md/);
    expect(existsSync(stage.path('ran.txt'))).toBe(false);
    expect(terminal.screen()).toMatch(question);
    await terminal.press('escape');
  });

  it('has a reference to it in its prompt, and its model receives the text on Enter', async () => {
    const { stage, running } = group.current;
    const { terminal } = running;
    const { reject, send, requests } = await comment(group.current, 'a.txt');
    const before = requests();
    const { delivery, text, note } = await reject();
    const wanted = feedbackOn('a.txt');
    expect([delivery, text]).toEqual(['prompt', wanted]);
    expect(note).toContain('Press Enter');
    await terminal.waitFor(/@\S*feedback-\d+\.md/);
    await terminal.waitUntilQuiet('nothing may be submitted');
    expect(requests()).toBe(before);
    const received = await send();
    for (const line of wanted.split('\n')) expect(received).toContain(JSON.stringify(line).slice(1, -1));
    expect(await stage.read('a.txt')).toBe(BEFORE);
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
      text: feedbackOn('a.txt'),
      note: expect.stringContaining('has received the feedback'),
    });
    await running.terminal.waitFor('I keep it.');
    expect(running.model.toolResults.at(-1)).toBe(feedbackOn('a.txt'));
    expect(await stage.tandem.outcomeOf(review)).toBe('rejected');
    expect(await stage.read('a.txt')).toBe(BEFORE);
    expect(running.terminal.screen()).not.toContain('feedback-1.md');
    await waitForNoHook(stage);
  });

  it('writes an accepted change as without the hook', exhaustive, async () => {
    const { review } = await propose('b.txt', 'It is written.');
    await stage.tandem.accept(review);
    await running.terminal.waitFor('It is written.');
    expect(await stage.read('b.txt')).toBe(BEFORE.replace('two', 'TWO'));
    await waitForNoHook(stage);
  });

  it('ends its turn when a change is rejected without feedback', exhaustive, async () => {
    const { review } = await propose('c.txt', 'Never said.');
    const requests = running.model.conversation.length;
    await stage.tandem.reject(review);
    await running.waitUntilIdle();
    expect(running.model.conversation).toHaveLength(requests);
    expect(await stage.read('c.txt')).toBe(BEFORE);
    await waitForNoHook(stage);
  });

  it('takes the decision in the terminal', exhaustive, async () => {
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

const withoutReference = kinds('gemini', 'qwen');

describeMatrix(
  withoutReference,
  withoutReference.slice(0, 1),
  '$name without hooks, when a change is rejected with feedback',
  (agent) => {
    const group = useAgentGroup(agent);

    it('has nothing in its prompt, and its model receives the text that the user pastes', async () => {
      const { terminal } = group.current.running;
      const { reject, send, requests } = await comment(group.current, 'a.txt');
      const before = requests();
      const wanted = feedbackOn('a.txt');
      expect(await reject()).toMatchObject({
        delivery: 'clipboard',
        text: wanted,
        note: expect.stringContaining('Paste it there yourself.'),
      });
      await group.current.running.waitUntilIdle();
      await terminal.waitUntilQuiet('nothing may be typed');
      expect(terminal.screen()).not.toContain('Review of');
      // Terminals mark what the user pastes.
      await terminal.type(`\x1b[200~${wanted}\x1b[201~`);
      await terminal.waitFor('Review of a.txt');
      await terminal.waitUntilQuiet('nothing may be submitted');
      expect(requests()).toBe(before);
      // Gemini CLI 0.61 on a busy machine loses an Enter that follows a paste, but none that follows typed text.
      await typeLine(terminal, ' Thanks.');
      await terminal.waitUntilQuiet('an Enter right behind its text counts as pasted');
      expect(await send()).toContain(JSON.stringify(wanted).slice(1, -1));
      expect(await group.current.stage.read('a.txt')).toBe(BEFORE);
    });
  },
);
