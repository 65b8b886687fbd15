import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultTiming } from '../../mcp/src/limits.js';
import { type AgentSession, agents, type RunningProtocol } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { Stage } from './support/stage.js';
import { expectSystemPorts } from './support/systemPorts.js';

const path = '/workspace/a.ts';

describe('the connection of Claude Code', () => {
  let stage: Stage;
  let running: RunningProtocol;

  beforeEach(async () => {
    stage = await Stage.create({ files: { [path]: 'a\n' } });
    running = await stage.start(agents.claude);
  });

  afterEach(() => stage.close());

  it('serves MCP on / for the CLI and on /mcp for the document [CLA-12 CLA-14 CLA-60]', async () => {
    expect(running.url).toBe(`ws://127.0.0.1:${stage.listener.port}/`);
    for (const url of [running.url, `${running.url}mcp`]) {
      const client = await ClaudeClient.open(url, running.token);
      expect((await client.initialize()).result.serverInfo).toEqual({ name: 'tandem', version: '9.8.7' });
    }
  });

  it('asks the system for a port at each start [CLA-15 CLA-69]', () => expectSystemPorts(agents.claude));

  it('listens on 127.0.0.1 only [CLA-13 CLA-66]', async () => {
    const { port } = stage.listener;
    const elsewhere = ClaudeClient.open(`ws://127.0.0.2:${port}/`, running.token);
    await expect(elsewhere).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('requires the subprotocol mcp and echoes it [CLA-16 CLA-61 CLA-67]', async () => {
    const client = await ClaudeClient.open(running.url, running.token);
    expect(client.socket.protocol).toBe('mcp');
    await expect(ClaudeClient.open(running.url, running.token, [])).rejects.toThrow('400');
    await expect(ClaudeClient.open(running.url, running.token, ['chat'])).rejects.toThrow('400');
  });

  it('makes a new token of 64 random bytes in base64url at each start [CLA-11 CLA-65 CLA-68]', async () => {
    const again = await stage.start(agents.claude);
    expect(running.token).toMatch(/^[A-Za-z0-9_-]{86}$/);
    expect(again.token).not.toBe(running.token);
  });

  it.each([
    ['without a token', () => undefined],
    ['with a wrong token', () => 'x'.repeat(86)],
  ])('closes with 1008 and the reason of the document %s [CLA-17 CLA-18]', async (_case, token) => {
    const client = await ClaudeClient.open(running.url, token());
    expect(await client.closed).toEqual({ code: 1008, reason: 'Invalid or missing authentication token' });
    expect(running.sessions()).toEqual([]);
  });

  it('speaks JSON-RPC 2.0 in text frames [CLA-19]', async () => {
    const client = await ClaudeClient.open(running.url, running.token);
    expect(await client.initialize()).toMatchObject({ jsonrpc: '2.0', id: 0 });
    client.socket.send(Buffer.from('{}'), { binary: true });
    expect((await client.closed).code).toBe(1003);
  });

  it.each(['2025-11-25', '2025-03-26', '2024-11-05'])(
    'answers initialize of version %s with that version, its name and listChanged tools [CLA-20 CLA-21 CLA-62]',
    async (version) => {
      const client = await ClaudeClient.open(running.url, running.token);
      expect((await client.initialize(version)).result).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: 'tandem', version: '9.8.7' },
        capabilities: { tools: { listChanged: true } },
      });
    },
  );

  it('has no name that switches automatic diagnostics off, and advertises neither resources nor prompts [CLA-83 CLA-63]', async () => {
    const client = await ClaudeClient.open(running.url, running.token);
    const { result } = await client.initialize();
    expect(result.serverInfo.name).not.toBe('Claude Code JetBrains Plugin');
    expect(Object.keys(result.capabilities)).toEqual(['tools']);
  });

  it("answers the three lists that the document's client requests [CLA-22 CLA-23 CLA-24 CLA-25]", async () => {
    const client = await ClaudeClient.open(running.url, running.token);
    await client.initialize('2024-11-05');
    client.notify('notifications/initialized');
    const { tools } = (await client.request('tools/list')).result;
    expect(tools[0].name).toBe('openDiff');
    for (const tool of tools) {
      expect(tool).toEqual({
        name: expect.stringMatching(/^\w+$/),
        description: expect.stringMatching(/\w\.$/),
        inputSchema: expect.objectContaining({ type: 'object' }),
      });
    }
    expect((await client.request('resources/list')).result).toEqual({ resources: [] });
    expect((await client.request('prompts/list')).result).toEqual({ prompts: [] });
  });

  it('answers ping, and an unknown method with -32601 [CLA-54 CLA-56]', async () => {
    const client = await ClaudeClient.connect(running);
    expect((await client.request('ping')).result).toEqual({});
    expect((await client.request('no/such/method')).error).toEqual({
      code: -32601,
      message: 'Method not found',
    });
  });

  it('reads the pid from ide_connected, with and without the field that the CLI omits [CLA-33 CLA-34 CLA-35]', async () => {
    const real = await ClaudeClient.connect(running);
    expect(running.sessions()).toMatchObject([
      { agent: 'claude', client: { name: 'claude-code', version: '2.1.332' }, pid: 54321 },
    ]);
    real.notify('ide_connected', { pid: 'none of ours' });
    real.notify('ide_connected', { pid: 777, isPluginVersionUnsupported: false });
    await real.request('ping');
    expect(running.sessions()[0]?.pid).toBe(777);
    expect(stage.problems).toEqual([]);
    real.notify('ide_connected', { pid: 777, isPluginVersionUnsupported: true });
    await stage.whenProblem();
  });

  it('accepts a new connection after one ended, and reports both [CLA-52]', async () => {
    const seen: string[] = [];
    running.onDidOpenSession((session: AgentSession) => seen.push(`open ${session.id}`));
    const closed = new Promise<AgentSession>((resolve) => running.onDidCloseSession(resolve));
    const first = await ClaudeClient.connect(running);
    await first.close();
    const { id } = await closed;
    await ClaudeClient.connect(running);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(`open ${id}`);
    expect(running.sessions()).toHaveLength(1);
  });

  it('pings every 5 s and drops a client that is silent for 3 s [CLA-96]', async () => {
    expect(defaultTiming).toMatchObject({ pingIntervalMs: 5000, pingTimeoutMs: 3000 });
    const hasty = await Stage.create({ timing: { pingIntervalMs: 5, pingTimeoutMs: 500 } });
    const served = await hasty.start(agents.claude);
    const ended = new Promise<AgentSession>((resolve) => served.onDidCloseSession(resolve));
    const client = await ClaudeClient.connect(served);
    await client.pinged(3);
    expect(served.sessions()).toHaveLength(1);
    client.socket.pause();
    await ended;
    client.socket.resume();
    expect((await client.closed).code).toBe(1006);
    await hasty.close();
  });

  it('sends an error instead of a frame above 16 MiB [CLA-97]', async () => {
    const client = await ClaudeClient.connect(running);
    const call = client.beginOpenDiff(path, 'x'.repeat(17 * 1024 * 1024));
    stage.editor.user.accept(await stage.editor.whenShown());
    const { result } = await client.answer(call);
    expect(result).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('MiB') }],
      isError: true,
    });
    expect((await client.request('ping')).result).toEqual({});
  });

  it('accepts the ids and the progress tokens of the CLI, and answers no notification [CLA-98 CLA-99]', async () => {
    const client = await ClaudeClient.open(running.url, running.token);
    expect((await client.initialize()).id).toBe(0);
    client.notify('notifications/initialized');
    client.notify('ide_connected', { pid: 1 });
    client.notify('unheard/of', { a: 1 });
    const call = client.beginCall('closeAllDiffTabs', {});
    expect(call).toBe(1);
    expect((await client.answer(call)).result.isError).toBeUndefined();
    const frames = client.received
      .trim()
      .split('\n')
      .map((frame) => JSON.parse(frame).id);
    expect(frames).toEqual([0, 1]);
  });

  it('closes the connections when it stops, also if stopped repeatedly [CLA-59]', async () => {
    const client = await ClaudeClient.connect(running);
    running.stop();
    running.stop();
    expect((await client.closed).code).toBe(1001);
    expect(running.sessions()).toEqual([]);
  });
});
