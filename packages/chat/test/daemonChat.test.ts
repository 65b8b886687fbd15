import { describe, expect, it, onTestFinished } from 'vitest';
import { DaemonChat, type DaemonChatOptions } from '../src/index.js';
import type { ChatModel } from '../src/model/index.js';
import { faultyDaemon, until as seen } from './ideSetting.js';

/** A chat with a faulty daemon. */
async function connectedChat(options: Partial<DaemonChatOptions> = {}) {
  const daemon = await faultyDaemon();
  const chat = new DaemonChat({ baseUrl: daemon.url, folder: '/workspace', ...options });
  onTestFinished(() => chat.dispose());
  await chat.connect(daemon.sessionId);
  const until = (probe: (model: ChatModel) => boolean) => seen(() => probe(chat.model));
  return { daemon, chat, until, stream: await daemon.stream() };
}

function said(chat: DaemonChat): string[] {
  return chat.model.items.map((item) => ('text' in item ? `${item.kind}: ${item.text}` : item.kind));
}

function echo(text: string, promptId: string, id?: number, serverTimestamp?: number): object {
  const update = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } };
  const _meta = { serverTimestamp };
  return { id, type: 'session_update', promptId, data: { sessionId: 'session-1', update }, _meta };
}

const lost = expect.stringMatching(/^error: The daemon was restarted/);

