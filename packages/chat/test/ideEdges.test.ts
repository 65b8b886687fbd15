import type { Logger } from '@tandem/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DaemonIdeConnection, type InjectedSession } from '../src/index.js';
import { connectedIde, faultyDaemon, textIn, turnEnd, until, update } from './ideSetting.js';

/** What callers do that the document allows and an ordinary host does not. */

const request = {
  type: 'permission_request',
  data: {
    requestId: 'r',
    sessionId: 'session-1',
    toolCall: { toolCallId: 't', kind: 'execute' },
    options: [
      { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
    ],
  },
};

describe('disconnect', () => {
  it('keeps the session, and a connect with lastEventId continues there [DMN-13 DMN-40]', async () => {
    const { daemon, connection, stream } = await connectedIde();
    stream.send(update(4, 'four'));
    await until(() => connection.lastEventId === 4);
    await connection.disconnect();
    expect(daemon.requests('/detach')).toEqual([]);
    await connection.connect({ baseUrl: daemon.url, lastEventId: 4 });
    expect((await daemon.stream()).lastEventId).toBe('4');
    expect(daemon.received.findLast(({ line }) => line === 'POST /session')?.clientId).toBe('client-1');
  });

  it('ends at once while a factory or the daemon does not answer', async () => {
    const daemon = await faultyDaemon();
    daemon.hangsOn = '/session';
    const connection = new DaemonIdeConnection();
    const connecting = connection.connect({ baseUrl: daemon.url }).catch((error: unknown) => error);
    await until(() => daemon.requests('/session').length > 0);
    await connection.disconnect();
    expect(await connecting).toMatchObject({ kind: 'session_ended' });
  });

  it('leaves a session that a factory opens after it', async () => {
    const daemon = await faultyDaemon();
    const connection = new DaemonIdeConnection();
    let open = (_session: InjectedSession): void => {};
    const opening = new Promise<InjectedSession>((resolve) => {
      open = resolve;
    });
    const connecting = connection
      .connect({ baseUrl: daemon.url, sessionFactory: () => opening })
      .catch((error: unknown) => error);
    await Promise.resolve();
    await connection.disconnect();
    await connecting;
    let isLeft = false;
    open({
      ...bareSession(),
      detach: async () => {
        isLeft = true;
      },
    });
    await until(() => isLeft);
  });

  it('clears the callbacks at once, not those that are set after it [DMN-12]', async () => {
    const { daemon, connection } = await connectedIde();
    const texts: string[] = [];
    const left = connection.disconnect();
    connection.onSessionUpdate = ({ update: data }) => texts.push(textIn(data));
    await left;
    await connection.connect({ baseUrl: daemon.url });
    (await daemon.stream()).send(update(1, 'received'));
    await until(() => texts.length > 0);
    expect(texts).toEqual(['received']);
  });
});

describe('connect', () => {
  it('opens a stream that is silent and has no epoch', async () => {
    const daemon = await faultyDaemon();
    daemon.hasEpoch = false;
    const connection = new DaemonIdeConnection();
    onTestFinished(() => connection.disconnect());
    await connection.connect({ baseUrl: daemon.url });
    expect(connection.isConnected).toBe(true);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %s as lastEventId before it opens a session',
    async (lastEventId) => {
      const daemon = await faultyDaemon();
      const connection = new DaemonIdeConnection();
      await expect(connection.connect({ baseUrl: daemon.url, lastEventId })).rejects.toThrow(/whole number/);
      expect(daemon.received).toEqual([]);
    },
  );

  it('logs that a session no longer exists that lastEventId is from [DMN-40]', async () => {
    const daemon = await faultyDaemon();
    daemon.isAttached = false;
    const warnings: string[] = [];
    const logger: Logger = { debug() {}, info() {}, warn: (text) => warnings.push(text), error() {} };
    const connection = new DaemonIdeConnection({ logger });
    onTestFinished(() => connection.disconnect());
    await connection.connect({ baseUrl: daemon.url, lastEventId: 7 });
    expect(warnings).toEqual([expect.stringContaining('no longer has the session of lastEventId')]);
  });

  it('passes the checked address to a factory, which may return a session [DMN-27 DMN-43]', async () => {
    const daemon = await faultyDaemon();
    const { port } = new URL(daemon.url);
    const addresses: string[] = [];
    const connection = new DaemonIdeConnection();
    onTestFinished(() => connection.disconnect());
    await connection.connect({
      baseUrl: `HTTP://2130706433:${port}/path?query`,
      sessionFactory: async ({ baseUrl }) => {
        addresses.push(baseUrl);
        return bareSession();
      },
    });
    expect(addresses).toEqual([daemon.url]);
    expect(connection.currentSessionId).toBe('bare');
    const ends: unknown[] = [];
    connection.onEndTurn = (reason) => ends.push(reason);
    expect(await connection.sendPrompt('Hello')).toEqual({ stopReason: 'of the session' });
    expect(ends).toEqual(['of the session']);
  });
});

describe('a prompt', () => {
  it('accepts the end of its turn as the response [DMN-7]', async () => {
    const { daemon, connection } = await connectedIde();
    daemon.stopReason = 'max_tokens';
    const ends: unknown[] = [];
    connection.onEndTurn = (reason) => ends.push(reason);
    expect(await connection.sendPrompt('Hello')).toEqual({ stopReason: 'max_tokens' });
    expect(ends).toEqual(['max_tokens']);
  });

  it('reports an error of the turn without a connection [DMN-8]', async () => {
    const connection = new DaemonIdeConnection();
    const ends: unknown[] = [];
    connection.onEndTurn = (reason) => ends.push(reason);
    await expect(connection.sendPrompt('Hello')).rejects.toMatchObject({ kind: 'unreachable' });
    expect(ends).toEqual(['error']);
  });
});

describe('an answer', () => {
  it.each([
    ['null', null],
    ['nothing', undefined],
    ['a text', 'proceed_once'],
    ['no text as the option', { optionId: 1 }],
  ])('that is %s cancels the request [DMN-2]', async (_name, answer) => {
    const { connection, stream, daemon } = await connectedIde();
    Object.assign(connection, { onPermissionRequest: async () => answer });
    stream.send(request);
    await until(() => daemon.votes.length > 0);
    expect(daemon.votes[0]?.body).toEqual({ outcome: { outcome: 'cancelled' } });
    stream.send(turnEnd);
  });
});

/** A session with only the members that the document names. */
function bareSession(): InjectedSession {
  return {
    sessionId: 'bare',
    lastEventId: undefined,
    async *events({ signal } = {}) {
      yield { v: 1, type: 'replay_complete', data: {} };
      await new Promise((_resolve, reject) => signal?.addEventListener('abort', reject));
    },
    prompt: async () => ({ stopReason: 'of the session' }),
    respondToPermission: async () => true,
    cancel: async () => {},
    setModel: async (modelId) => ({ modelId }),
  };
}
