import { FakeClock } from '@tandem/core/testing';
import { describe, expect, it } from 'vitest';
import { type Closed, ClosedTogether, togetherMs } from '../src/reviews/closedTogether.js';

function watch() {
  const clock = new FakeClock();
  const closings: Closed<string>[] = [];
  const closed = new ClosedTogether<string>(clock, (each) => closings.push(each));
  return { clock, closings, closed };
}

describe('tabs that are closed', () => {
  it('one by one are told one by one', () => {
    const { clock, closings, closed } = watch();
    closed.add('first');
    clock.advance(togetherMs);
    closed.add('second');
    clock.advance(togetherMs);
    expect(closings).toEqual([
      { reviews: ['first'], isSeveral: false },
      { reviews: ['second'], isSeveral: false },
    ]);
  });

  it('in one act are told together, however many they are', () => {
    const { clock, closings, closed } = watch();
    for (const each of ['first', 'second', 'third']) {
      closed.add(each);
      clock.advance(togetherMs - 1);
    }
    expect(closings).toEqual([]);
    clock.advance(1);
    expect(closings).toEqual([{ reviews: ['first', 'second', 'third'], isSeveral: true }]);
  });

  it('with a file among them are several, and files alone are nothing', () => {
    const { clock, closings, closed } = watch();
    closed.add();
    closed.add('review');
    clock.advance(togetherMs);
    closed.add();
    closed.add();
    clock.advance(togetherMs);
    expect(closings).toEqual([{ reviews: ['review'], isSeveral: true }]);
  });

  it('decide nothing any more when the window goes', () => {
    const { clock, closings, closed } = watch();
    closed.add('review');
    closed.dispose();
    clock.advance(togetherMs);
    expect(closings).toEqual([]);
  });
});
