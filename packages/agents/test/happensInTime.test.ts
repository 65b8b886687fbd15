import { Emitter } from '@tandem/core';
import { FakeClock } from '@tandem/testing';
import { expect, it } from 'vitest';
import { happensInTime } from '../src/happensInTime.js';

const limitMs = 1_000;

function wait() {
  const clock = new FakeClock();
  const emitter = new Emitter<number>((error) => {
    throw error;
  });
  const checked: number[] = [];
  const isMeant = (event: number): boolean => {
    checked.push(event);
    return event === 7;
  };
  const happens = happensInTime(clock, limitMs, emitter.event, isMeant);
  return { clock, emitter, checked, happens };
}

it('an event that is meant happens in time, also right before the limit', async () => {
  const { clock, emitter, happens } = wait();
  clock.advance(limitMs - 1);
  emitter.fire(7);
  expect(await happens).toBe(true);
});

it('another event does not count, and at the limit it is too late', async () => {
  const { clock, emitter, happens } = wait();
  emitter.fire(1);
  clock.advance(limitMs);
  emitter.fire(7);
  expect(await happens).toBe(false);
});

it.each([
  ['once it has happened', (_clock: FakeClock, emitter: Emitter<number>) => emitter.fire(7)],
  ['after the limit', (clock: FakeClock) => clock.advance(limitMs)],
])('%s, no event is looked at any more, and no timer runs', async (_when, end) => {
  const { clock, emitter, checked, happens } = wait();
  end(clock, emitter);
  await happens;
  checked.length = 0;
  emitter.fire(7);
  expect(checked).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});
