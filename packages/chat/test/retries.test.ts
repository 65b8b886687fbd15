import { FakeClock } from '@tandem/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DaemonChat } from '../src/index.js';
import { connectedIde, faultyDaemon } from './ideSetting.js';

/** Advances the time while a connection waits for its next attempt, until `isOver`. Returns the elapsed seconds. */
async function pass(clock: FakeClock, isOver: () => boolean): Promise<number> {
  const start = clock.now();
  while (!isOver()) {
    await vi.waitUntil(() => isOver() || clock.pendingTimers > 0, { interval: 1, timeout: 10_000 });
    if (!isOver()) clock.advance(50);
  }
  return (clock.now() - start) / 1000;
}

it('reopens a stream that keeps ending with a growing delay, then reports its end [DMN-5]', async () => {
  const clock = new FakeClock();
  const { daemon, stream, connection, ends } = await connectedIde({ clock });
  daemon.endsAtOnce = true;
  stream.end();
  const seconds = await pass(clock, () => ends.length > 0);
  expect(ends).toEqual(['stream_ended']);
  expect(connection.isConnected).toBe(false);
  expect(seconds).toBeGreaterThanOrEqual(15);
  expect(seconds).toBeLessThan(19);
  const reopened = daemon.requests('/events').length - 1;
  expect(reopened).toBeGreaterThanOrEqual(8);
  expect(reopened).toBeLessThanOrEqual(18);
  expect(clock.pendingTimers).toBe(0);
});

it('reopens a stream that keeps requesting a resync with a growing delay, then reports its end', async () => {
  const clock = new FakeClock();
  const { daemon, stream, ends } = await connectedIde({ clock });
  let next = stream;
  const loads = () => daemon.requests('/load').length;
  void (async () => {
    while (ends.length === 0) {
      next.send({ type: 'state_resync_required', data: {} });
      next = await daemon.stream();
    }
  })();
  const seconds = await pass(clock, () => ends.length > 0);
  expect(ends).toEqual(['daemon_error']);
  expect(seconds).toBeLessThan(19);
  expect(loads()).toBeLessThanOrEqual(18);
});

it('reopens a stream that was steady without a delay', async () => {
  const clock = new FakeClock();
  const { daemon, stream, connection, ends } = await connectedIde({ clock });
  let next = stream;
  for (let round = 0; round < 20; round += 1) {
    clock.advance(3_000);
    next.end();
    const opening = daemon.stream();
    await pass(clock, () => daemon.openStreams === 1 && daemon.requests('/events').length === round + 2);
    next = await opening;
    // An event proves that the connection has read the response header.
    const received = new Promise<void>((resolve) => {
      connection.onSessionUpdate = () => resolve();
    });
    next.send({ id: round + 1, type: 'session_update', data: { update: { sessionUpdate: 'x' } } });
    await received;
  }
  expect(ends).toEqual([]);
  expect(clock.now() - new FakeClock().now()).toBeLessThan(20 * 3_500);
});

it('shows a permanent end, keeps the conversation and connects again', async () => {
  const clock = new FakeClock();
  const daemon = await faultyDaemon();
  daemon.history = [
    { type: 'session_update', data: { update: userMessage('Keep this'), sessionId: daemon.sessionId } },
  ];
  const chat = new DaemonChat({ baseUrl: daemon.url, folder: '/workspace', clock });
  onTestFinished(() => chat.dispose());
  const states: string[] = [];
  chat.onDidChange(({ model: { connection } }) => {
    if (states.at(-1) !== connection.state) states.push(connection.state);
  });
  await chat.connect(daemon.sessionId);
  const stream = await daemon.stream();
  daemon.endsAtOnce = true;
  stream.end();
  const seconds = await pass(clock, () => chat.model.connection.state === 'disconnected');
  expect(seconds).toBeGreaterThanOrEqual(120);
  expect(seconds).toBeLessThan(125);
  expect(daemon.requests('/events').length).toBeLessThan(100);
  expect(chat.model.connection.problem).toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('Connect again'),
  });
  expect(chat.model.items).toMatchObject([{ kind: 'user', text: 'Keep this' }]);
  expect(states.slice(0, 4)).toEqual(['connecting', 'connected', 'reconnecting', 'connected']);
  // Each short opening was not shown as connected.
  expect(states.length).toBeLessThan(10);
  daemon.endsAtOnce = false;
  await chat.connect();
  expect(chat.model.connection).toEqual({ state: 'connected' });
  expect(chat.model.items).toMatchObject([{ kind: 'user', text: 'Keep this' }]);
});

function userMessage(text: string): object {
  return { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } };
}
