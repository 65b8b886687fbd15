import { utimes } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { agents } from '../src/agents/all.js';
import { qwen } from '../src/agents/qwen.js';

const before = 'one\ntwo\nthree\nfour\nfive\n';
const corrected = 'one\nTWO, corrected\nthree\nfour\nfive\n';
const both = 'one\nTWO\nthree\nfour\nFIVE\n';

/** Which agents refuse to write an accepted text because their file is not as they read it. */
const refuses: Readonly<Record<string, readonly string[]>> = {
  gemini: [],
  claude: ['changed'],
  qwen: ['touched', 'changed'],
};

describeMatrix(agents, [qwen], 'a file that changes while the user reviews an edit by $name', (agent) => {
  const group = useAgentGroup(agent);

  async function proposed(name: string) {
    const { stage, running, session } = group.current;
    const path = await stage.put(name, before);
    await running.propose(agent.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: agent.kind, session, path });
    await running.waitForApproval();
    return { path, review };
  }

  /** The accepted text is in its file, or listed and then in its file once the user applies it. */
  async function expectText(name: string, what: string, text: string): Promise<void> {
    const { stage, running } = group.current;
    await running.waitUntilDone();
    const list = async (): Promise<string> => (await stage.tandem.run('review', 'list')).stdout;
    if (refuses[agent.kind]?.includes(what)) {
      await expect.poll(list, { timeout: 15_000 }).toContain('accepted, but not written');
      expect(await stage.read(name)).not.toBe(text);
      const [, id = ''] = /^ *(\d+) {2}/m.exec(await list()) ?? [];
      await stage.tandem.run('review', 'apply', id);
    }
    expect(await stage.read(name)).toBe(text);
    expect(await list()).toBe('No pending reviews.\n');
  }

  it('loses no correction if it was only touched', async () => {
    const { stage } = group.current;
    const { path, review } = await proposed('touched.txt');
    await utimes(path, new Date(), new Date(Date.now() + 3_000));
    await stage.tandem.accept(review, corrected);
    await expectText('touched.txt', 'touched', corrected);
  });

  it('loses no text if its change was merged into the review', async () => {
    const { stage } = group.current;
    const { review } = await proposed('changed.txt');
    await stage.put('changed.txt', before.replace('five', 'FIVE'));
    const shown = await stage.tandem.run('review', 'show', review);
    expect(shown.stdout).toContain('merged into this text');
    await stage.tandem.accept(review);
    await expectText('changed.txt', 'changed', both);
  });
});
