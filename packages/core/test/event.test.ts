import { DisposableStore, Emitter, toDisposable } from '@tandem/core';
import { describe, expect, it } from 'vitest';

function makeEmitter<T>() {
  const errors: unknown[] = [];
  return { emitter: new Emitter<T>((error) => errors.push(error)), errors };
}

describe('an emitter', () => {
  it('calls listeners in the order of their subscription', () => {
    const { emitter } = makeEmitter<string>();
    const received: string[] = [];
    emitter.event((event) => received.push(`first ${event}`));
    emitter.event((event) => received.push(`second ${event}`));
    emitter.fire('a');
    expect(received).toEqual(['first a', 'second a']);
  });

  it('calls the other listeners when one throws, and passes the error on', () => {
    const { emitter, errors } = makeEmitter<string>();
    const received: string[] = [];
    emitter.event(() => {
      throw new Error('broken listener');
    });
    emitter.event((event) => received.push(event));
    emitter.fire('a');
    expect(received).toEqual(['a']);
    expect(errors).toEqual([new Error('broken listener')]);
  });

  it('calls all listeners in the same order of events when one of them fires another event', () => {
    const { emitter } = makeEmitter<number>();
    const received: number[][] = [[], []];
    emitter.event((event) => {
      received[0]?.push(event);
      if (event < 3) emitter.fire(event + 1);
    });
    emitter.event((event) => received[1]?.push(event));
    emitter.fire(1);
    expect(received).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('does not call a listener that another one disposed during the same event', () => {
    const { emitter } = makeEmitter<string>();
    const received: string[] = [];
    emitter.event(() => second.dispose());
    const second = emitter.event((event) => received.push(event));
    emitter.fire('a');
    expect(received).toEqual([]);
  });

  it('keeps one of two equal subscriptions when the other is disposed', () => {
    const { emitter } = makeEmitter<string>();
    const received: string[] = [];
    const listener = (event: string): unknown => received.push(event);
    emitter.event(listener);
    const again = emitter.event(listener);
    again.dispose();
    again.dispose();
    emitter.fire('a');
    expect(received).toEqual(['a']);
  });

  it('calls no listener after dispose, including for queued events and later listeners', () => {
    const { emitter } = makeEmitter<number>();
    const received: number[] = [];
    emitter.event((event) => {
      received.push(event);
      emitter.fire(2);
      emitter.dispose();
    });
    emitter.fire(1);
    emitter.event((event) => received.push(event));
    emitter.fire(3);
    expect(received).toEqual([1]);
  });

  it('does not repeat queued events after its error handler threw', () => {
    const emitter = new Emitter<number>((error) => {
      throw error;
    });
    const received: number[] = [];
    let isBroken = true;
    emitter.event((event) => {
      received.push(event);
      if (!isBroken) return;
      emitter.fire(2);
      throw new Error('broken listener');
    });
    expect(() => emitter.fire(1)).toThrow('broken listener');
    isBroken = false;
    emitter.fire(3);
    expect(received).toEqual([1, 3]);
  });
});

describe('a disposable store', () => {
  it('disposes only once, the latest first', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => order.push('first')));
    store.add(toDisposable(() => order.push('second')));
    store.dispose();
    store.dispose();
    expect(order).toEqual(['second', 'first']);
    expect(store.isDisposed).toBe(true);
  });

  it('disposes immediately what is added after it was disposed', () => {
    const store = new DisposableStore();
    store.dispose();
    let isDisposed = false;
    store.add(
      toDisposable(() => {
        isDisposed = true;
      }),
    );
    expect(isDisposed).toBe(true);
  });

  it('disposes the others when one throws', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => order.push('first')));
    store.add(
      toDisposable(() => {
        throw new Error('broken');
      }),
    );
    store.add(toDisposable(() => order.push('third')));
    expect(() => store.dispose()).toThrow('broken');
    expect(order).toEqual(['third', 'first']);
  });
});
