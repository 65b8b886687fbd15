import type { AgentSession } from '@tandem/agents';
import { expect, test } from 'vitest';
import { SessionNames } from '../src/reviews/sessionNames.js';

function sessionOf(agent: string, id: string, connectedAt = 0): AgentSession {
  return { agent, id, connectedAt, client: { name: agent, version: '1' }, protocolVersion: '1' };
}

test('sessions of an agent are numbered in the order in which they connected, whichever is asked for first', () => {
  const sessions = [
    sessionOf('gemini', 'b', 2),
    sessionOf('claude', 'x', 3),
    sessionOf('gemini', 'a', 1),
    sessionOf('gemini', 'c', 4),
  ];
  const names = new SessionNames({ sessions });
  expect(['c', 'b', 'a'].map((id) => names.of('gemini', id))).toEqual([
    'Gemini CLI 3',
    'Gemini CLI 2',
    'Gemini CLI',
  ]);
  expect(names.of('claude', 'x')).toBe('Claude Code');
  expect(names.of('gemini', 'unknown')).toBe('Gemini CLI');
});

test('a session keeps its name, and the number of a closed one is free again', () => {
  const agents = { sessions: [sessionOf('gemini', 'a', 1), sessionOf('gemini', 'b', 2)] };
  const names = new SessionNames(agents);
  expect([names.of('gemini', 'a'), names.of('gemini', 'b')]).toEqual(['Gemini CLI', 'Gemini CLI 2']);
  agents.sessions = [sessionOf('gemini', 'b', 2), sessionOf('gemini', 'c', 3), sessionOf('gemini', 'd', 4)];
  expect(['b', 'c', 'd', 'a'].map((id) => names.of('gemini', id))).toEqual([
    'Gemini CLI 2',
    'Gemini CLI',
    'Gemini CLI 3',
    'Gemini CLI',
  ]);
});

test('the sessions are read once for all names of those that are numbered', () => {
  let reads = 0;
  const sessions = Array.from({ length: 500 }, (_, at) => sessionOf('gemini', `s${at}`, at));
  const names = new SessionNames({
    get sessions() {
      reads += 1;
      return sessions;
    },
  });
  expect(new Set(sessions.map(({ id }) => names.of('gemini', id))).size).toBe(500);
  expect(reads).toBe(1);
});
