import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentSessions } from '../src/agentSessions.js';
import type { RunningProtocol } from '../src/index.js';
import { companions } from './support/companions.js';
import { Stage } from './support/stage.js';

const client = { name: 'agent', version: '1' };
const protocolVersion = '2025-06-18';

let stage: Stage;
let sessions: AgentSessions<string>;
let running: Omit<RunningProtocol, 'stop'>;
/** What listeners received. */
let events: string[];

beforeEach(async () => {
  stage = await Stage.create();
  const [companion] = companions;
  if (companion === undefined) throw new Error('There is no protocol.');
  sessions = new AgentSessions<string>(companion.protocol, stage.host);
  running = sessions.running(stage.host, { url: 'http://127.0.0.1:1/' });
  events = [];
  running.onDidOpenSession(({ id }) => events.push(`open ${id}`));
  running.onDidCloseSession(({ id, isAway }) => events.push(`close ${id}${isAway ? ' away' : ''}`));
  running.onDidOpenStream((id) => events.push(`stream ${id}`));
  for (const id of ['a', 'b']) sessions.open({ id, client, protocolVersion }, `connection of ${id}`);
});

afterEach(() => stage.close());

it('reports each session that opens, its stream, and its end once', () => {
  sessions.streamOpened('a');
  sessions.close('a');
  sessions.close('a');
  expect(events).toEqual(['open a', 'open b', 'stream a', 'close a']);
  expect(sessions.connections).toEqual(['connection of b']);
  expect([sessions.connectionOf('a'), sessions.connectionOf('b')]).toEqual([undefined, 'connection of b']);
});

it('a session is away while its stream is closed, but not when it ends', () => {
  const away = () => running.sessions().map(({ id, isAway }) => [id, isAway === true]);
  sessions.streamClosed('a');
  expect(away()).toEqual([
    ['a', true],
    ['b', false],
  ]);
  sessions.streamOpened('a');
  expect(away()).toEqual([
    ['a', false],
    ['b', false],
  ]);
  sessions.streamClosed('b');
  sessions.close('b');
  expect(events.at(-1)).toBe('close b');
});

it('a session has what its agent reports later, and one that has ended has nothing', () => {
  sessions.describe('a', { pid: 7, title: 'Fix the login' });
  sessions.close('b');
  sessions.describe('b', { pid: 8 });
  sessions.streamClosed('b');
  expect(running.sessions()).toEqual([
    {
      id: 'a',
      agent: running.identity.id,
      client,
      protocolVersion,
      connectedAt: stage.clock.now(),
      pid: 7,
      title: 'Fix the login',
    },
  ]);
});

it('the end of all ends each session, and nothing is reported after it', () => {
  sessions.dispose();
  expect(events).toEqual(['open a', 'open b', 'close a', 'close b']);
  sessions.open({ id: 'c', client, protocolVersion }, 'connection of c');
  sessions.streamOpened('c');
  sessions.close('c');
  expect(events).toHaveLength(4);
});
