import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSession, RunningProtocol } from '../src/index.js';
import { CompanionClient } from './support/companionClient.js';
import { companions } from './support/companions.js';
import { Stage } from './support/stage.js';
import { expectSystemPorts } from './support/systemPorts.js';

const path = '/workspace/a.ts';

describe.each(companions)('the connection of $name', ({ protocol, manner }) => {
  let stage: Stage;
  let running: RunningProtocol;

  beforeEach(async () => {
    stage = await Stage.create({ files: { [path]: 'a\n' } });
    running = await stage.start(protocol);
  });

  afterEach(() => stage.close());

  it('is an MCP server over HTTP at /mcp [GEM-1 GEM-2 GEM-3 GEM-50 QWN-1 QWN-2 QWN-3 QWN-50 QWL-1 QWL-2 QWL-3 QWL-50]', async () => {
    expect(running.url).toBe(`http://127.0.0.1:${stage.listener.port}/mcp`);
    const client = new CompanionClient(running, manner);
    expect((await client.initialize()).result).toMatchObject({
      serverInfo: { name: 'tandem', version: '9.8.7' },
      capabilities: { tools: {} },
    });
  });

  it('asks the system for a port at each start [GEM-4 QWN-4 QWL-4]', () => expectSystemPorts(protocol));

  it('negotiates the version that the CLI requests and accepts its order of messages [GEM-60 GEM-61 QWN-60 QWN-61]', async () => {
    const client = new CompanionClient(running, manner);
    expect((await client.initialize()).result.protocolVersion).toBe(manner.protocolVersion);
    expect(await client.initialized()).toBe(202);
    const [stream, tools] = await Promise.all([client.openStream(), client.request('tools/list')]);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(tools.result.tools).toHaveLength(2);
  });

  it('makes a new token of 32 random bytes at each start [GEM-17 QWN-17 QWL-17]', async () => {
    const again = await stage.start(protocol);
    expect(Buffer.from(running.token ?? '', 'base64url')).toHaveLength(32);
    expect(again.token).not.toBe(running.token);
  });

  it.each(['POST', 'GET', 'DELETE'])(
    'refuses %s without its token [GEM-18 QWN-18 QWL-18]',
    async (method) => {
      const client = await CompanionClient.connect(running, manner);
      const stranger = await stage.start(
        companions[protocol.identity.id === 'gemini' ? 1 : 0]?.protocol ?? protocol,
      );
      const presented = [undefined, 'Bearer', `Bearer ${running.token}x`, `Basic ${running.token}`];
      for (const authorization of presented) {
        const headers = { ...(authorization && { authorization }), 'mcp-session-id': client.sessionId ?? '' };
        expect((await fetch(running.url, { method, headers })).status).toBe(401);
      }
      // The other agent's token is valid, but it has no session here.
      const headers = { authorization: `Bearer ${stranger.token}`, 'mcp-session-id': client.sessionId ?? '' };
      expect((await fetch(running.url, { method, headers })).status).toBe(404);
    },
  );

  it.each([
    ['host.docker.internal', 200],
    ['127.0.0.1', 200],
    ['localhost', 200],
    ['example.com', 403],
  ])('answers a client that calls us %s with %i [GEM-74 QWN-74]', async (name, status) => {
    const { port } = stage.listener;
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      outgoing.setHeader('host', `${name}:${port}`);
      outgoing.setHeader('authorization', `Bearer ${running.token}`);
      outgoing.setHeader('accept', 'application/json, text/event-stream');
      outgoing.setHeader('content-type', 'application/json');
      outgoing.on('error', reject);
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: manner.clientInfo };
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    });
    expect(answered).toBe(status);
  });

  it('lists the sessions that open and close', async () => {
    const opened: AgentSession[] = [];
    running.onDidOpenSession((session) => opened.push(session));
    const closed = new Promise<AgentSession>((resolve) => running.onDidCloseSession(resolve));
    const client = await CompanionClient.connect(running, manner);
    const expected = {
      id: client.sessionId,
      agent: protocol.identity.id,
      client: manner.clientInfo,
      protocolVersion: manner.protocolVersion,
      connectedAt: stage.clock.now(),
    };
    expect(opened).toEqual([expected]);
    expect(running.sessions()).toEqual([expected]);
    client.hangUp();
    expect(await closed).toEqual(expected);
    expect(running.sessions()).toEqual([]);
  });

  it('withdraws the proposals of a CLI that disconnects without a DELETE, and keeps the edits [GEM-67 GEM-80 QWN-67 QWN-80]', async () => {
    const client = await CompanionClient.connect(running, manner);
    await client.openDiff(path, 'x\n');
    const review = await stage.editor.whenShown();
    stage.editor.user.edit(review, 'typed\n');
    const ended = new Promise<unknown>((resolve) => review.onDidDecide(resolve));
    client.hangUp();
    expect(await ended).toEqual({ kind: 'withdrawn', reason: 'disconnected' });
    expect(stage.editor.user.reviewsInView()).toEqual([]);
    expect(stage.reviews.ended.at(-1)?.content).toBe('typed\n');
    const next = await CompanionClient.connect(running, manner);
    await next.openDiff(path, 'x\n');
    expect((await stage.editor.whenShown()).content).toBe('typed\n');
  });

  it('gives each of two CLIs its own answer for the same path [GEM-78 QWN-78]', async () => {
    const [first, second] = [
      await CompanionClient.connect(running, manner),
      await CompanionClient.connect(running, manner),
    ];
    expect((await first.openDiff(path, 'first\n')).result).toEqual({ content: [] });
    expect((await second.openDiff(path, 'second\n')).result).toEqual({ content: [] });
    expect((await first.request('tools/list')).result.tools).toHaveLength(2);
    const [ofFirst, ofSecond] = stage.editor.user.reviewsInView();
    if (ofFirst === undefined || ofSecond === undefined) throw new Error('two reviews were expected');
    stage.editor.user.reject(ofSecond);
    expect((await second.next('ide/diffRejected')).params).toEqual({ filePath: path });
    expect(jsonContent(await first.closeDiff(path))).toBe('first\n');
    expect(ofFirst.outcome).toMatchObject({ reason: 'agent' });
    expect(first.notifications.map(({ method }) => method)).toEqual(['ide/contextUpdate']);
  });

  it('keeps the older session of a CLI that connects again [GEM-73 QWN-73]', async () => {
    const older = await CompanionClient.connect(running, manner);
    await older.next('ide/contextUpdate');
    const newer = await CompanionClient.connect(running, manner);
    await newer.next('ide/contextUpdate');
    stage.editor.user.focus(path);
    stage.settle();
    expect((await older.next('ide/contextUpdate')).params.workspaceState.openFiles).toHaveLength(1);
    expect((await newer.next('ide/contextUpdate')).params.workspaceState.openFiles).toHaveLength(1);
  });

  it('sends a decision that was made before the stream was open [GEM-62 QWN-62]', async () => {
    const client = new CompanionClient(running, manner);
    await client.initialize();
    await client.initialized();
    await client.openDiff(path, 'x\n');
    stage.editor.user.accept(await stage.editor.whenShown());
    await client.openStream();
    expect((await client.next('ide/diffAccepted')).params).toEqual({ filePath: path, content: 'x\n' });
  });

  it('does not send the decision of an earlier diff when the stream opens after a newer one [GEM-62 QWN-62]', async () => {
    const client = new CompanionClient(running, manner);
    await client.initialize();
    await client.initialized();
    await client.openDiff(path, 'older\n');
    stage.editor.user.accept(await stage.editor.whenShown());
    await client.openDiff(path, 'newer\n');
    await client.openStream();
    stage.editor.user.reject(await stage.editor.whenShown());
    await client.next('ide/diffRejected');
    expect(client.notifications.map(({ method }) => method)).not.toContain('ide/diffAccepted');
  });

  it('ends the sessions and withdraws their diffs when it stops [GEM-51 QWN-51 QWL-51]', async () => {
    const client = await CompanionClient.connect(running, manner);
    await client.openDiff(path, 'x\n');
    const review = await stage.editor.whenShown();
    running.stop();
    expect(review.outcome).toEqual({ kind: 'withdrawn', reason: 'stopped' });
    expect(running.sessions()).toEqual([]);
    const headers = { authorization: `Bearer ${running.token}` };
    expect((await fetch(running.url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
    running.stop();
  });
});

function jsonContent(answer: { readonly result?: { content: { text: string }[] } }): unknown {
  return JSON.parse(answer.result?.content[0]?.text ?? '').content;
}
