import { silentLogger } from '@tandem/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DaemonIdeConnection } from '../src/index.js';
import { connectedIde, faultyDaemon, textIn, turnEnd, until, update } from './ideSetting.js';

describe('a connection', () => {
  it('sends nothing before connect() [DMN-15]', async () => {
    const daemon = await faultyDaemon();
    const connection = new DaemonIdeConnection();
    await connection.disconnect();
    expect(daemon.requests()).toEqual([]);
    await connection.connect({ baseUrl: daemon.url });
    onTestFinished(() => connection.disconnect());
    expect(daemon.requests()[0]).toBe('GET /capabilities');
  });

  it('logs events that have no callback [DMN-14]', async () => {
    const debug = vi.fn();
    const { stream, connection } = await connectedIde({ logger: { ...silentLogger, debug } });
    const received = new Promise<void>((resolve) => {
      connection.onSessionUpdate = () => resolve();
    });
    stream.send({ id: 1, type: 'of_tomorrow', data: {} });
    stream.send(update(2, 'after'));
    await received;
    expect(debug).toHaveBeenCalledWith(expect.any(String), { type: 'of_tomorrow', id: 1 });
  });

  it('resumes a broken stream without duplicate or lost events [DMN-16]', async () => {
    const { daemon, stream, connection, texts } = await connectedIde();
    stream.send(update(1, 'one'));
    stream.send(update(2, 'two'));
    const turn = connection.sendPrompt('Hello');
    await until(() => texts.length === 2);
    stream.break();
    const again = await daemon.stream();
    expect(again.lastEventId).toBe('2');
    again.send(update(2, 'two'));
    again.send(update(3, 'three'));
    again.send({ id: 4, ...turnEnd });
    expect(await turn).toEqual({ stopReason: 'end_turn' });
    expect(texts).toEqual(['one', 'two', 'three']);
  });

  it('accepts the end of a turn that arrives before the acknowledgement [DMN-17]', async () => {
    const { daemon, stream, connection, texts } = await connectedIde();
    daemon.beforeAccept = () => {
      stream.send({ id: 1, ...turnEnd });
      stream.send(update(2, 'seen'));
    };
    expect(await connection.sendPrompt('Hello')).toEqual({ stopReason: 'end_turn' });
    await until(() => texts.length === 1);
  });

  it('ends when the stream ends and cannot be reopened [DMN-5]', async () => {
    const { daemon, stream, ended } = await connectedIde({ reconnectForMs: 0 });
    daemon.refusal = 503;
    stream.end();
    expect(await ended).toBe('stream_ended');
  });

  it('ends without a retry when the token is refused', async () => {
    const { daemon, stream, ended } = await connectedIde();
    daemon.refusal = 401;
    stream.break();
    expect(await ended).toBe('daemon_error');
    expect(daemon.requests('/events')).toHaveLength(2);
  });

  it('ends when its session dies, and ignores the death of other sessions [DMN-4]', async () => {
    const { stream, ended, connection } = await connectedIde();
    stream.send({ id: 1, type: 'session_died', data: { sessionId: 'another', reason: 'not_ours' } });
    stream.send({ id: 2, type: 'session_died', data: { reason: 'of_none' } });
    stream.send({ id: 3, type: 'session_died', data: { sessionId: 'session-1', reason: 'channel_closed' } });
    expect(await ended).toBe('channel_closed');
    expect(connection.isConnected).toBe(false);
    expect(connection.lastEventId).toBe(3);
  });

  it('continues after session_closed until the stream ends, then ends without a retry [DMN-5 DMN-14]', async () => {
    const { daemon, stream, connection, texts, ended } = await connectedIde();
    const data = { sessionId: 'session-1', reason: 'client_close' };
    stream.send({ id: 1, type: 'session_closed', data });
    stream.send(update(2, 'after'));
    await until(() => texts.length === 1);
    expect(connection.isConnected).toBe(true);
    stream.end();
    expect(await ended).toBe('stream_ended');
    expect(daemon.requests('/events')).toHaveLength(1);
    expect(daemon.requests('/load')).toEqual([]);
  });

  it('reopens the stream after another session was closed', async () => {
    const { daemon, stream, connection } = await connectedIde();
    stream.send({ id: 1, type: 'session_closed', data: { reason: 'of_none' } });
    stream.send({ id: 2, type: 'session_closed', data: { sessionId: 'another', reason: 'not_ours' } });
    stream.end();
    await daemon.stream();
    expect(connection.isConnected).toBe(true);
  });

  it('continues after a callback throws', async () => {
    const { stream, connection } = await connectedIde();
    const received: unknown[] = [];
    connection.onSessionUpdate = ({ update: data }) => {
      received.push(textIn(data));
      throw new Error('on purpose');
    };
    stream.send(update(1, 'one'));
    stream.send(update(2, 'two'));
    await until(() => received.length === 2);
  });
});
