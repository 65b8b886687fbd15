import { expect, it } from 'vitest';
import { HookModes, hookedId } from '../src/hooks/hookModes.js';

const { pid } = process;
/** No process has it: the greatest number is less. */
const endedPid = 2 ** 30;

function restored(session: string, of = pid): HookModes {
  const modes = new HookModes();
  modes.restore([{ session, pid: of, mode: 'off' }]);
  return modes;
}

it('keeps a choice of an earlier companion for the process, which has connected again', () => {
  const modes = restored('connection-1');
  expect(modes.of({ id: 'connection-2', pid })).toBe('off');
  expect(modes.called('connection-2', pid, 'before')).toBe('off');
  modes.choose({ id: 'connection-2', pid }, 'follow');
  expect(modes.called('connection-2', pid, 'before')).toBe('follow');
});

it('keeps a choice of a session without a connection for that session only', () => {
  const modes = restored(hookedId('a'));
  expect(modes.called(hookedId('b'), pid, 'before')).toBe('before');
  expect(modes.called(hookedId('a'), pid, 'before')).toBe('off');
});

it('forgets a choice for a process that has ended', () => {
  expect(restored('connection-1', endedPid).chosen).toEqual([]);
});

it('names sessions by different beginnings, also those of one minute', () => {
  const [one, other] = ['01a21f85-de61-72d5-868e', '01a21f85-e001-7b12-9c4d'].map((id) =>
    hookedId(id).slice(0, 8),
  );
  expect(one).not.toBe(other);
});
