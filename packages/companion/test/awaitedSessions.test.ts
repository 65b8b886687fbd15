import { FakeClock } from '@tandem/testing';
import { describe, expect, test, vi } from 'vitest';
import { reconnectLimitMs } from '../src/agents/servedAgents.js';
import type { CompanionStage } from './support/companionStage.js';
import { useStages } from './support/companionStage.js';

const start = useStages();

/** Ends a companion without notifying its agents, and starts its successor. */
async function restart(first: CompanionStage, clock: FakeClock): Promise<CompanionStage> {
  const before = first.companion.save();
  await first.companion.stop();
  return start({ before, machine: first.machine, clock });
}

function lostIn(stage: CompanionStage): unknown[] {
  return stage.events.filter(({ event }) => event === 'session.lost');
}

describe('agents of the previous companion', () => {
  test.each([
    ['gemini', 'Gemini CLI', '/ide enable'],
    ['qwen', 'Qwen Code', '/ide enable'],
    ['claude', 'Claude Code', '/ide'],
  ] as const)('are reported as lost when they do not reconnect: %s', async (agent, displayName, connect) => {
    const first = await start();
    const client = agent === 'claude' ? await first.connect(agent) : await first.connect(agent);
    await first.event('session.connected');
    const clock = new FakeClock();
    const second = await restart(first, clock);
    if ('socket' in client) await client.closed;
    clock.advance(reconnectLimitMs - 1);
    expect(lostIn(second)).toEqual([]);
    clock.advance(1);
    const lost = { agent, displayName, count: 1, connect };
    expect(lostIn(second)).toEqual([{ event: 'session.lost', ...lost }]);
    expect(second.companion.agents.lost).toEqual([lost]);
    const status = (await second.companion.status()).agents.find(({ id }) => id === agent);
    expect(status?.lost).toEqual({ count: 1, connect });

    // After the user follows the advice, no second report is sent.
    // First break the connections to the previous companion that `fetch` keeps open.
    await vi.waitFor(
      async () => void (await (agent === 'claude' ? second.connect(agent) : second.connect(agent))),
      // Long enough for a busy machine.
      { timeout: 10_000 },
    );
    const returned = await second.event('session.returned');
    expect(returned).toEqual({ event: 'session.returned', agent, displayName, count: 0 });
    expect(second.companion.agents.lost).toEqual([]);
    clock.advance(10 * reconnectLimitMs);
    expect(lostIn(second)).toHaveLength(1);
  });

  test('are not reported when they reconnect, in their session or in a new one', async () => {
    const first = await start();
    const [gemini] = [await first.connect('gemini'), await first.connect('claude')];
    await first.event('session.connected', ({ agent }) => agent === 'claude');
    const clock = new FakeClock();
    const second = await restart(first, clock);
    expect((await vi.waitFor(() => gemini.openStream())).status).toBe(200);
    const claude = await second.connect('claude');
    // An agent that reconnected and then left was not lost.
    await claude.close();
    clock.advance(reconnectLimitMs);
    expect(lostIn(second)).toEqual([]);
  });

  test('are not missed if they had disconnected before the end, and replace no other agent when they return', async () => {
    const first = await start();
    const [returning, ended] = [
      await first.connect('gemini'),
      await first.connect('gemini'),
      await first.connect('gemini'),
    ];
    returning.hangUp();
    ended.hangUp();
    await vi.waitFor(() =>
      expect(first.companion.agents.sessions.filter(({ isAway }) => isAway)).toHaveLength(2),
    );
    const clock = new FakeClock();
    const second = await restart(first, clock);
    expect((await vi.waitFor(() => returning.openStream())).status).toBe(200);
    clock.advance(reconnectLimitMs);
    expect(lostIn(second)).toMatchObject([{ agent: 'gemini', count: 1 }]);
  });

  test('are counted when only some of a kind reconnect, however often their streams open', async () => {
    const first = await start();
    const [one] = [
      await first.connect('gemini'),
      await first.connect('gemini'),
      await first.connect('gemini'),
    ];
    const clock = new FakeClock();
    const second = await restart(first, clock);
    for (let times = 0; times < 3; times++)
      expect((await vi.waitFor(() => one.openStream())).status).toBe(200);
    clock.advance(reconnectLimitMs);
    expect(second.companion.agents.lost).toMatchObject([{ agent: 'gemini', count: 2 }]);
    expect(second.events.some(({ event }) => event === 'session.returned')).toBe(false);
    const late = await second.connect('gemini');
    await late.openStream();
    expect(await second.event('session.returned')).toMatchObject({ agent: 'gemini', count: 1 });
    expect(second.companion.agents.lost).toMatchObject([{ agent: 'gemini', count: 1 }]);
  });

  test('are also missed when another program has their port', async () => {
    const first = await start();
    await first.connect('gemini');
    const clock = new FakeClock();
    const before = { ...first.companion.save() };
    // The first companion still listens on that port.
    const second = await start({ before, clock });
    expect(second.companion.port).not.toBe(first.companion.port);
    clock.advance(reconnectLimitMs);
    expect(second.companion.agents.lost).toMatchObject([{ agent: 'gemini', count: 1 }]);
  });
});
