import { describe, expect, it } from 'vitest';
import { agents } from '../src/agents/all.js';
import { Stage, serve } from '../src/stage.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

/** Nobody types anything into the agent's terminal but the request for an edit. */
describe.each(agents)('$name under a companion that is started again', (agent) => {
  it.each(['kill', 'stop'] as const)('after %s goes on by itself', async (end) => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', BEFORE);
    const { running, session } = await stage.connect(agent);
    await expect.poll(() => stage.journal()).toContain(session);
    await stage.tandem[end]();
    const again = await serve(stage.sandbox, stage.workspace);
    expect(again.endpoint(agent.kind).url).toBe(stage.tandem.endpoint(agent.kind).url);
    await again.waitForEvent('session.connected', { agent: agent.kind });
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await again.nextReview({ agent: agent.kind, path });
    await running.waitForApproval();
    await again.run('review', 'accept', review);
    await running.waitUntilDone();
    expect(await stage.read('a.txt')).toBe(PROPOSED);
  });
});

/** Claude Code asks in its terminal when its connection breaks: nobody waits for the review any more. */
describe.each(agents.filter(({ kind }) => kind !== 'claude'))('$name that waits for a decision', (agent) => {
  it('hears it from the companion that is started again after a kill', async () => {
    const stage = await Stage.open();
    const path = await stage.put('a.txt', BEFORE);
    const { running } = await stage.connect(agent);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    await stage.tandem.nextReview({ agent: agent.kind, path });
    await running.waitForApproval();
    await expect.poll(() => stage.journal()).toContain(JSON.stringify(PROPOSED));
    await stage.tandem.kill();
    const again = await serve(stage.sandbox, stage.workspace);
    const review = await again.nextReview({ agent: agent.kind, path });
    const typed = await stage.sandbox.write(`${stage.sandbox.root}/typed`, 'one\nTWO, typed\nthree\n');
    await again.run('review', 'accept', review, '--content-file', typed);
    await running.waitUntilDone();
    expect(await stage.read('a.txt')).toBe('one\nTWO, typed\nthree\n');
  });
});
