import { mkdir } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { useAgentGroup } from '../src/agentGroup.js';
import { copilot } from '../src/agents/copilot.js';
import { pickText } from '../src/json.js';
import { say } from '../src/model/turn.js';
import { tandemCommand } from '../src/pinnedPrograms.js';
import { Stage, startAgent } from '../src/stage.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const CORRECTED = 'one\nTWO, corrected 文 🦋\nthree\nfour\n';

/** Resolves to the id of the only interrupted review: the agent has written its own text. */
function keptText(stage: Stage): Promise<string> {
  return vi.waitFor(
    async () => {
      const { json } = await stage.tandem.run('review', 'list', '--json');
      const kept = Object.values(Object(json)).filter((each) => pickText(each, 'state') === 'interrupted');
      expect(kept).toHaveLength(1);
      return pickText(kept[0], 'id');
    },
    { timeout: 20_000 },
  );
}

/** Its corrections are not taken over, so it is no row of the tables of the other agents. */
describe('Copilot CLI', () => {
  const group = useAgentGroup(copilot);

  async function proposed(name: string, before = BEFORE) {
    const { stage, running, session } = group.current;
    const path = await stage.put(name, before);
    await running.propose(copilot.replaceText(path, 'two', 'TWO'));
    const review = await stage.tandem.nextReview({ agent: 'copilot', session, path });
    await running.waitForApproval();
    expect(await stage.read(name)).toBe(before);
    return { stage, running, review };
  }

  it('shows its model what is selected, and takes a mention once [COP-6 COP-7]', async () => {
    const { stage, running } = group.current;
    await stage.put('seen.txt', 'first\nsecond marker-7f3a line\n');
    await stage.tandem.run('focus', 'seen.txt:2:8-2:19');
    await running.waitForActiveFile('seen.txt');
    await running.ask('describe what is selected', say('A marker.'));
    await running.terminal.waitFor('A marker.');
    expect(running.model.quotesOf('seen.txt (line 2)')).not.toEqual([]);
    expect(running.model.quotesOf('marker-7f3a')).not.toEqual([]);
    expect(running.model.quotesOf('second marker-7f3a')).toEqual([]);
    await stage.tandem.run('mention', 'seen.txt:1-2');
    await running.terminal.waitFor(/❯ @seen\.txt:1-2 *$/m);
    await running.ask('is mentioned', say('Mentioned.'));
    await running.terminal.waitFor('Mentioned.');
    expect(running.model.quotesOf('@seen.txt:1-2 is mentioned')).not.toEqual([]);
    await stage.tandem.run('share', 'pause');
    await running.waitForActiveFile('seen.txt', false);
    await stage.tandem.run('share', 'resume');
  });

  it('writes an accepted change with the ends and the mark of its file [COP-8 COP-14]', async () => {
    const before = '\uFEFFone\r\ntwo\r\nthree';
    const { stage, running, review } = await proposed('dos.txt', before);
    const { stdout } = await stage.tandem.run('review', 'show', review);
    expect(stdout).toContain('This agent ignores your edits.');
    expect(stdout).not.toMatch(/Line ends|byte order/);
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    expect(await stage.read('dos.txt')).toBe(before.replace('two', 'TWO'));
  });

  it('creates a file, and no file once rejected [COP-8]', async () => {
    const { stage, running, session } = group.current;
    for (const decision of ['reject', 'accept']) {
      await running.propose(copilot.createFile(stage.path('new.txt'), 'hello\nworld'));
      const review = await stage.tandem.nextReview({ session, path: stage.path('new.txt') });
      await stage.tandem.run('review', decision, review);
      if (decision === 'accept') await running.waitUntilDone();
      else {
        await running.waitUntilIdle();
        await expect(stage.read('new.txt')).rejects.toThrow('ENOENT');
      }
    }
    expect(await stage.read('new.txt')).toBe('hello\nworld');
  });

  it('writes its own text, and the corrections are offered afterwards [COP-20]', async () => {
    const { stage, running, review } = await proposed('corrected.txt');
    await stage.tandem.accept(review, CORRECTED);
    expect(await stage.tandem.outcomeOf(review)).toBe('accepted');
    await running.waitUntilDone();
    expect(await stage.read('corrected.txt')).toBe(PROPOSED);
    await stage.tandem.run('review', 'apply', await keptText(stage));
    expect(await stage.read('corrected.txt')).toBe(CORRECTED);
  });

  it.each(['accept', 'reject'] as const)(
    'withdraws a review to %s it in the terminal [COP-9]',
    async (decision) => {
      const { stage, running, review } = await proposed(`${decision}There.txt`);
      await running.decideInTerminal(decision);
      expect(await stage.tandem.outcomeOf(review)).toBe('withdrawn');
      if (decision === 'accept') await running.waitUntilDone();
      else await running.waitUntilPromptIsBack();
      expect(await stage.read(`${decision}There.txt`)).toBe(decision === 'accept' ? PROPOSED : BEFORE);
    },
  );

  it('continues with a pending review, and keeps corrections, after a kill of the companion [COP-11 COP-13]', async () => {
    const { stage, running, review } = await proposed('pending.txt');
    const { session } = group.current;
    await stage.tandem.accept(review, CORRECTED);
    await running.waitUntilDone();
    const next = await proposed('again.txt');
    await vi.waitFor(async () => expect(await stage.journal()).toContain('again.txt'), { timeout: 10_000 });
    await stage.restart('kill');
    await stage.tandem.waitForEvent('session.connected', { agent: 'copilot', session });
    const reopened = await stage.tandem.nextReview({ session, path: stage.path('again.txt') });
    await stage.tandem.accept(reopened);
    await next.running.waitUntilDone();
    expect(await stage.read('again.txt')).toBe(PROPOSED);
    expect(await stage.read('pending.txt')).toBe(PROPOSED);
    await stage.tandem.run('review', 'apply', await keptText(stage));
    expect(await stage.read('pending.txt')).toBe(CORRECTED);
  });
});

it('connects from a subfolder with tandem run, and reconnects after a restart of the companion [COP-15 COP-16]', async () => {
  const stage = await Stage.open();
  const sub = stage.path('sub');
  await mkdir(sub);
  const command = copilot.executable.map((part) => `'${part}'`).join(' ');
  await stage.sandbox.write(`${stage.sandbox.bin}/copilot`, `#!/bin/sh\nexec ${command} "$@"\n`, 0o755);
  const running = await startAgent(copilot, stage.sandbox, sub, {
    commandLine: [process.execPath, tandemCommand, 'run', 'copilot'],
  });
  const { session } = await stage.tandem.waitForEvent('session.connected', { agent: 'copilot' });
  await stage.restart('stop');
  await stage.tandem.waitForEvent('session.connected', { agent: 'copilot', session });
  const path = await stage.put('sub/a.txt', BEFORE);
  await running.propose(copilot.replaceText(path, 'two', 'TWO'));
  const review = await stage.tandem.nextReview({ agent: 'copilot', session, path });
  await stage.tandem.accept(review);
  await running.waitUntilDone();
  expect(await stage.read('sub/a.txt')).toBe(PROPOSED);
});
