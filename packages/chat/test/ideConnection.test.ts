import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ContentBlock,
  DaemonError,
  DaemonIdeConnection,
  type DaemonIdeSessionFactory,
} from '../src/index.js';
import { DaemonApi } from '../src/qwenServe/daemonApi.js';
import { leaveOpen } from '../src/qwenServe/permissionRequests.js';
import { connectedIde, faultyDaemon, turnEnd, until, update } from './ideSetting.js';

const prompt = 'POST /session/session-1/prompt';

describe('connect', () => {
  it('opens a session for the given folder, model and token [DMN-28 DMN-34 DMN-35]', async () => {
    const options = { token: 'the-token', workspaceCwd: '/workspace', modelServiceId: 'the-model' };
    const { daemon } = await connectedIde({}, options);
    expect(daemon.bodyOf('POST /session')).toEqual({ cwd: '/workspace', modelServiceId: 'the-model' });
    expect(new Set(daemon.received.map(({ token }) => token))).toEqual(new Set(['Bearer the-token']));
  });

  it("attaches to the daemon's shared session [DMN-38]", async () => {
    const { daemon, connection } = await connectedIde();
    expect(daemon.bodyOf('POST /session')).toEqual({});
    expect(connection.currentSessionId).toBe(daemon.sessionId);
    expect(connection.lastEventId).toBeUndefined();
  });

  it('uses the given session factory [DMN-27]', async () => {
    const daemon = await faultyDaemon();
    const asked: unknown[] = [];
    const sessionFactory: DaemonIdeSessionFactory = async (options) => {
      asked.push(options);
      const api = await DaemonApi.open({ baseUrl: daemon.url });
      const open = () => api.loadSession('of-the-factory', '/workspace');
      return { client: await open(), reopen: open };
    };
    const connection = new DaemonIdeConnection();
    onTestFinished(() => connection.disconnect());
    await connection.connect({ baseUrl: daemon.url, token: 't', workspaceCwd: '/workspace', sessionFactory });
    expect(asked).toEqual([{ baseUrl: daemon.url, token: 't', workspaceCwd: '/workspace' }]);
    expect(daemon.requests()).toContain('POST /session/of-the-factory/load');
    expect(daemon.requests()).not.toContain('POST /session');
  });

  it('calls no factory for another machine [DMN-9]', async () => {
    const connection = new DaemonIdeConnection();
    const sessionFactory = () => Promise.reject(new Error('asked'));
    await expect(
      connection.connect({ baseUrl: 'http://192.0.2.1:4170', sessionFactory }),
    ).rejects.toMatchObject({ kind: 'not_loopback' });
  });

  it('resumes after the given event [DMN-13]', async () => {
    const { stream, connection } = await connectedIde({}, { lastEventId: 7 });
    expect(stream.lastEventId).toBe('7');
    expect(connection.lastEventId).toBe(7);
  });

  it('replaces the connection when the cursor differs [DMN-13]', async () => {
    const { daemon, connection, stream, texts, ends } = await connectedIde({}, { lastEventId: 7 });
    await connection.connect({ baseUrl: daemon.url, lastEventId: 7 });
    expect(daemon.requests('/events')).toHaveLength(1);
    await connection.connect({ baseUrl: daemon.url, lastEventId: 3 });
    const again = await daemon.stream();
    expect(again.lastEventId).toBe('3');
    expect(ends).toEqual(['disconnected']);
    stream.send(update(8, 'of the one before'));
    again.send(update(4, 'four'));
    await until(() => texts.length > 0);
    expect(texts).toEqual(['four']);
  });

  it('runs concurrent calls one after the other: the same options once, then others [DMN-11]', async () => {
    const daemon = await faultyDaemon();
    const connection = new DaemonIdeConnection();
    onTestFinished(() => connection.disconnect());
    const lines = (): string[] => daemon.requests().filter((line) => /^POST \/session$|\/events$/.test(line));
    await Promise.all([
      connection.connect({ baseUrl: daemon.url }),
      connection.connect({ baseUrl: daemon.url }),
    ]);
    const opened = ['POST /session', 'GET /session/session-1/events'];
    expect(lines()).toEqual(opened);
    const models = ['first', 'second'];
    await Promise.all(
      models.map((modelServiceId) => connection.connect({ baseUrl: daemon.url, modelServiceId })),
    );
    expect(lines()).toEqual([...opened, ...opened, ...opened]);
    expect(daemon.bodyOf('POST /session')).toEqual({ modelServiceId: 'second' });
    await until(() => daemon.openStreams === 1);
  });

  it('keeps the existing connection when it fails', async () => {
    const { daemon, connection, stream, texts, ends } = await connectedIde();
    const sessionFactory = () => Promise.reject(new Error('on purpose'));
    await expect(connection.connect({ baseUrl: daemon.url, sessionFactory })).rejects.toThrow('on purpose');
    stream.send(update(1, 'still here'));
    await until(() => texts.length > 0);
    expect(ends).toEqual([]);
  });

  it('keeps exactly one stream open over repeated calls and reopens [DMN-29]', async () => {
    const { daemon, connection, stream } = await connectedIde();
    const others = [1, 2, 3].map((lastEventId) => connection.connect({ baseUrl: daemon.url, lastEventId }));
    await Promise.all(others);
    for (let opened = 0; opened < 2; opened += 1) await daemon.stream();
    const last = await daemon.stream();
    await until(() => daemon.openStreams === 1);
    stream.end();
    last.break();
    await daemon.stream();
    await until(() => daemon.openStreams === 1);
    expect(daemon.requests('/events')).toHaveLength(5);
  });
});

