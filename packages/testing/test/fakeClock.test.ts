import { FakeClock } from '@tandem/testing';
import { describe, expect, it } from 'vitest';

describe('the fake clock', () => {
  it('runs timers in the order they are due, at the time they are due', () => {
    const clock = new FakeClock(1000);
    const runs: [string, number][] = [];
    clock.setTimeout(() => runs.push(['late', clock.now()]), 30);
    clock.setTimeout(() => runs.push(['early', clock.now()]), 10);
    clock.setTimeout(() => runs.push(['early too', clock.now()]), 10);
    clock.advance(29);
    expect(runs).toEqual([
      ['early', 1010],
      ['early too', 1010],
    ]);
    clock.advance(1);
    expect(runs.at(-1)).toEqual(['late', 1030]);
  });

  it('runs what a timer sets up within the time', () => {
    const clock = new FakeClock(0);
    const runs: number[] = [];
    const again = (): void => {
      runs.push(clock.now());
      clock.setTimeout(again, 10);
    };
    clock.setTimeout(again, 10);
    clock.advance(35);
    expect(runs).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(35);
    expect(clock.pendingTimers).toBe(1);
  });

  it('does not run a timer that was disposed', () => {
    const clock = new FakeClock();
    let hasRun = false;
    clock
      .setTimeout(() => {
        hasRun = true;
      }, 10)
      .dispose();
    clock.advance(100);
    expect(hasRun).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps timers as they are when the time of day is set', () => {
    const clock = new FakeClock(10_000);
    let hasRun = false;
    clock.setTimeout(() => {
      hasRun = true;
    }, 50);
    clock.advance(20);
    clock.setTimeOfDay(500);
    expect(clock.now()).toBe(500);
    clock.advance(29);
    expect(hasRun).toBe(false);
    clock.advance(1);
    expect(hasRun).toBe(true);
    expect(clock.now()).toBe(530);
  });
});