describe('the chat', () => {
  it('uses the adapter and one stream [DMN-33]', async () => {
    const { daemon, chat, stream, until } = await connectedChat();
    await Promise.all([chat.connect(), chat.openSession('session-1'), chat.newSession()]);
    expect(daemon.requests('/events')).toHaveLength(4);
    await seen(() => daemon.openStreams === 1);
    stream.send(echo('Of the stream before', 'p'));
    for (let left = 2; left > 0; left -= 1) await daemon.stream();
    const last = await daemon.stream();
    last.send({ id: 1, type: 'session_died', data: { sessionId: 'another', reason: 'not_ours' } });
    last.send({ id: 2, type: 'session_died', data: { reason: 'of_none' } });
    last.send(echo('Hello', 'p', 3));
    await until(({ items }) => items.length > 0);
    expect(said(chat)).toEqual(['user: Hello']);
    expect(chat.model.connection).toEqual({ state: 'connected' });
    last.send({ id: 4, type: 'session_died', data: { sessionId: 'session-1', reason: 'channel_closed' } });
    await until(({ connection }) => connection.state === 'disconnected');
    expect(chat.model.connection.problem?.kind).toBe('session_ended');
  });

  it('refuses the address of another machine before it sends anything [DMN-9]', async () => {
    const chat = new DaemonChat({ baseUrl: 'http://192.0.2.1:4170', folder: '/workspace' });
    onTestFinished(() => chat.dispose());
    await expect(chat.connect()).rejects.toMatchObject({ kind: 'not_loopback' });
    expect(chat.model.connection).toMatchObject({ state: 'disconnected', problem: { kind: 'not_loopback' } });
  });

  it('stops connecting without an error when it is disposed', async () => {
    const daemon = await faultyDaemon();
    daemon.refusal = 503;
    const chat = new DaemonChat({ baseUrl: daemon.url, folder: '/workspace' });
    const connecting = chat.connect();
    await seen(() => daemon.requests('/events').length > 0);
    chat.dispose();
    await connecting;
    await seen(() => daemon.requests('/detach').length > 0);
  });

  it('stops a running turn, and reports nothing once it is disposed', async () => {
    const { daemon, chat, stream, until } = await connectedChat();
    stream.send({ id: 1, type: 'pending_prompt_started', data: { promptId: 'p', text: 'Runs' } });
    await until(({ turn }) => turn.state === 'running');
    const states: string[] = [];
    chat.onDidChange(({ model }) => states.push(model.turn.state));
    await chat.cancel();
    expect(states).toEqual(['stopping']);
    expect(daemon.requests('/cancel')).toHaveLength(1);
    stream.send({ id: 2, type: 'pending_prompt_started', data: { promptId: 'p', text: 'Runs' } });
    await until(({ turn }) => turn.state === 'running');
    chat.dispose();
    await chat.cancel();
    expect(states).toEqual(['stopping', 'running']);
  });

  it('knows which models take images, if the daemon reports it', async () => {
    const { daemon, chat } = await connectedChat();
    const models = [
      { modelId: 'sees', modalities: { image: true } },
      { modelId: 'reads', modalities: { image: false } },
      { modelId: 'unknown' },
    ];
    daemon.facts = { state: { models: { availableModels: models } }, providers: [{ models }] };
    await chat.openSession(daemon.sessionId);
    expect(chat.model.models.available).toEqual([
      { id: 'sees', name: 'sees', takesImages: true },
      { id: 'reads', name: 'reads', takesImages: false },
      { id: 'unknown', name: 'unknown' },
    ]);
  });

  it('keeps its session if another one cannot be opened', async () => {
    const { daemon, chat, stream, until } = await connectedChat();
    daemon.loadStatus = 404;
    await expect(chat.openSession('gone')).rejects.toMatchObject({ kind: 'session_not_found' });
    stream.send(echo('Still here', 'p', 1));
    await until(({ items }) => items.length > 0);
    expect(chat.model.connection).toEqual({ state: 'connected' });
  });

  const folders = { boundWorkspace: '/theirs', requestedWorkspace: '/ours' };
  it.each([
    ['unauthorized', 'does not accept the token', 401, {}],
    ['incompatible', 'a forwarded port must have the same number', 403, { error: 'Invalid Host header' }],
    ['workspace_mismatch', 'in /theirs, not in /ours', 400, { code: 'workspace_mismatch', ...folders }],
    ['no_auth_configured', 'has no model provider', 500, { data: { authMethods: [] } }],
    ['session_not_found', 'no longer has this chat', 404, { error: 'No such session' }],
    ['incompatible', 'is not a daemon, or it is too old', 404, {}],
    ['request_failed', 'could not load the session: on purpose', 400, { error: 'on purpose' }],
  ])('explains why a session cannot be opened: %s, it %s', async (kind, words, status, body) => {
    const { daemon, chat } = await connectedChat();
    Object.assign(daemon, { loadStatus: status, loadRefusal: body });
    const message = expect.stringContaining(words);
    await expect(chat.openSession('another')).rejects.toMatchObject({ kind, message });
  });

  it('keeps a request pending if the answer was not delivered', async () => {
    const { daemon, chat, stream, until } = await connectedChat();
    const toolCall = { toolCallId: 't', title: 'Run', kind: 'execute', _meta: { toolName: 'shell' } };
    const options = [{ optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' }];
    stream.send({
      type: 'permission_request',
      data: { requestId: 'r', sessionId: 'session-1', toolCall, options },
    });
    await until(({ pending }) => pending.length > 0);
    daemon.voteStatus = 500;
    await expect(chat.answer('r', { optionId: 'proceed_once' })).rejects.toMatchObject({
      kind: 'request_failed',
    });
    expect(chat.model.pending).toMatchObject([{ requestId: 'r', isAnswering: false }]);
    daemon.voteStatus = 200;
    expect(await chat.answer('r', { optionId: 'proceed_once' })).toBe('answered');
    stream.send({ type: 'permission_resolved', data: { requestId: 'r' } });
    await until(({ pending }) => pending.length === 0);
    expect(await chat.answer('r', { optionId: 'proceed_once' })).toBe('elsewhere');
    expect(daemon.votes).toHaveLength(2);
  });
});

describe('a sent prompt', () => {
  it('is shown if the connection ends before the echo, and only once after a reconnect', async () => {
    const { daemon, chat, stream, until } = await connectedChat({ reconnectForMs: 0 });
    stream.send(echo('First', 'prompt-1', 1));
    await chat.send('First');
    await chat.send([
      { type: 'text', text: 'Second' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
    ]);
    await until(({ items }) => items.length > 0);
    stream.end();
    await until(({ connection }) => connection.state === 'disconnected');
    expect(said(chat)).toEqual(['user: First', 'user: Second']);
    expect(chat.model.items[1]).toMatchObject({ images: [{ data: 'AA==', mimeType: 'image/png' }] });
    daemon.history = [echo('First', 'prompt-1'), echo('Second', 'prompt-2')];
    daemon.hasActivePrompt = true;
    await chat.connect();
    expect(said(chat)).toEqual(['user: First', 'user: Second']);
    expect(chat.model.turn.state).toBe('running');
  });

  it('is shown as lost, and can be sent again, if the daemon does not know it after a reconnect', async () => {
    const { daemon, chat, stream, until } = await connectedChat({ reconnectForMs: 0 });
    await chat.send('Lost prompt');
    stream.end();
    await until(({ connection }) => connection.state === 'disconnected');
    expect(said(chat)).toEqual(['user: Lost prompt']);
    await chat.connect();
    expect(said(chat)).toEqual(['user: Lost prompt', lost]);
    await chat.retry();
    expect(daemon.bodyOf('POST /session/session-1/prompt')).toMatchObject({
      prompt: [{ type: 'text', text: 'Lost prompt' }],
    });
  });

  it('can be sent again by another client, which knows it from the history', async () => {
    const { daemon, chat } = await connectedChat();
    const answer = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hello' } };
    daemon.history = [
      echo('First', 'prompt-1'),
      { type: 'session_update', data: { sessionId: 'session-1', update: answer } },
      echo('Last', 'prompt-2'),
      { type: 'turn_error', data: { promptId: 'prompt-2', message: 'on purpose' } },
    ];
    await chat.openSession(daemon.sessionId);
    await chat.retry();
    expect(daemon.bodyOf('POST /session/session-1/prompt')).toEqual({
      prompt: [{ type: 'text', text: 'Last' }],
    });
  });

  it('replaces an earlier one, whose turn the daemon drops first', async () => {
    const { daemon, chat } = await connectedChat();
    daemon.history = [echo('First', 'prompt-1', 1, 1_000), echo('Second', 'prompt-2', 2, 2_000)];
    const turn = (promptId: string, turnIndex: number, at: number) => ({
      promptId,
      turnIndex,
      timestamp: new Date(at).toISOString(),
    });
    daemon.facts = { snapshots: [turn('turn-0', 0, 1_100), turn('turn-1', 1, 2_100)] };
    await chat.openSession(daemon.sessionId);
    expect(await chat.send('Better', { replaces: 'prompt-2' })).toBe('rewound');
    const [rewind, prompt] = daemon.received.slice(-2);
    expect(rewind).toMatchObject({
      line: 'POST /session/session-1/rewind',
      clientId: 'client-1',
      body: { promptId: 'turn-1', rewindFiles: false },
    });
    expect(prompt?.body).toEqual({ prompt: [{ type: 'text', text: 'Better' }] });
    expect(await chat.send('Other', { replaces: 'unknown' })).toBe('sent');
    expect(daemon.requests('/rewind')).toHaveLength(1);
  });

  it('can be removed while it is queued; a later removal stops nothing', async () => {
    const { daemon, chat, stream, until } = await connectedChat({ reconnectForMs: 0 });
    const remove = 'DELETE /session/session-1/pending-prompts/prompt-2';
    await chat.send('Runs');
    stream.send(echo('Runs', 'prompt-1', 1));
    await chat.send('Queued');
    expect(await chat.removeQueued('prompt-2')).toBe('started');
    expect(daemon.requests(remove)).toEqual([]);
    const data = { sessionId: 'session-1', promptId: 'prompt-2', text: 'Queued' };
    stream.send({ id: 2, type: 'pending_prompt_added', data });
    await until(({ turn }) => turn.queued.length > 0);
    daemon.hasQueued = false;
    expect(await chat.removeQueued('prompt-2')).toBe('started');
    daemon.hasQueued = true;
    expect(await chat.removeQueued('prompt-2')).toBe('removed');
    stream.send({ id: 3, type: 'pending_prompt_completed', data: { ...data, state: 'removed' } });
    await until(({ turn }) => turn.queued.length === 0);
    // It is not reported as lost when the connection ends, because it was removed.
    stream.end();
    await until(({ connection }) => connection.state === 'disconnected');
    expect(said(chat)).toEqual(['user: Runs']);
  });

  it('is shown as lost, together with queued prompts, after a restart of the daemon', async () => {
    const { daemon, chat, stream, until } = await connectedChat();
    await chat.send('Runs');
    stream.send(echo('Runs', 'prompt-1', 1));
    await chat.send('Queued');
    const data = { sessionId: 'session-1', promptId: 'prompt-2', text: 'Queued' };
    stream.send({ id: 2, type: 'pending_prompt_added', data });
    await until(({ turn }) => turn.queued.length > 0);
    daemon.history = [echo('Runs', 'prompt-1')];
    daemon.refusal = 404;
    stream.break();
    await seen(() => daemon.requests('/load').length > 1);
    daemon.refusal = undefined;
    await until(({ items }) => items.length > 2);
    expect(said(chat)).toEqual(['user: Runs', 'user: Queued', lost]);
  });

  it('is not shown again after its turn has ended', async () => {
    const { chat, stream, until } = await connectedChat({ reconnectForMs: 0 });
    await chat.send('Silent');
    stream.send({ id: 1, type: 'turn_complete', data: { promptId: 'prompt-1', stopReason: 'end_turn' } });
    stream.send(echo('Of another', 'other', 2));
    await until(({ items }) => items.length > 0);
    stream.end();
    await until(({ connection }) => connection.state === 'disconnected');
    expect(said(chat)).toEqual(['user: Of another']);
  });
});