describe('a prompt', () => {
  it('sends text as one block and blocks unchanged [DMN-24]', async () => {
    const { daemon, connection, stream } = await connectedIde();
    daemon.beforeAccept = (promptId) =>
      stream.send({ ...turnEnd, data: { promptId, stopReason: 'end_turn' } });
    await connection.sendPrompt('Hello');
    expect(daemon.bodyOf(prompt)).toEqual({ prompt: [{ type: 'text', text: 'Hello' }] });
    const blocks: ContentBlock[] = [
      { type: 'text', text: 'Look' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///a.ts', name: 'a.ts' },
      { type: 'resource', resource: { uri: 'file:///b.ts', text: 'b' } },
    ];
    await connection.sendPrompt(blocks);
    expect(daemon.bodyOf(prompt)).toEqual({ prompt: blocks });
  });

  it("resolves with the daemon's reason and reports it once [DMN-7]", async () => {
    const { daemon, connection, stream } = await connectedIde();
    const ends: unknown[] = [];
    connection.onEndTurn = (reason) => ends.push(reason);
    const accepted: unknown[] = [];
    daemon.beforeAccept = () => expect(accepted).toEqual([]);
    const turn = connection.sendPrompt('Hello', { onAccepted: (...ids) => accepted.push(ids) });
    await until(() => accepted.length > 0);
    expect(accepted).toEqual([['prompt-1', daemon.sessionId]]);
    stream.send({ type: 'turn_complete', data: { promptId: 'another', stopReason: 'not_ours' } });
    stream.send({ type: 'turn_complete', data: { promptId: 'prompt-1', stopReason: 'max_tokens' } });
    expect(await turn).toEqual({ stopReason: 'max_tokens' });
    expect(ends).toEqual(['max_tokens']);
  });

  it("is the only cause of onEndTurn: the ends of other clients' turns are none [DMN-42]", async () => {
    const { connection, stream, texts } = await connectedIde();
    const ends: unknown[] = [];
    connection.onEndTurn = (reason) => ends.push(reason);
    const others = [
      { type: 'turn_complete', data: { promptId: 'another', stopReason: 'end_turn' } },
      { type: 'turn_complete', data: { stopReason: 'end_turn' } },
      { type: 'turn_error', data: { promptId: 'another', message: 'on purpose' } },
      { type: 'session_closed', data: { sessionId: 'another' } },
    ];
    for (const [id, event] of others.entries()) stream.send({ id: id + 1, ...event });
    stream.send(update(8, 'after'));
    await until(() => texts.length > 0);
    expect(ends).toEqual([]);
    const turn = connection.sendPrompt('Hello');
    for (const [id, event] of others.entries()) stream.send({ id: id + 11, ...event });
    stream.send({ id: 20, ...turnEnd });
    await turn;
    expect(ends).toEqual(['end_turn']);
  });

  it('ends with an error of the turn when the session ends, but not on disconnect() [DMN-36 DMN-8]', async () => {
    const ends: unknown[] = [];
    const send = async () => {
      const { connection, stream, daemon } = await connectedIde();
      connection.onEndTurn = (reason) => ends.push(reason);
      const turn = connection.sendPrompt('Hello').catch((error: unknown) => error);
      await until(() => daemon.requests('/prompt').length > 0);
      return { connection, stream, turn };
    };
    const left = await send();
    await left.connection.disconnect();
    expect(await left.turn).toMatchObject({ kind: 'session_ended' });
    expect(ends).toEqual([]);
    const died = await send();
    died.stream.send({
      id: 1,
      type: 'session_died',
      data: { sessionId: 'session-1', reason: 'channel_closed' },
    });
    expect(await died.turn).toMatchObject({ kind: 'session_ended' });
    expect(ends).toEqual(['error']);
  });
});

describe('a prompt that the daemon accepts after the end', () => {
  it.each(['disconnect', 'session_died'])('fails after %s', async (end) => {
    const { daemon, connection, stream, ended } = await connectedIde();
    let accept = (): void => {};
    daemon.beforeAccept = () =>
      new Promise((resolve) => {
        accept = resolve;
      });
    const turn = connection.sendPrompt('Hello').catch((error: unknown) => error);
    await until(() => daemon.requests('/prompt').length > 0);
    if (end === 'disconnect') await connection.disconnect();
    else stream.send({ id: 1, type: 'session_died', data: { sessionId: daemon.sessionId } });
    await ended;
    accept();
    expect(await turn).toBeInstanceOf(DaemonError);
  });
});

describe('cancelSession', () => {
  it('stops the turn; does nothing without a session [DMN-25]', async () => {
    const { daemon, connection } = await connectedIde();
    await connection.cancelSession();
    expect(daemon.requests('/cancel')).toEqual(['POST /session/session-1/cancel']);
    await connection.disconnect();
    await connection.cancelSession();
    expect(daemon.requests('/cancel')).toHaveLength(1);
  });
});

describe('setModel', () => {
  it('sends the id and returns only the id [DMN-26]', async () => {
    const { daemon, connection } = await connectedIde();
    expect(await connection.setModel('another-model')).toEqual({ modelId: 'another-model' });
    expect(daemon.bodyOf('POST /session/session-1/model')).toEqual({ modelId: 'another-model' });
  });
});

describe('disconnect', () => {
  it('ends the stream, reports once without a code and clears all callbacks [DMN-12 DMN-37]', async () => {
    const { daemon, connection, texts } = await connectedIde();
    const calls: unknown[] = [];
    connection.onDisconnected = (...args) => calls.push(args);
    connection.onEndTurn = () => calls.push('onEndTurn');
    connection.onPermissionRequest = async () => {
      calls.push('onPermissionRequest');
      return {};
    };
    connection.onAskUserQuestion = async () => {
      calls.push('onAskUserQuestion');
      return { optionId: '' };
    };
    await connection.disconnect();
    await connection.disconnect();
    expect(calls).toEqual([[null, 'disconnected']]);
    await until(() => daemon.openStreams === 0);
    // The same connection again: its stream would call all callbacks.
    await connection.connect({ baseUrl: daemon.url });
    const stream = await daemon.stream();
    stream.send(update(1, 'without a listener'));
    const ask = { sessionId: daemon.sessionId, options: [] };
    const tools = [
      { toolCallId: 't', kind: 'execute' },
      { toolCallId: 'q', kind: 'ask_user_question', rawInput: { questions: [{ question: 'Which?' }] } },
    ];
    for (const [index, toolCall] of tools.entries()) {
      const data = { ...ask, requestId: toolCall.toolCallId, toolCall };
      stream.send({ id: 2 + index, type: 'permission_request', data });
    }
    daemon.beforeAccept = () => stream.send({ id: 4, ...turnEnd });
    await connection.sendPrompt('Hello');
    await connection.disconnect();
    expect(calls).toHaveLength(1);
    expect(texts).toEqual([]);
    expect(daemon.votes).toEqual([]);
  });

  it('detaches if the host asks for it, and does not wait long for a daemon that hangs', async () => {
    const { daemon, connection, ended } = await connectedIde({ detaches: true });
    daemon.hangsOn = '/detach';
    await connection.disconnect();
    expect(await ended).toBe('disconnected');
    await connection.connect({ baseUrl: daemon.url });
    expect(daemon.requests('/detach')).toHaveLength(1);
  });

  it('cancels a running connect() at any stage', async () => {
    const daemon = await faultyDaemon();
    daemon.refusal = 503;
    const connection = new DaemonIdeConnection();
    const connecting = connection.connect({ baseUrl: daemon.url }).catch((error: unknown) => error);
    await until(() => daemon.requests('/events').length > 0);
    await connection.disconnect();
    expect(await connecting).toMatchObject({ kind: 'session_ended' });
    expect(connection.isConnected).toBe(false);
    expect(daemon.requests('/detach')).toHaveLength(1);
  });
});

describe('a request of the agent', () => {
  const once = { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' };
  // The first option is never the chosen one, unless a test is about each of them.
  const options = [
    { optionId: 'proceed_always_project', name: 'Always allow', kind: 'allow_always' },
    once,
    { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
  ];
  const request = (toolCall: object) => ({
    type: 'permission_request',
    data: {
      requestId: 'r',
      sessionId: 'session-1',
      toolCall: { toolCallId: 't', ...toolCall },
      options,
    },
  });
  const questions = [{ question: 'Which?', header: 'Pick', options: [{ label: 'A' }], multiSelect: false }];

  it.each([
    ['questions of another kind', { kind: 'execute', rawInput: { questions } }, 'permission'],
    [
      'a list of questions that is none',
      { kind: 'execute', rawInput: { questions: 'Which?' } },
      'permission',
    ],
    [
      'questions of the kind that the document names',
      { kind: 'ask_user_question', rawInput: { questions } },
      'question',
    ],
  ])('is classified: %s [DMN-2 DMN-3]', async (_name, toolCall, expected) => {
    const { connection, stream, daemon } = await connectedIde();
    const asked: string[] = [];
    connection.onPermissionRequest = async () => {
      asked.push('permission');
      return { optionId: 'proceed_once' };
    };
    connection.onAskUserQuestion = async () => {
      asked.push('question');
      return { optionId: 'proceed_once', answers: { 0: 'A' } };
    };
    stream.send(request(toolCall));
    await until(() => daemon.votes.length > 0);
    expect(asked).toEqual([expected]);
    const outcome = { outcome: 'selected', optionId: 'proceed_once' };
    expect(daemon.votes[0]?.body).toEqual(
      expected === 'question' ? { outcome, answers: { 0: 'A' } } : { outcome },
    );
  });

  it.each(options)('is answered with the chosen option: $optionId [DMN-2]', async ({ optionId }) => {
    const { connection, stream, daemon } = await connectedIde();
    connection.onPermissionRequest = async () => ({ optionId });
    stream.send(request({ kind: 'execute' }));
    await until(() => daemon.votes.length > 0);
    const body = { outcome: { outcome: 'selected', optionId } };
    expect(daemon.votes).toEqual([{ path: '/permission/r', body }]);
  });

  it('is asked again after a reopen if the answer did not arrive', async () => {
    const { connection, stream, daemon } = await connectedIde();
    const kinds: unknown[] = [];
    connection.onPermissionRequest = async ({ toolCall }) => {
      kinds.push(toolCall.kind);
      return { optionId: 'proceed_once' };
    };
    daemon.voteStatus = 500;
    stream.send(request({ kind: 'execute' }));
    await until(() => daemon.votes.length === 1);
    daemon.voteStatus = 200;
    daemon.pendingInteractions = [
      { requestId: 'r', kind: 'permission', action: { type: 'execute' }, options: [once] },
    ];
    stream.break();
    await until(() => daemon.votes.length === 2);
    expect(daemon.votes[1]?.body).toEqual({ outcome: { outcome: 'selected', optionId: 'proceed_once' } });
    expect(kinds).toEqual(['execute', 'execute']);
  });

  it.each(['permission_resolved', 'permission_already_resolved'])(
    'is withdrawn and not asked again after %s',
    async (type) => {
      const { connection, stream, texts } = await connectedIde();
      const signals: (AbortSignal | undefined)[] = [];
      connection.onPermissionRequest = (_request, context) => {
        signals.push(context?.signal);
        return leaveOpen();
      };
      stream.send(request({ kind: 'execute' }));
      stream.send({ type, data: { requestId: 'r' } });
      stream.send(request({ kind: 'execute' }));
      stream.send(update(1, 'after'));
      await until(() => texts.length > 0);
      expect(signals).toEqual([expect.objectContaining({ aborted: true })]);
    },
  );
});

describe('the package', () => {
  it('imports no editor and no view [DMN-39]', () => {
    const { dependencies } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    ) as { dependencies: Record<string, string> };
    expect(Object.keys(dependencies).sort()).toEqual(['@qwen-code/sdk', '@tandem/core', 'zod']);
  });
});
