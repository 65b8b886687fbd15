import { describe, expect, test } from 'vitest';
import { agentsWithMentions } from '../src/agents/agents.js';
import { controlContract } from '../src/control/controlContract.js';
import type { HostPage } from '../src/index.js';
import { useStages } from './support/companionStage.js';

const start = useStages();

describe('the page of a host', () => {
  test('is reported to the command with its token, and in the status without it', async () => {
    let isOpen = false;
    const page: HostPage = {
      address: () => 'http://127.0.0.1:5/#key=secret',
      addressForOpening: () => 'http://127.0.0.1:5/open/once',
      problem: () => undefined,
      isOpen: () => isOpen,
    };
    const stage = await start({ page });
    const { client } = await stage.found();
    expect(await client.call('page', {})).toEqual({
      url: 'http://127.0.0.1:5/#key=secret',
      openingUrl: 'http://127.0.0.1:5/open/once',
    });
    const status = await client.call('status', {});
    expect(status.page).toEqual({ url: 'http://127.0.0.1:5/' });
    expect(JSON.stringify(status)).not.toContain('secret');
    expect(stage.companion.isNeeded).toBe(false);
    isOpen = true;
    expect(stage.companion.isNeeded).toBe(true);
    expect(stage.log.join()).not.toContain('secret');
  });

  test('reports why it is not served, and a host without a page reports that', async () => {
    const page: HostPage = {
      address: () => undefined,
      addressForOpening: () => undefined,
      problem: () => 'The page was not built.',
      isOpen: () => false,
    };
    const [unbuilt, without] = [await start({ page }), await start()];
    expect((await unbuilt.companion.status()).page).toBeUndefined();
    const calls = [unbuilt, without].map(async (stage) => (await stage.found()).client.call('page', {}));
    const answers = await Promise.allSettled(calls);
    expect(answers).toMatchObject([
      { reason: { code: 'refused', message: 'The page was not built.' } },
      { reason: { code: 'refused', message: expect.stringContaining('has no review page') } },
    ]);
  });
});

test('the status lists the agents that take mentions, and a status of an earlier version is accepted', async () => {
  const { companion } = await start();
  const status = await companion.status();
  const names = status.agents.flatMap(({ displayName, takesMentions }) =>
    takesMentions ? [displayName] : [],
  );
  expect(names).toEqual(agentsWithMentions());
  expect(names).toContain('Claude Code');
  const earlier = { ...status, agents: status.agents.map(({ takesMentions: _new, ...agent }) => agent) };
  expect(controlContract.status.result.parse(earlier).agents[0]?.takesMentions).toBe(false);
});
