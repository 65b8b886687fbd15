import { expect, test } from 'vitest';
import { AgentMarks } from '../src/attribution/agentMarks.js';

const one = { agent: 'claude', session: 's1' };
const two = { agent: 'codex', session: 's2' };
const minute = 60_000;

/** Marks with a turn from 100, and a command from 200 to 300. */
function marksOf(): AgentMarks {
  const marks = new AgentMarks();
  marks.beginTurn(one, 100);
  marks.beginCommand(one, 'call', 'make', 200);
  marks.endCommand('s1', 'call', 300);
  return marks;
}

test.each([
  ['between the look before the command and its end', { notBefore: 200, changedAt: 250, seenAt: 310 }],
  ['by the time that the file system rounded down', { notBefore: 201, changedAt: 198.5, seenAt: 310 }],
  ['as a removal, which has no time', { notBefore: 210, changedAt: undefined, seenAt: 310 }],
])('a change %s was made while the command ran', (_when, change) => {
  expect(marksOf().attribute(change)).toEqual({ ...one, evidence: 'command', commands: ['make'] });
});

test.each([
  ['that was there before the command', { notBefore: 190, changedAt: 195, seenAt: 310 }],
  ['after the end of the command', { notBefore: 250, changedAt: 301, seenAt: 400 }],
  ['since a look after its end', { notBefore: 300, changedAt: 299, seenAt: 310 }],
  ['that was perhaps removed after the command', { notBefore: 250, changedAt: undefined, seenAt: 900 }],
])('a change %s was made during the turn, perhaps by something else', (_what, change) => {
  expect(marksOf().attribute(change)).toEqual({ ...one, evidence: 'turn' });
});

test('a change outside of turns is nobody’s', () => {
  const marks = marksOf();
  marks.endTurn('s1', 400);
  expect(marks.attribute({ notBefore: 310, changedAt: 401, seenAt: 500 })).toBeUndefined();
  expect(marks.attribute({ notBefore: 50, changedAt: 99, seenAt: 500 })).toBeUndefined();
});

test('commands of one session that run at once are named together, those of two sessions give no author', () => {
  const marks = marksOf();
  marks.beginCommand(one, 'other', 'test', 210);
  const change = { notBefore: 220, changedAt: 250, seenAt: 310 };
  expect(marks.attribute(change)).toMatchObject({ commands: ['make', 'test'] });
  marks.beginTurn(two, 150);
  marks.beginCommand(two, 'call', 'make', 215);
  expect(marks.attribute(change)).toBeUndefined();
});

test('the end of a turn ends its commands, and without an end both expire', () => {
  const marks = new AgentMarks();
  marks.beginTurn(one, 0);
  marks.beginCommand(one, 'call', 'make', 10);
  const late = { notBefore: 20, changedAt: 11 * minute, seenAt: 11 * minute };
  expect(marks.attribute(late)).toBeUndefined();
  expect(marks.hasOpenSpan(9 * minute)).toBe(true);
  marks.endTurn('s1', 30);
  expect(marks.attribute({ notBefore: 20, changedAt: 40, seenAt: 50 })).toBeUndefined();
  // The command was interrupted at a time that is not known.
  expect(marks.attribute({ notBefore: 20, changedAt: 25, seenAt: 50 })).toEqual({ ...one, evidence: 'turn' });
  expect(marks.hasOpenSpan(40)).toBe(false);
});

test('a long command does not expire while the agent reports something', () => {
  const marks = new AgentMarks();
  marks.beginTurn(one, 0);
  marks.beginCommand(one, 'a', 'sleep', 9 * minute);
  expect(marks.attribute({ notBefore: 5, changedAt: 15 * minute, seenAt: 15 * minute })).toMatchObject({
    evidence: 'turn',
  });
});
