import { onTestFinished, vi } from 'vitest';
import {
  DaemonIdeConnection,
  type DaemonIdeConnectionContext,
  type DaemonIdeConnectionOptions,
} from '../src/index.js';
import { FaultyDaemon } from './faultyDaemon.js';

/** Waits until a condition is true, with a limit for busy machines. */
export function until(probe: () => boolean): Promise<unknown> {
  return vi.waitUntil(probe, { interval: 5, timeout: 10_000 });
}

/** A faulty daemon. It ends with the test. */
export async function faultyDaemon(): Promise<FaultyDaemon> {
  const daemon = await FaultyDaemon.start();
  onTestFinished(() => daemon.close());
  return daemon;
}

/**
 * A connection to such a daemon: the texts of its updates, the reasons of its ends, and the daemon's side of its
 * stream.
 */
export async function connectedIde(
  context: DaemonIdeConnectionContext = {},
  options: Partial<DaemonIdeConnectionOptions> = {},
) {
  const daemon = await faultyDaemon();
  const connection = new DaemonIdeConnection(context);
  onTestFinished(() => connection.disconnect());
  const texts: string[] = [];
  const ends: (string | null)[] = [];
  const ended = new Promise<string | null>((resolve) => {
    connection.onDisconnected = (_code, reason) => {
      ends.push(reason);
      resolve(reason);
    };
  });
  connection.onSessionUpdate = ({ update }) => texts.push(textIn(update));
  await connection.connect({ baseUrl: daemon.url, ...options });
  return { daemon, connection, texts, ends, ended, stream: await daemon.stream() };
}

/** The text of such an event. */
export function textIn(update: object): string {
  return 'text' in update ? String(update.text) : '';
}

/** An event with a text, of the daemon's session. */
export function update(id: number, text: string): object {
  return {
    id,
    type: 'session_update',
    data: { sessionId: 'session-1', update: { sessionUpdate: 'x', text } },
  };
}

/** The end of the turn of the first prompt. */
export const turnEnd = { type: 'turn_complete', data: { promptId: 'prompt-1', stopReason: 'end_turn' } };
