import { probeCompanion } from '@tandem/mcp';
import { FakeClock } from '@tandem/testing';
import { describe, expect, test } from 'vitest';
import { HttpClient } from '../../mcp/test/support/httpClient.js';
import { WebSocketClient } from '../../mcp/test/support/webSocketClient.js';
import { type AgentId, agentProtocols } from '../src/agents/agents.js';
import { reconnectLimitMs } from '../src/agents/servedAgents.js';
import { type CompanionStage, useStages } from './support/companionStage.js';

const start = useStages();
const tokenHeader = 'x-claude-code-ide-authorization';
const introduction = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'tandem-doctor', version: '1.0.0' },
};

/** Probes the companion for each agent, as `tandem doctor` does. */
function probeAll({ companion }: CompanionStage): Promise<unknown> {
  const probes = companion.agents.connections().flatMap(({ id, token, url }) =>
    token === undefined
      ? []
      : probeCompanion({
          address: id === 'copilot' ? { socket: url } : { port: companion.port },
          token,
          carrier: agentProtocols[id as AgentId].diagnosis.carrier,
          timeoutMs: 10_000,
        }),
  );
  return Promise.all(probes);
}

function tokenOf({ companion }: CompanionStage, agent: string): string {
  return companion.agents.connections().find(({ id }) => id === agent)?.token ?? '';
}

describe("the doctor's handshake", () => {
  test('succeeds and appears in the trace, and does not count as an agent', async () => {
    const stage = await start();
    const { companion } = stage;
    let received = 0;
    companion.agents.onDidReceive(() => received++);
    const counts: number[] = [];
    companion.onEvent(() => counts.push(companion.agents.sessions.length));
    const isTandem = { kind: 'tandem', version: '9.8.7', pid: process.pid };
    expect(await probeAll(stage)).toEqual([isTandem, isTandem, isTandem, isTandem]);
    expect(stage.events).toEqual([]);
    expect(counts).toEqual([]);
    expect(received).toBe(0);
    expect(companion.isNeeded).toBe(false);
    expect(companion.save().sessions).toEqual([]);
    expect((await companion.status()).agents.flatMap(({ sessions }) => sessions)).toEqual([]);
    const asked = companion.trace.lines.filter((line) => line.includes('tandem-doctor'));
    expect(asked.map((line) => JSON.parse(line).endpoint).sort()).toEqual([
      'claude',
      'copilot',
      'gemini',
      'qwen',
    ]);
  });

  test('does not count as a reconnected agent after a restart, and is not missed', async () => {
    const first = await start();
    const client = await first.connect('claude');
    await first.event('session.connected');
    await probeAll(first);
    const before = first.companion.save();
    expect(before.sessions.map(({ agent }) => agent)).toEqual(['claude']);
    await first.companion.stop();
    await client.closed;
    const clock = new FakeClock();
    const second = await start({ before, machine: first.machine, clock });
    await probeAll(second);
    clock.advance(reconnectLimitMs);
    expect(second.companion.agents.lost).toMatchObject([{ agent: 'claude', count: 1 }]);
    await probeAll(second);
    expect(second.companion.agents.lost).toMatchObject([{ agent: 'claude', count: 1 }]);
  });
});

describe("a client with the doctor's name", () => {
  test('has no session over HTTP: no tool, no context, no proposal', async () => {
    const stage = await start();
    const client = new HttpClient(stage.companion, tokenOf(stage, 'gemini'));
    const answer = await client.request('initialize', introduction);
    expect(answer.status).toBe(200);
    client.sessionId = answer.headers.get('mcp-session-id') ?? undefined;
    expect(client.sessionId).toBeDefined();
    expect((await client.request('tools/list')).status).toBe(404);
    expect((await client.call('openDiff', { filePath: '/a', newContent: 'b' })).status).toBe(404);
    expect((await client.stream()).status).toBe(404);
    expect(stage.events).toEqual([]);
  });

  test('is disconnected from a WebSocket before its messages are handled', async () => {
    const stage = await start();
    const token = tokenOf(stage, 'claude');
    const client = await WebSocketClient.open(stage.companion, { headers: { [tokenHeader]: token } });
    // Sends at once, before the server can close.
    client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: introduction });
    client.notify('notifications/initialized');
    client.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
    const openDiff = { name: 'openDiff', arguments: { new_file_path: '/a', new_file_contents: 'b' } };
    client.send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: openDiff });
    expect((await client.closed).code).toBe(1000);
    expect(client.received.map(({ id, result }) => [id, Object.keys(result ?? {})])).toEqual([
      [1, expect.arrayContaining(['serverInfo'])],
    ]);
    expect(stage.events).toEqual([]);
    expect(stage.companion.reviews.pending).toEqual([]);
  });

  test('needs the token like every other client', async () => {
    const stage = await start();
    const answer = await new HttpClient(stage.companion, 'x'.repeat(43)).request('initialize', introduction);
    expect(answer.status).toBe(401);
  });
});
