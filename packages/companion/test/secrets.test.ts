import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { CompanionStage, filesBelow, makeWorkspace } from './support/companionStage.js';

let stage: CompanionStage | undefined;
afterEach(() => stage?.companion.stop());

const fileContent = 'what-the-file-holds';
const proposal = 'what-the-agent-proposes';

/** Everything that a companion outputs without a request for a secret, after an agent has worked. */
async function everythingTold(tracesContents: boolean) {
  const folder = makeWorkspace({ 'a.txt': `${fileContent}\n` });
  const lines: string[] = [];
  stage = await CompanionStage.create({
    folders: [folder],
    tracesContents,
    onTrace: (line) => lines.push(line),
  });
  const { client } = await stage.found();
  const events: string[] = [];
  await new Promise<void>((resolve) => {
    void client.followEvents((event) => events.push(JSON.stringify(event)), { onOpen: resolve });
  });
  const [gemini, claude] = await Promise.all([stage.connect('gemini'), stage.connect('claude')]);
  await client.call('focus', { path: join(folder, 'a.txt') });
  // An agent may write its own token into a file, for example after it read the discovery files.
  const token = stage.companion.agents.connections()[0]?.token;
  await gemini.openDiff(join(folder, 'a.txt'), `${proposal} ${token}\n`);
  const call = claude.beginOpenDiff(join(folder, 'b.txt'), `${proposal}\n`);
  await stage.event('review.opened', ({ agent }) => agent === 'claude');
  await client.call('review.accept', { id: '1' });
  await client.call('review.accept', { id: '2' });
  await claude.answer(call);
  await gemini.next('ide/diffAccepted');
  await expect.poll(() => events.filter((event) => event.includes('review.decided')).length).toBe(2);
  const trace = (await client.call('trace', {})) as string[];
  expect(trace).toEqual(lines);
  const secrets = [
    ...stage.companion.agents.connections().map(({ token }) => token),
    ...filesBelow(join(stage.machine.home, '.local')).map(
      (path) => JSON.parse(readFileSync(path, 'utf8')).token,
    ),
  ];
  const status = JSON.stringify(await client.call('status', {}));
  const list = JSON.stringify(await client.call('review.list', { all: true }));
  return {
    secrets,
    texts: { events: events.join(), log: stage.log.join(), trace: trace.join(), status, list },
  };
}

describe('the output of a companion', () => {
  for (const tracesContents of [false, true]) {
    test(`has no token${tracesContents ? ', even if the trace keeps contents' : ''}`, async () => {
      const { secrets, texts } = await everythingTold(tracesContents);
      expect(secrets.filter((secret) => typeof secret === 'string' && secret.length > 40)).toHaveLength(5);
      for (const text of Object.values(texts)) {
        for (const secret of secrets) expect(text).not.toContain(secret);
      }
    });
  }

  test('has no content of a file, except in a trace that keeps contents', async () => {
    const { texts } = await everythingTold(false);
    for (const text of Object.values(texts)) {
      expect(text).not.toContain(fileContent);
      expect(text).not.toContain(proposal);
    }
    expect(texts.trace).toContain('openDiff');
    await stage?.companion.stop();
    const asked = await everythingTold(true);
    expect(asked.texts.trace).toContain(proposal);
    expect(asked.texts.log).not.toContain(proposal);
  });
});
