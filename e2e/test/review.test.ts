import { expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { exhaustive } from '../../test/exhaustive.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { agents } from '../src/agents/all.js';
import { claude } from '../src/agents/claude.js';
import { gemini } from '../src/agents/gemini.js';
import { qwen } from '../src/agents/qwen.js';
import { atOnce } from '../src/model/turn.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const CORRECTED = 'one\nTWO, corrected 文 🦋\nthree\nfour\n';

/**
 * The main workflow: an agent proposes, a user decides, and the agent writes exactly the result. All tests of an agent
 * use one session, each with its own file.
 */
describeMatrix(agents, [gemini, qwen, claude], '$name proposes an edit', (agent) => {
  const group = useAgentGroup(agent);
  /** The protocols' tests hold these behaviours for each agent; one real agent shows them in every run. */
  const shownOnce = agent === gemini ? {} : exhaustive;

  async function proposed(name: string) {
    const { stage, running, session } = group.current;
    const path = await stage.put(name, BEFORE);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await running.waitForApproval();
    expect(await stage.read(name)).toBe(BEFORE);
    return { stage, running, review };
  }

  it('and writes it once accepted', async () => {
    const { stage, running, review } = await proposed('accepted.txt');
    await stage.tandem.accept(review);
    expect(await stage.tandem.outcomeOf(review)).toBe('accepted');
    await running.waitUntilDone();
    expect(await stage.read('accepted.txt')).toBe(PROPOSED);
    expect(running.model.toolResults.at(-1)).not.toSatisfy((result: string) =>
      agent.reportsEdit(result, CORRECTED),
    );
  });

  it('and writes the corrected text, and reports the correction to its model', async () => {
    const { stage, running, review } = await proposed('corrected.txt');
    await stage.tandem.accept(review, CORRECTED);
    expect(await stage.tandem.outcomeOf(review)).toBe('accepted');
    await running.waitUntilDone();
    expect(await stage.read('corrected.txt')).toBe(CORRECTED);
    expect(running.model.toolResults.at(-1)).toSatisfy((result: string) =>
      agent.reportsEdit(result, CORRECTED),
    );
  });

  it('and never writes a file whose text the user emptied', async () => {
    const { stage, running, review } = await proposed('emptied.txt');
    if (agent.takesEmpty) {
      await stage.tandem.accept(review, '');
      await running.waitUntilDone();
      expect(await stage.read('emptied.txt')).toBe('');
    } else {
      await expect(stage.tandem.accept(review, '')).rejects.toThrow(/empt/);
      await stage.tandem.reject(review);
      await running.waitUntilPromptIsBack();
      expect(await stage.read('emptied.txt')).toBe(BEFORE);
    }
  });

  it('and writes nothing once rejected', shownOnce, async () => {
    const { stage, running, review } = await proposed('rejected.txt');
    await stage.tandem.reject(review);
    expect(await stage.tandem.outcomeOf(review)).toBe('rejected');
    await running.waitUntilPromptIsBack();
    expect(await stage.read('rejected.txt')).toBe(BEFORE);
  });

  it('and withdraws the review when accepted in the terminal', async () => {
    const { stage, running, review } = await proposed('acceptedThere.txt');
    await running.decideInTerminal('accept');
    expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
    await running.waitUntilDone();
    expect(await stage.read('acceptedThere.txt')).toBe(PROPOSED);
    expect(running.model.toolResults.at(-1)).not.toSatisfy((result: string) =>
      agent.reportsEdit(result, CORRECTED),
    );
  });

  it('and withdraws the review when rejected in the terminal', shownOnce, async () => {
    const { stage, running, review } = await proposed('rejectedThere.txt');
    await running.decideInTerminal('reject');
    expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
    await running.waitUntilPromptIsBack();
    expect(await stage.read('rejectedThere.txt')).toBe(BEFORE);
  });

  it('and writes just the hunks that were kept', shownOnce, async () => {
    const { stage, running, session } = group.current;
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
    const path = await stage.put('long.txt', lines.join(''));
    const both = lines.with(1, 'changed\n').with(17, 'changed\n');
    await running.propose(agent.overwriteFile(path, both.join('')));
    const review = await stage.tandem.nextReview({ session, path });
    await stage.tandem.run('review', 'drop', '1', review);
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read('long.txt')).toBe(lines.with(17, 'changed\n').join(''));
  });

  it('and another at once, and receives an answer for each', shownOnce, async () => {
    const { stage, running, session } = group.current;
    const names = ['first.txt', 'second.txt'];
    await running.propose([atOnce(names.flatMap((name) => agent.createFile(stage.path(name), `${name}\n`)))]);
    for (const name of names) {
      const review = await stage.tandem.nextReview({ session, path: stage.path(name) });
      await stage.tandem.accept(review);
      expect(await stage.tandem.outcomeOf(review)).toBe('accepted');
    }
    await running.waitUntilDone();
    for (const name of names) expect(await stage.read(name)).toBe(`${name}\n`);
  });

  it('and withdraws the review when its process dies', shownOnce, async () => {
    const { stage, running, review } = await proposed('died.txt');
    await running.terminal.kill();
    expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
    await stage.tandem.waitForEvent('session.closed', { agent: agent.kind });
    expect(await stage.read('died.txt')).toBe(BEFORE);
    await group.discard();
  });
});
