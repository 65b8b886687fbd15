import { describe, expect, it } from 'vitest';
import type { Agent, ContextAgent } from '../src/agents/agent.js';
import { contextAgents } from '../src/agents/all.js';
import { claude } from '../src/agents/claude.js';
import { codex } from '../src/agents/codex.js';
import { copilot } from '../src/agents/copilot.js';
import { gemini } from '../src/agents/gemini.js';
import { qwen } from '../src/agents/qwen.js';
import { say } from '../src/model/turn.js';
import type { RunningAgent } from '../src/runningAgent.js';
import { Stage, startAgent } from '../src/stage.js';

/** Several agents on one companion: none receives another's context, question or answer. */
describe('all seven agents on one companion', () => {
  it('see the same file; those that propose at the same time are each answered', {
    timeout: 240_000,
  }, async () => {
    const stage = await Stage.open();
    const seen = await stage.put('seen.txt', 'marker-3e3e\n');
    await stage.tandem.run('focus', `${seen}:1:1-1:12`);
    const pending = [];
    for (const agent of [gemini, qwen, claude, copilot]) {
      const name = `${agent.kind}.txt`;
      const path = await stage.put(name, 'one\ntwo\n');
      const { running, session } = await stage.connect(agent);
      pending.push({ agent, name, path, running, session });
    }
    const asking = await startAgent(codex, stage.sandbox, stage.workspace);
    await asking.terminal.submit('/ide');
    await stage.tandem.waitForEvent('session.connected', { agent: 'codex' });
    const all: RunningAgent<ContextAgent>[] = [...pending.map(({ running }) => running), asking];
    for (const agent of contextAgents) all.push((await stage.connect(agent)).running);
    const ask = async (running: RunningAgent<ContextAgent>): Promise<void> => {
      await running.waitForActiveFile('seen.txt');
      await running.ask('describe what is open', say('The script says so.'));
      await running.terminal.waitFor('The script says so.');
      expect(running.model.quotesOf('seen.txt')).not.toEqual([]);
      expect(running.model.quotesOf('marker-3e3e')).not.toEqual([]);
      await running.waitUntilPromptIsBack();
    };
    await Promise.all(all.map(ask));
    expect(new Set(all.map(({ agent }) => agent.kind)).size).toBe(7);

    const reviews = new Map<string, string>();
    for (const { agent, path, running, session } of pending) {
      await running.propose(agent.replaceText(path, 'two', `two by ${agent.kind}`));
      reviews.set(agent.kind, await stage.tandem.nextReview({ agent: agent.kind, session, path }));
    }
    const of = (kind: string): string => reviews.get(kind) ?? '';
    const corrected = await stage.sandbox.write(`${stage.sandbox.root}/corrected`, 'one\ntwo, corrected\n');
    await stage.tandem.run('review', 'accept', of('claude'), '--content-file', corrected);
    await stage.tandem.run('review', 'reject', of('qwen'));
    for (const kind of ['gemini', 'copilot']) await stage.tandem.run('review', 'accept', of(kind));
    for (const { agent, running, name } of pending) {
      const isRejected = agent === qwen;
      expect(await stage.tandem.outcomeOf(of(agent.kind))).toBe(isRejected ? 'rejected' : 'accepted');
      if (isRejected) await running.waitUntilPromptIsBack();
      else await running.waitUntilDone();
      const written = agent === claude ? 'one\ntwo, corrected\n' : `one\ntwo by ${agent.kind}\n`;
      expect(await stage.read(name)).toBe(isRejected ? 'one\ntwo\n' : written);
    }
  });
});

describe.each<Agent>([gemini, qwen, claude])('two of $name on one companion', (agent) => {
  it('propose changes to the same file and are answered one by one', async () => {
    const stage = await Stage.open();
    const path = await stage.put('shared.txt', 'one\ntwo\nthree\n');
    const first = await stage.connect(agent);
    const second = await stage.connect(agent);
    expect(second.session).not.toBe(first.session);

    await first.running.propose(agent.replaceText(path, 'one', 'ONE'));
    const ofFirst = await stage.tandem.nextReview({ session: first.session, path });
    await second.running.propose(agent.replaceText(path, 'three', 'THREE'));
    const ofSecond = await stage.tandem.nextReview({ session: second.session, path });
    await first.running.waitForApproval();
    await second.running.waitForApproval();

    await stage.tandem.run('review', 'accept', ofSecond);
    expect(await stage.tandem.outcomeOf(ofSecond)).toBe('accepted');
    await second.running.waitUntilDone();
    expect(await stage.read('shared.txt')).toBe('one\ntwo\nTHREE\n');
    await first.running.waitForApproval();

    await stage.tandem.run('review', 'reject', ofFirst);
    expect(await stage.tandem.outcomeOf(ofFirst)).toBe('rejected');
    await first.running.waitUntilPromptIsBack();
    expect(await stage.read('shared.txt')).toBe('one\ntwo\nTHREE\n');
  });
});
