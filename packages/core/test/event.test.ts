import { DisposableStore, Emitter, toDisposable } from '@tandem/core';
import { describe, expect, it } from 'vitest';

function makeEmitter<T>() {
  const errors: unknown[] = [];
  return { emitter: new Emitter<T>((error) => errors.push(error)), errors };
}

describe('an emitter', () => {
  it('tells listeners in the order of their subscription', () => {
    const { emitter } = makeEmitter<string>();
    const heard: string[] = [];
    emitter.event((event) => heard.push(`first ${event}`));
    emitter.event((event) => heard.push(`second ${event}`));
    emitter.fire('a');
    expect(heard).toEqual(['first a', 'second a']);
  });

  it('tells the others when one listener throws, and hands its error on', () => {
    const { emitter, errors } = makeEmitter<string>();
    const heard: string[] = [];
    emitter.event(() => {
      throw new Error('broken listener');
    });
    emitter.event((event) => heard.push(event));
    emitter.fire('a');
    expect(heard).toEqual(['a']);
    expect(errors).toEqual([new Error('broken listener')]);
  });

  it('tells all listeners the same order when one of them fires another event', () => {
    const { emitter } = makeEmitter<number>();
    const heard: number[][] = [[], []];
    emitter.event((event) => {
      heard[0]?.push(event);
      if (event < 3) emitter.fire(event + 1);
    });
    emitter.event((event) => heard[1]?.push(event));
    emitter.fire(1);
    expect(heard).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('says nothing more to a listener that another one disposed during the same event', () => {
    const { emitter } = makeEmitter<string>();
    const heard: string[] = [];
    emitter.event(() => second.dispose());
    const second = emitter.event((event) => heard.push(event));
    emitter.fire('a');
    expect(heard).toEqual([]);
  });

  it('keeps one of two equal subscriptions when the other is disposed', () => {
    const { emitter } = makeEmitter<string>();
    const heard: string[] = [];
    const listener = (event: string): unknown => heard.push(event);
    emitter.event(listener);
    const again = emitter.event(listener);
    again.dispose();
    again.dispose();
    emitter.fire('a');
    expect(heard).toEqual(['a']);
  });

  it('is silent after dispose, also for events that wait and for later listeners', () => {
    const { emitter } = makeEmitter<number>();
    const heard: number[] = [];
    emitter.event((event) => {
      heard.push(event);
      emitter.fire(2);
      emitter.dispose();
    });
    emitter.fire(1);
    emitter.event((event) => heard.push(event));
    emitter.fire(3);
    expect(heard).toEqual([1]);
  });

  it('does not repeat events that waited when its error handler threw', () => {
    const emitter = new Emitter<number>((error) => {
      throw error;
    });
    const heard: number[] = [];
    let isBroken = true;
    emitter.event((event) => {
      heard.push(event);
      if (!isBroken) return;
      emitter.fire(2);
      throw new Error('broken listener');
    });
    expect(() => emitter.fire(1)).toThrow('broken listener');
    isBroken = false;
    emitter.fire(3);
    expect(heard).toEqual([1, 3]);
  });
});

describe('a disposable store', () => {
  it('disposes once, the latest first', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => order.push('first')));
    store.add(toDisposable(() => order.push('second')));
    store.dispose();
    store.dispose();
    expect(order).toEqual(['second', 'first']);
    expect(store.isDisposed).toBe(true);
  });

  it('disposes at once what is added after it was disposed', () => {
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
