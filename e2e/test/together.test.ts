import { describe, expect, it } from 'vitest';
import type { Agent } from '../src/agents/agent.js';
import { claude } from '../src/agents/claude.js';
import { gemini } from '../src/agents/gemini.js';
import { qwen } from '../src/agents/qwen.js';
import { say } from '../src/model/turn.js';
import { Stage } from '../src/stage.js';

/** Several agents on one companion: none receives another's context, question or answer. */
describe('three agents on one companion', () => {
  it('see the same file, propose at the same time and are each answered', async () => {
    const stage = await Stage.open();
    const seen = await stage.put('seen.txt', 'marker-3e3e\n');
    const pending = [];
    for (const agent of [gemini, qwen, claude]) {
      const name = `${agent.kind}.txt`;
      const path = await stage.put(name, 'one\ntwo\n');
      const { running, session } = await stage.connect(agent);
      pending.push({ agent, name, path, running, session });
    }
    await stage.tandem.run('focus', `${seen}:1:1-1:12`);
    for (const { running } of pending) {
      await running.waitForActiveFile('seen.txt');
      await running.ask('describe what is open', say('The script says so.'));
      await running.terminal.waitFor('The script says so.');
      expect(running.model.quotesOf(seen)).not.toEqual([]);
      expect(running.model.quotesOf('marker-3e3e')).not.toEqual([]);
      await running.waitUntilPromptIsBack();
    }

    const reviews = [];
    for (const { agent, path, running, session } of pending) {
      await running.propose(agent.replaceText(path, 'two', `two by ${agent.kind}`));
      reviews.push(await stage.tandem.nextReview({ agent: agent.kind, session, path }));
    }
    const [forGemini, forQwen, forClaude] = reviews as [string, string, string];
    const corrected = await stage.sandbox.write(`${stage.sandbox.root}/corrected`, 'one\ntwo, corrected\n');
    await stage.tandem.run('review', 'accept', forClaude, '--content-file', corrected);
    await stage.tandem.run('review', 'reject', forQwen);
    await stage.tandem.run('review', 'accept', forGemini);
    expect(await stage.tandem.outcomeOf(forGemini)).toBe('accepted');
    expect(await stage.tandem.outcomeOf(forQwen)).toBe('rejected');
    expect(await stage.tandem.outcomeOf(forClaude)).toBe('accepted');
    const [ofGemini, ofQwen, ofClaude] = pending.map(({ running }) => running);
    await ofGemini?.waitUntilDone();
    await ofClaude?.waitUntilDone();
    await ofQwen?.waitUntilPromptIsBack();
    expect(await stage.read('gemini.txt')).toBe('one\ntwo by gemini\n');
    expect(await stage.read('qwen.txt')).toBe('one\ntwo\n');
    expect(await stage.read('claude.txt')).toBe('one\ntwo, corrected\n');
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
