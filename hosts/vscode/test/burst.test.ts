import { FakeClock } from '@tandem/testing';
import { describe, expect, it } from 'vitest';
import { Burst } from '../src/reviews/burst.js';

function watch() {
  const clock = new FakeClock();
  const ended: (readonly string[])[] = [];
  return {
    clock,
    ended,
    burst: new Burst<string>({ clock, quietMs: 300, onEnd: (items) => ended.push(items) }),
  };
}

describe('items that come one after the other', () => {
  it('are passed on together after a time without another one', () => {
    const { clock, ended, burst } = watch();
    for (const each of ['first', 'second', 'third']) {
      burst.add(each);
      clock.advance(299);
    }
    expect(ended).toEqual([]);
    clock.advance(1);
    burst.add('fourth');
    clock.advance(300);
    expect(ended).toEqual([['first', 'second', 'third'], ['fourth']]);
  });

  it('are dropped after dispose', () => {
    const { clock, ended, burst } = watch();
    burst.add('first');
    burst.dispose();
    clock.advance(300);
    expect([ended, clock.pendingTimers]).toEqual([[], 0]);
  });
});
